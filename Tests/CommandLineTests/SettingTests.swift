import CommandLine
import Testing

@Suite struct Settings {
    private static let program = CommandLineProgram(
        name: "p", summary: "", version: "1",
        commands: [
            Command(
                "c", summary: "",
                options: [
                    Option(
                        "port", "N", help: "", default: "80", type: .integer(0...99), setting: Setting("serve.port")),
                    Option("age", "D", help: "", default: "1d", type: .duration(60...86_400)),
                    Option("part", "X", help: "", type: .number(0...1), setting: Setting("c.partMiB")),
                    Option(
                        "keys", "FILE", help: "", environment: "P_KEYS", setting: Setting("c.keys"), isRequired: true),
                    Option(flag: "loud", help: "", setting: Setting("c.isLoud")),
                ])
        ], variablePrefix: "P")

    private func run(
        _ line: String, _ environment: [String: String] = [:], _ values: [String: ConfiguredValues.Value] = [:]
    ) throws -> ParsedCommand {
        guard case .run(let words) = try Self.program.read(line.split(separator: " ").map(String.init)) else {
            throw UsageError("\(line) runs no command")
        }
        return try words.completed(environment: environment, configured: ConfiguredValues(values))
    }

    @Test func variablesAreNamedByKeysUnlessTheOptionNamesOne() {
        let options = Self.program.commands[0].options
        #expect(options.map(\.environmentVariable) == ["P_SERVE_PORT", nil, "P_C_PART_MIB", "P_KEYS", "P_C_IS_LOUD"])
        #expect(Setting.camelCased("min-common-members") == "minCommonMembers")
    }

    @Test func valuesOfTheWrongTypeAreRefusedWhereverTheyComeFrom() throws {
        for (line, environment, values, message) in [
            ("c --keys k --port 100", [:], [:], "--port must be a whole number from 0 to 99, but is \"100\""),
            (
                "c --keys k", ["P_SERVE_PORT": "x"], [:],
                "the environment variable P_SERVE_PORT must be a whole number from 0 to 99, but is \"x\""
            ),
            (
                "c --keys k", [:], ["c.partMiB": .init(["2"], place: "f:1:2")],
                "f:1:2: c.partMiB must be a number from 0.0 to 1.0, but is \"2\""
            ),
            (
                "c --keys k --age 59s", [:], [:],
                "--age must be a duration such as 90s, 15m, 1h or 7d, from 60s to 1d, but is \"59s\""
            ),
        ] as [(String, [String: String], [String: ConfiguredValues.Value], String)] {
            let error = #expect(throws: UsageError.self) { try run(line, environment, values) }
            #expect(error?.message == message)
        }
    }

    @Test func aRequiredOptionMayStandInAFile() throws {
        #expect(throws: UsageError.self) { try run("c") }
        let command = try run("c", [:], ["c.keys": .init(["k.json"], place: "f:1:1")])
        #expect(command.text("keys") == "k.json" && command.origin(of: "keys") == .file(place: "f:1:1"))
    }

    @Test func aVariableTurnsAFlagOffThatAFileTurnsOn() throws {
        let isOn = ["c.isLoud": ConfiguredValues.Value(["true"], place: "f:1:1")]
        #expect(try run("c --keys k", [:], isOn).flag("loud"))
        #expect(try !run("c --keys k", ["P_C_IS_LOUD": "0"], isOn).flag("loud"))
        #expect(try run("c --keys k --loud", ["P_C_IS_LOUD": "0"], isOn).flag("loud"))
    }

    @Test func typedValuesHaveTheBoundsOfTheirType() throws {
        let command = try run("c --keys k --age 2h --part 0.5")
        #expect(try command.integer("port") == 80 && command.numberIfGiven("part") == 0.5)
        #expect(try command.duration("age") == .seconds(7200))
        #expect(try run("c --keys k --port 81").integerIfGiven("port") == 81)
    }

    @Test func unknownVariablesWithThePrefixAreNamedWithTheNearest() {
        func warnings(_ environment: [String: String]) -> [String] {
            Self.program.warnings(ofVariables: environment)
        }
        #expect(
            warnings(["P_SERVE_PROT": "1", "P_SERVE_PORT": "2", "P_XYZ": "", "P_KEY": "k", "Q_PORT": "1", "P": "x"])
                == [
                    "P_KEY in the environment is not a variable of p: did you mean P_KEYS?",
                    "P_SERVE_PROT in the environment is not a variable of p: did you mean P_SERVE_PORT?",
                    "P_XYZ in the environment is not a variable of p, and does nothing",
                ])
        // Those of tools, and of services in Kubernetes and of containers in Docker, are not meant for the program.
        #expect(
            warnings([
                "P_BUILD": "1", "P_TEST_KILLS": "9", "P_IMAGE": "x", "P_PACKAGE_VERSION": "1",
                "P_SERVICE_HOST": "10.0.0.1", "P_SERVICE_PORT": "80", "P_SERVICE_PORT_HTTP": "80",
                "P_PORT": "tcp://10.0.0.1:80", "P_PORT_80_TCP": "tcp://10.0.0.1:80", "P_PORT_80_TCP_ADDR": "10.0.0.1",
                "P_WEB_SERVICE_HOST": "10.0.0.2", "P_WEB_PORT": "tcp://10.0.0.2:80", "P_WEB_PORT_80_TCP_PROTO": "tcp",
            ]) == [])
        #expect(warnings(["P_WEB_PORT": "80"]).count == 1)
    }

    @Test func aDefaultOfTheWrongTypeIsAMistakeOfTheProgrammers() async {
        await #expect(processExitsWith: .failure) {
            let options = [Option("n", "N", help: "", default: "x", type: .integer(0...1))]
            _ = CommandLineProgram(
                name: "p", summary: "", version: "1", commands: [Command("c", summary: "", options: options)])
        }
    }
}
