import Glibc

// One file a subcommand; each reads its own arguments and throws a `BenchError`.
let subcommands: [(name: String, run: ([String]) throws(BenchError) -> Void)] = [
    (SimilarityBenchmark.name, SimilarityBenchmark.run),
    (ImportBenchmark.name, ImportBenchmark.run),
    (ListsBenchmark.name, ListsBenchmark.run),
    (PlanBenchmark.name, PlanBenchmark.run),
]

let arguments = CommandLine.arguments.dropFirst()
if let name = arguments.first, let subcommand = subcommands.first(where: { $0.name == name }) {
    do {
        try subcommand.run(Array(arguments.dropFirst()))
    } catch {
        printError("coterie-bench \(name): \(error)")
        exit(error.exitCode)
    }
} else {
    let names = subcommands.map(\.name).joined(separator: " | ")
    printError("usage: coterie-bench \(names) …; without arguments a subcommand prints its own usage")
    exit(BenchError.usage("").exitCode)
}
