import CommandLine
import Testing

@Suite struct BadTables {
    @Test func twoCommandsWithTheSameName() async {
        await #expect(processExitsWith: .failure) {
            _ = CommandLineProgram(
                name: "p", summary: "", version: "1",
                commands: [Command("a", summary: ""), Command("a", summary: "")])
        }
    }

    @Test func twoOptionsWithTheSameName() async {
        await #expect(processExitsWith: .failure) {
            let options = [Option(flag: "all", short: "a", help: ""), Option(flag: "any", short: "a", help: "")]
            _ = CommandLineProgram(
                name: "p", summary: "", version: "1", commands: [Command("c", summary: "", options: options)])
        }
    }

    @Test func aRepeatingArgumentThatIsNotLast() async {
        await #expect(processExitsWith: .failure) {
            let arguments = [Argument("A", help: "", isRepeating: true), Argument("B", help: "")]
            _ = CommandLineProgram(
                name: "p", summary: "", version: "1", commands: [Command("c", summary: "", arguments: arguments)])
        }
    }

    @Test func aRequiredArgumentAfterAnOptionalOne() async {
        await #expect(processExitsWith: .failure) {
            let arguments = [Argument("A", help: "", isOptional: true), Argument("B", help: "")]
            _ = CommandLineProgram(
                name: "p", summary: "", version: "1", commands: [Command("c", summary: "", arguments: arguments)])
        }
    }

    @Test func aDefaultThatIsNotAllowed() async {
        await #expect(processExitsWith: .failure) {
            let options = [Option("by", "X", help: "", default: "z", allowed: ["x", "y"])]
            _ = CommandLineProgram(
                name: "p", summary: "", version: "1", commands: [Command("c", summary: "", options: options)])
        }
    }

    @Test func askingForAnUnknownOption() async {
        await #expect(processExitsWith: .failure) { _ = try run("check").flag("verbose") }
    }
}
