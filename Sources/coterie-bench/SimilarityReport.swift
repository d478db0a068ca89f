import Glibc

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

    /// The most memory that the process has had resident, in bytes.
    var peakBytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// Processor time of the whole process, reading included.
    var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    var line: String {
        """
        \(rows) x \(columns), \(entries) entries: \(neighbours) neighbours in \(rounded(seconds)) s \
        on \(threads) threads (reading \(rounded(readSeconds)) s, processor \(rounded(processorSeconds)) s, \
        peak \(peakBytes >> 20) MiB)
        """
    }

    var json: String {
        """
        {"rows":\(rows),"columns":\(columns),"entries":\(entries),"neighbours":\(neighbours),"threads":\(threads),\
        "readSeconds":\(rounded(readSeconds)),"seconds":\(rounded(seconds)),\
        "processorSeconds":\(rounded(processorSeconds)),"peakBytes":\(peakBytes)}
        """
    }

    private func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
