import Basics
import CommandLine
import FoundationEssentials
import Glibc
import Service

let benchmarks: [any Benchmark.Type] = [
    SimilarityBenchmark.self, RecomputeBenchmark.self, ImportBenchmark.self,
    LookBenchmark.self, PlanBenchmark.self, AssignBenchmark.self, ServeBenchmark.self, SoakBenchmark.self,
    GenerateCommand.self, ManualCommand.self,
]
let program = CommandLineProgram(
    name: "coterie-bench", summary: "Measures Coterie, and writes communities to measure",
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
    printToStandardError("coterie-bench: \(error)")
    exit(error is UsageError ? UsageError.exitCode : (error as? Failure)?.exitCode ?? Failure.Code.badData.exitCode)
}
