import CatalogStore
import CommandLineOptions
import Model
import ModelStore
import Recompute
import Similarity

/// `coterie-bench recompute`: the whole weekly job against the least that its parts can cost on this machine.
enum RecomputeBenchmark: Benchmark {
    static let command = Command(
        "recompute", summary: "Time the whole recompute of a catalog against the floors of its parts",
        discussion: """
            First the catalog is read once, untimed, so that its pages are in the system's cache for all that follows. \
            Then the whole job runs, from start to "current", into a store that is removed afterwards; then, in the same \
            process and on as many threads, its floors: stepping through both tables in SQLite and reading both columns; \
            the comparison alone on both matrices; a plain write of as many bytes to the same place (a file with fsync, \
            or pipelined values of 1 MiB). The whole is to take at most twice their sum. The Redis server should have \
            nothing else to do.
            """,
        arguments: [Argument("CATALOG", help: "The catalog; it is not changed")],
        options: [
            Option(
                "store", "STORE",
                help: "Where to publish: a folder, or redis://…; a temporary folder unless said otherwise"),
            BenchOptions.threads,
        ],
        examples: [
            "coterie-bench recompute coterie.sqlite",
            "coterie-bench recompute coterie.sqlite --store redis://localhost",
        ])

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
            catalogPath: path, store: store.store, parameters: parameters, startedAtMilliseconds: 0)
        let log = ForecastLog()
        let (outcome, wholeSeconds) = try Measuring.seconds { try job.run(observer: log) }
        var report = RecomputeReport(
            store: store.kind, threads: threads, steps: outcome.steps, wholeSeconds: wholeSeconds,
            byteCount: try store.bytesReceived() - bytesBefore, path: parameters.path,
            expectedSeconds: log.expectedSeconds, forecastError: log.worstError(wholeSeconds: wholeSeconds))
        (report.rows, report.scanSeconds) = try Measuring.seconds { try CatalogScan.run(path, threads: threads) }
        for facts in parameters.relations {
            report.kernelSeconds += try kernelSeconds(facts, path, parameters)
        }
        report.writeSeconds = try Measuring.seconds { try store.writePlainly(byteCount: report.byteCount) }.seconds
        return report
    }

    /// The comparison alone, its matrix being read already.
    private static func kernelSeconds(_ facts: RelationFacts, _ path: String, _ parameters: RecomputeParameters) throws
        -> Double
    {
        let snapshot = try CatalogSnapshot(of: Catalog(path: path, mode: .reading), threads: parameters.threads)
        let matrix = try snapshot.matrix(facts.source) { _ in }.matrix
        let search = NeighbourSearch(parameters: parameters[facts.relation], threads: parameters.threads)
        return Measuring.seconds { search.run(on: matrix) }.seconds
    }
}
