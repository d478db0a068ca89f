import CommandLine
import FoundationEssentials
import Glibc
import Service

let benchmarks: [any Benchmark.Type] = [
    SimilarityBenchmark.self, RecomputeBenchmark.self, ImportBenchmark.self,
    LookBenchmark.self, PlanBenchmark.self, AssignBenchmark.self, ServeBenchmark.self, SoakBenchmark.self,
]
let program = CommandLineProgram(
    name: "coterie-bench", summary: "Measures Coterie; every benchmark ends with a line of JSON",
    version: ProgramVersion.current.description,
    commands: benchmarks.map { $0.command })

do {
    switch try program.parse(
        Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    {
    case .help(let text), .version(let text):
        print(text)
    case .run(let parsed):
        try benchmarks.first { $0.command.name == parsed.name }?.run(parsed)
    }
} catch {
    printError("coterie-bench: \(error)")
    exit(error is UsageError ? UsageError.exitCode : BenchError.exitCode)
}
