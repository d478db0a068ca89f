import CatalogStore
import CommandLineOptions
import Model
import ModelStore
import Recompute
import Similarity

/// `coterie-bench recompute`: the whole weekly job against the floors of its parts on this machine.
enum RecomputeBenchmark: Benchmark {
    static let command = Command(
        "recompute", summary: "Compare the time of a recompute with the floors of its parts",
        discussion: """
            The catalog is read once, untimed, so that it is in the system's cache. Then the whole job runs, from \
            start to "current", into a store that is removed afterwards. Then its floors run in the same process on as \
            many threads: stepping through both relations in SQLite and reading both columns; stepping through the \
            photos and reading owner, tags and location; the comparison alone on both matrices; a plain write of as \
            many bytes to the same store (a file with fsync, or pipelined values of 1 MiB). The job should take at \
            most 1.5 times the sum of the floors. The Redis server should have nothing else to do. Trends are those of \
            the catalog's own last date.
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

    /// 2100-01-01T00:00:00Z, later than the dates of a catalog: the job computes trends as of its last date.
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
        (report.rows, report.scanSeconds) = try Measuring.seconds { try CatalogScan.pairs(path, threads: threads) }
        (report.photos, report.photoSeconds) = try Measuring.seconds { try CatalogScan.photos(path, threads: threads) }
        for facts in parameters.relations {
            report.kernelSeconds += try kernelSeconds(facts, path, parameters)
        }
        report.writeSeconds = try Measuring.seconds { try store.writePlainly(byteCount: report.byteCount) }.seconds
        return report
    }

    /// The seconds of the comparison alone, without reading the matrix.
    private static func kernelSeconds(_ facts: RelationFacts, _ path: String, _ parameters: RecomputeParameters) throws
        -> Double
    {
        let snapshot = try CatalogSnapshot(of: Catalog(path: path, mode: .reading), threads: parameters.threads)
        let matrix = try snapshot.matrix(facts.source) { _ in }.matrix
        let search = NeighbourSearch(parameters: parameters[facts.relation], threads: parameters.threads)
        return Measuring.seconds { search.run(on: matrix) }.seconds
    }
}
