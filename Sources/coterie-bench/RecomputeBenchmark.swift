import Basics
import CatalogStore
import CommandLine
import Model
import ModelStore
import Recompute
import Similarity
import Synchronization

/// The benchmark `coterie-bench recompute`: the whole weekly job, compared with the lower bounds of its parts.
enum RecomputeBenchmark: Benchmark {
    static let command = Command(
        "recompute", summary: "Compare the time of a recompute with the floors of its parts",
        discussion: """
            The catalog is read once, untimed, so that it is in the system's cache. Then the whole job runs, from \
            start to "current", into a store that is removed afterwards. Then its floors run in the same process on \
            as many threads. The first steps through the relations in SQLite, and through favourites and follows, \
            and reads both columns. The second steps through the photos and reads owner, tags and location. The third \
            is the comparison alone on the matrices of the tables. The fourth is that by features of photos, as timed \
            in the job, whose steps compare and do nothing else. The last writes as many bytes to the same store: a \
            file with fsync, or pipelined values of 1 MiB. The job should take at most 1.5 times the sum of the \
            floors. The Redis server should have nothing else to do. Trends are those of the catalog's own last date.
            """,
        arguments: [Argument("CATALOG", help: "The catalog; it is not changed")],
        options: [
            Option(
                "store", "STORE",
                help: "The store to publish to: a folder, or redis://… (default: a temporary folder)"),
            BenchOptions.threads,
        ],
        examples: [
            "coterie-bench recompute coterie.sqlite",
            "coterie-bench recompute coterie.sqlite --store redis://localhost",
        ])

    /// A start at 2100-01-01T00:00:00Z, later than all dates of a catalog; trends are then as of its last date.
    private static let startMilliseconds: Int64 = 4_102_444_800_000

    static func run(_ parsed: ParsedCommand) throws {
        let store = try ThrowawayStore(parsed.textIfGiven("store"))
        let report: RecomputeReport
        do {
            report = try measure(parsed.arguments[0], store, threads: try BenchOptions.threads(of: parsed))
        } catch {
            try? store.remove()
            throw error
        }
        try store.remove()
        for line in report.lines { print(line) }
        print(report.json)
    }

    private static func measure(_ path: String, _ store: ThrowawayStore, threads: Int) throws
        -> RecomputeReport
    {
        try CatalogScan.warm(path)
        let parameters = RecomputeParameters(threads: threads)
        let bytesBefore = try store.bytesReceived()
        let job = RecomputeJob(
            catalogPath: path, store: store.store, parameters: parameters, startedAtMilliseconds: startMilliseconds)
        let log = ForecastLog()
        let (outcome, wholeSeconds) = try Measuring.seconds { try job.run(observer: log) }
        var report = RecomputeReport(
            store: store.kind, threads: threads, steps: outcome.steps, wholeSeconds: wholeSeconds,
            byteCount: try store.bytesReceived() - bytesBefore, path: parameters.path,
            expectedSeconds: log.expectedSeconds, forecastError: log.worstError(wholeSeconds: wholeSeconds))
        (report.rows, report.scanSeconds) = try Measuring.seconds {
            try CatalogScan.pairs(path, parameters.relations.sources, threads: threads)
        }
        (report.photos, report.photoSeconds) = try Measuring.seconds { try CatalogScan.photos(path, threads: threads) }
        for facts in parameters.relations.tabled {
            report.kernelSeconds += try kernelSeconds(facts, path, parameters)
        }
        let features = parameters.relations.filter { $0.feature != nil }.map { "compare by \($0.name)" }
        report.featureSeconds = outcome.steps.filter { features.contains($0.name) }.reduce(0) { $0 + $1.seconds }
        report.writeSeconds = try Measuring.seconds { try store.writePlainly(byteCount: report.byteCount) }.seconds
        return report
    }

    /// Returns the seconds of the comparison alone, without reading the matrix.
    private static func kernelSeconds(_ facts: RelationDescription, _ path: String, _ parameters: RecomputeParameters)
        throws
        -> Double
    {
        guard let source = facts.source else { return 0 }
        let snapshot = try Matrices(of: Facts(path: path), threads: parameters.threads)
        let matrix = try snapshot.matrix(source) { _ in }.matrix
        let search = NeighbourSearch(parameters: parameters[facts.relation], threads: parameters.threads)
        return Measuring.seconds { search.run(on: matrix) }.seconds
    }
}

/// The measurements of a run of `coterie-bench recompute`; all times are elapsed seconds.
struct RecomputeReport {
    /// The greatest acceptable ratio of the whole time to the sum of the lower bounds.
    static let bound = 1.5

    /// The kind of store: `folder` or `redis`.
    let store: String
    let threads: Int
    let steps: [Manifest.StepReport]
    /// The time from the start until the version is current.
    let wholeSeconds: Double
    /// The number of bytes written to the store.
    let byteCount: Int
    let path: ProcessorPath
    /// The time that the job predicted before it read anything large.
    let expectedSeconds: Double
    /// The largest error of the predictions made after a fifth of the time, as a share of the whole time.
    let forecastError: (share: Double, elapsedSeconds: Double, step: String)
    /// The rows of all relations, favourites and follows, and the time of stepping through them.
    var rows = 0
    var scanSeconds = 0.0
    /// The photos, and the time of stepping through them.
    var photos = 0
    var photoSeconds = 0.0
    /// The time of the comparison alone, for the relations of tables.
    var kernelSeconds = 0.0
    /// The time of the steps of the job that compare by features of photos.
    var featureSeconds = 0.0
    /// The time of plainly writing the same number of bytes.
    var writeSeconds = 0.0

    var floorSeconds: Double { scanSeconds + photoSeconds + kernelSeconds + featureSeconds + writeSeconds }
    var ratio: Double { wholeSeconds / floorSeconds }
    /// The peak memory up to the last step of the job; the lower bounds are measured later and do not count.
    var peakBytes: Int { steps.map(\.peakBytes).max() ?? 0 }

    var lines: [String] {
        [
            "floor, scan of \(rows) rows: \(Measuring.fixed(scanSeconds)) s",
            "floor, scan of \(photos) photos: \(Measuring.fixed(photoSeconds)) s",
            "floor, comparison alone (\(path.rawValue)): \(Measuring.fixed(kernelSeconds)) s",
            "floor, comparison by features, in the job: \(Measuring.fixed(featureSeconds)) s",
            "floor, plain write of \(byteCount) bytes (\(store)): \(Measuring.fixed(writeSeconds)) s",
            "sum of the floors: \(Measuring.fixed(floorSeconds)) s",
            "whole: \(Measuring.fixed(wholeSeconds)) s, peak \(peakBytes >> 20) MiB",
            "forecast: \(Measuring.fixed(expectedSeconds)) s at first; after a fifth of the time wrong by at most "
                + "\(Measuring.fixed(100 * forecastError.share))%, after "
                + "\(Formats.fixed(forecastError.elapsedSeconds, 1)) s (\(forecastError.step))",
            "ratio: \(Measuring.fixed(ratio)), at most \(Measuring.fixed(Self.bound))",
        ]
    }

    var json: String {
        let stepsJSON = steps.map { "\"\($0.name)\":\(Measuring.rounded($0.seconds))" }.joined(separator: ",")
        return """
            {"benchmark":"recompute","store":"\(store)","threads":\(threads),"rows":\(rows),"bytes":\(byteCount),\
            "photos":\(photos),"path":"\(path.rawValue)","steps":{\(stepsJSON)},\
            "scanSeconds":\(Measuring.rounded(scanSeconds)),"photoSeconds":\(Measuring.rounded(photoSeconds)),\
            "kernelSeconds":\(Measuring.rounded(kernelSeconds)),"featureSeconds":\(Measuring.rounded(featureSeconds)),\
            "writeSeconds":\(Measuring.rounded(writeSeconds)),\
            "floorSeconds":\(Measuring.rounded(floorSeconds)),"wholeSeconds":\(Measuring.rounded(wholeSeconds)),\
            "ratio":\(Measuring.rounded(ratio)),"bound":\(Self.bound),"peakBytes":\(peakBytes),\
            "expectedSeconds":\(Measuring.rounded(expectedSeconds)),\
            "forecastError":\(Measuring.rounded(forecastError.share))}
            """
    }
}

/// An observer that prints each step of a recompute as it ends and records the predictions.
final class ForecastLog: RecomputeObserver {
    /// A prediction of the job's whole time and the time at which it was made, in seconds since the start.
    private struct Prediction {
        var elapsedSeconds: Double
        var totalSeconds: Double
        /// The step that was running or had just ended.
        var step: String
    }

    private struct State {
        var expectedSeconds = 0.0
        var predictions: [Prediction] = []
        var step = ""
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// The prediction before anything large was read, in seconds.
    var expectedSeconds: Double { state.withLock { $0.expectedSeconds } }

    /// Returns the largest error of the predictions made after a fifth of the time, and when it was made.
    ///
    /// The error is a share of the whole time.
    func worstError(wholeSeconds: Double) -> (share: Double, elapsedSeconds: Double, step: String) {
        state.withLock { state in
            state.predictions.filter { $0.elapsedSeconds >= 0.2 * wholeSeconds }
                .map { (abs($0.totalSeconds - wholeSeconds) / wholeSeconds, $0.elapsedSeconds, $0.step) }
                .max { $0.0 < $1.0 } ?? (0, 0, "")
        }
    }

    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {
        state.withLock { $0.expectedSeconds = estimate.seconds }
        print("expected: \(Measuring.fixed(estimate.seconds)) s, \(estimate.memoryBytes >> 20) MiB")
    }

    func stepBegan(_ name: String) { state.withLock { $0.step = name } }

    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) { note(remainingSeconds) }

    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {
        let total = note(remainingSeconds)
        print(
            "\(report.name): \(Measuring.fixed(report.seconds)) s, peak \(report.peakBytes >> 20) MiB, \(outcome); "
                + "forecast \(Formats.fixed(total, 1)) s")
    }

    func warn(_ message: String) { printToStandardError("warning: \(message)") }

    /// Records a prediction, and returns the whole time that is now expected, in seconds.
    @discardableResult
    private func note(_ remainingSeconds: Double) -> Double {
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        state.withLock {
            $0.predictions.append(
                Prediction(elapsedSeconds: elapsed, totalSeconds: elapsed + remainingSeconds, step: $0.step))
        }
        return elapsed + remainingSeconds
    }
}
