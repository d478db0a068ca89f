import Similarity

/// What a run of `coterie-bench similarity` measured.
struct SimilarityReport {
    var rows: Int
    var columns: Int
    var entries: Int
    var neighbours: Int
    var threads: Int
    /// Reading and checking the arrays.
    var readSeconds: Double
    /// Preparing, counting and choosing the best.
    var seconds: Double
    /// The instructions that were used.
    var path: ProcessorPath

    var line: String {
        """
        \(rows) x \(columns), \(entries) entries: \(neighbours) neighbours in \(Measuring.rounded(seconds)) s \
        on \(threads) threads, \(path.rawValue) (reading \(Measuring.rounded(readSeconds)) s, processor \(Measuring.rounded(Measuring.processorSeconds)) s, \
        peak \(Measuring.peakBytes >> 20) MiB)
        """
    }

    var json: String {
        """
        {"rows":\(rows),"columns":\(columns),"entries":\(entries),"neighbours":\(neighbours),"threads":\(threads),\
        "readSeconds":\(Measuring.rounded(readSeconds)),"seconds":\(Measuring.rounded(seconds)),\
        "processorSeconds":\(Measuring.rounded(Measuring.processorSeconds)),"peakBytes":\(Measuring.peakBytes),"path":"\(path.rawValue)"}
        """
    }
}
