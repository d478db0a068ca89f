import CommandLine

enum Relation: String, CaseIterable { case members, photos }

/// A program that has one of everything.
let sample = CommandLineProgram(
    name: "sample", summary: "Finds the groups that someone would love to join", version: "1.2.3",
    commands: [
        Command(
            "import", summary: "Read a community from files",
            discussion: """
                Every file is read as a stream. A record that cannot be used is left out, counted and shown with its
                line, and reading goes on.

                  user,group
                  7,12
                """,
            arguments: [Argument("FILE", help: "The files to read; - is standard input", isRepeating: true)],
            options: [
                Option(
                    "store", short: "s", "FOLDER", help: "Where the catalog lies", environment: "SAMPLE_STORE",
                    isRequired: true),
                Option("format", "NAME", help: "How the files are written", allowed: ["csv", "tsv", "jsonl"]),
                Option(
                    "maximum-record-bytes", "BYTES",
                    help: "Leave out records that are longer than this, each with a warning that shows where it begins",
                    default: "1048576"),
                Option("label", "TEXT", help: "A word to remember this import by", isRepeating: true),
                Option(flag: "verbose", short: "v", help: "Tell more", environment: "SAMPLE_VERBOSE"),
                Option(flag: "dry-run", short: "n", help: "Only count: \"what's in [it]\""),
            ],
            examples: [
                "sample import --store community members.csv", "zcat members.csv.gz | sample import -s community -",
            ]),
        Command(
            "neighbours", summary: "Show the groups that are most like one",
            arguments: [
                Argument("GROUP", help: "The group's id"), Argument("OTHER", help: "Another one", isOptional: true),
            ],
            options: [
                Option("limit", short: "l", "N", help: "How many", default: "20", environment: "SAMPLE_LIMIT"),
                Option("floor", "SCORE", help: "The least similarity"),
                Option(
                    "by", "RELATION", help: "What to compare", default: "members", environment: "SAMPLE_BY",
                    allowed: ["members", "photos"]),
                Option("table", "FILE", help: "Where to write"),
            ]),
        Command("check", summary: "Check the catalog"),
    ])

func parse(_ line: String, _ environment: [String: String] = [:]) throws(UsageError) -> ParseResult<ParsedCommand> {
    try sample.parse(line.split(separator: " ").map(String.init), environment: environment)
}

/// The command that a line runs; the line must run one.
func run(_ line: String, _ environment: [String: String] = [:]) throws(UsageError) -> ParsedCommand {
    guard case .run(let command) = try parse(line, environment) else {
        throw UsageError("\(line) runs no command")
    }
    return command
}

/// The error of a line, as it is shown.
func failure(_ line: String, _ environment: [String: String] = [:]) -> String? {
    do throws(UsageError) {
        _ = try parse(line, environment)
        return nil
    } catch {
        return error.description
    }
}

/// The error of a value, as it is shown, without the advice.
func message<Value>(_ body: () throws(UsageError) -> Value) -> String? {
    do throws(UsageError) {
        _ = try body()
        return nil
    } catch {
        return error.message
    }
}
