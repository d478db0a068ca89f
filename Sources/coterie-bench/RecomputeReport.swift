import Model
import Similarity

/// What a run of `coterie-bench recompute` measured; all times are wall time in seconds.
struct RecomputeReport {
    /// The greatest ratio of the whole to the sum of the floors that is acceptable.
    static let bound = 1.5

    /// `folder` or `redis`.
    let store: String
    let threads: Int
    let steps: [Manifest.StepReport]
    /// From start to "current".
    let wholeSeconds: Double
    /// The bytes written to the store.
    let byteCount: Int
    let path: ProcessorPath
    /// What the job expected before it read anything large.
    let expectedSeconds: Double
    /// The largest error of the predictions made after a fifth of the time, as a share of the whole.
    let forecastError: (share: Double, elapsedSeconds: Double, step: String)
    /// The rows of both relations, and the time of stepping through them.
    var rows = 0
    var scanSeconds = 0.0
    /// The photos, and the time of stepping through them.
    var photos = 0
    var photoSeconds = 0.0
    /// The comparison alone, both relations.
    var kernelSeconds = 0.0
    /// Writing as many bytes plainly.
    var writeSeconds = 0.0

    var floorSeconds: Double { scanSeconds + photoSeconds + kernelSeconds + writeSeconds }
    var ratio: Double { wholeSeconds / floorSeconds }
    /// After the last step of the job itself: floors come later and do not count.
    var peakBytes: Int { steps.map(\.peakBytes).max() ?? 0 }

    var lines: [String] {
        [
            "floor, scan of \(rows) rows: \(Measuring.fixed(scanSeconds)) s",
            "floor, scan of \(photos) photos: \(Measuring.fixed(photoSeconds)) s",
            "floor, comparison alone (\(path.rawValue)): \(Measuring.fixed(kernelSeconds)) s",
            "floor, plain write of \(byteCount) bytes (\(store)): \(Measuring.fixed(writeSeconds)) s",
            "sum of the floors: \(Measuring.fixed(floorSeconds)) s",
            "whole: \(Measuring.fixed(wholeSeconds)) s, peak \(peakBytes >> 20) MiB",
            "forecast: \(Measuring.fixed(expectedSeconds)) s at first; after a fifth of the time wrong by at most "
                + "\(Measuring.fixed(100 * forecastError.share))%, after "
                + "\(Measuring.fixed(forecastError.elapsedSeconds, 1)) s (\(forecastError.step))",
            "ratio: \(Measuring.fixed(ratio)), at most \(Measuring.fixed(Self.bound))",
        ]
    }

    var json: String {
        let stepsJSON = steps.map { "\"\($0.name)\":\(Measuring.rounded($0.seconds))" }.joined(separator: ",")
        return """
            {"benchmark":"recompute","store":"\(store)","threads":\(threads),"rows":\(rows),"bytes":\(byteCount),\
            "photos":\(photos),"path":"\(path.rawValue)","steps":{\(stepsJSON)},\
            "scanSeconds":\(Measuring.rounded(scanSeconds)),"photoSeconds":\(Measuring.rounded(photoSeconds)),\
            "kernelSeconds":\(Measuring.rounded(kernelSeconds)),"writeSeconds":\(Measuring.rounded(writeSeconds)),\
            "floorSeconds":\(Measuring.rounded(floorSeconds)),"wholeSeconds":\(Measuring.rounded(wholeSeconds)),\
            "ratio":\(Measuring.rounded(ratio)),"bound":\(Self.bound),"peakBytes":\(peakBytes),\
            "expectedSeconds":\(Measuring.rounded(expectedSeconds)),\
            "forecastError":\(Measuring.rounded(forecastError.share))}
            """
    }
}
