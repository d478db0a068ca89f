import CommandLine
import Similarity
import Testing

@Suite("Options of the formula")
struct MeasureOptionsTests {
    private func parsed(_ words: [String], environment: [String: String] = [:]) throws -> ParsedCommand {
        let command = Command("run", summary: "", options: MeasureOptions.options + [ProcessorPathOption.option])
        let program = CommandLineProgram(name: "test", summary: "", version: "1", commands: [command])
        guard case .run(let parsed) = try program.parse(["run"] + words, environment: environment) else {
            throw UsageError("no run")
        }
        return parsed
    }

    @Test("the modified cosine with its standard parameters unless asked for")
    func standard() throws {
        #expect(try MeasureOptions.measure(of: parsed([])) == .modified(.standard))
        #expect(try MeasureOptions.measure(of: parsed(["--measure", "modified"])) == .modified(.standard))
        #expect(try MeasureOptions.measure(of: parsed(["--measure", "cosine"])) == .cosine)
    }

    @Test("every option sets its own parameter")
    func modified() throws {
        let words = """
            --degree-discount 0 --source-exponent 1 --neighbour-exponent 0.75 --shrinkage 9 --score-power 2 \
            --list-power 0.25 --limit-exponent 0.5
            """
        let others = ModifiedCosine(
            degreeDiscount: 0, sourceExponent: 1, neighbourExponent: 0.75, shrinkage: 9, scorePower: 2, cut: .source,
            listPower: 0.25, limitExponent: 0.5)
        var targeted = others
        targeted.cut = .target
        let given = words.split(separator: " ").map(String.init)
        #expect(try MeasureOptions.measure(of: parsed(given + ["--cut", "source"])) == .modified(others))
        #expect(try MeasureOptions.measure(of: parsed(given + ["--cut", "target"])) == .modified(targeted))
    }

    @Test(
        "values out of bounds, and parameters of plain cosine, are refused",
        arguments: [
            ["--measure", "cosine", "--score-power", "1"], ["--measure", "cosine", "--cut", "target"],
            ["--measure", "jaccard"],
            ["--measure", "modified", "--degree-discount", "-1"], ["--measure", "modified", "--score-power", "0"],
            ["--measure", "modified", "--shrinkage", "nan"],
        ])
    func refused(words: [String]) {
        #expect(throws: UsageError.self) { try MeasureOptions.measure(of: parsed(words)) }
    }

    @Test("the environment chooses the path, and a path that the processor does not support is refused")
    func processorPath() throws {
        let variable = "COTERIE_PROCESSOR_PATH"
        #expect(try ProcessorPathOption.path(of: parsed([])) == .fastest)
        for path in ProcessorPath.allCases {
            let parsed = try parsed([], environment: [variable: path.rawValue])
            if ProcessorPath.supported.contains(path) {
                #expect(try ProcessorPathOption.path(of: parsed) == path)
            } else {
                #expect(throws: UsageError.self) { try ProcessorPathOption.path(of: parsed) }
            }
        }
        #expect(throws: UsageError.self) { try parsed([], environment: [variable: "mmx"]) }
    }
}
