import CommandLineOptions
import Recompute
import Similarity
import SimilarityOptions

/// `coterie kernel SEARCH`.
enum KernelCommand: Subcommand {
    static let command = Command(
        "kernel", summary: "Find the neighbours of some groups: a part of a shared recompute",
        discussion: """
            "coterie recompute --share FOLDER" prepares a search in a file, names the parts of the work, and waits. \
            Each part is a run of this command, on any machine that can reach the folder, in any order; doing one \
            again changes nothing. The file is mapped, so that all runs on a machine share one copy in memory.

            Groups are numbered by size, the largest first. For every --rows-at-once of them the whole file is read \
            once: if the machine's memory cannot hold it, a greater number reads it less often. Each takes about 10 KB \
            with 100 neighbours.
            """,
        arguments: [Argument("SEARCH", help: "The file of the prepared search")],
        options: [
            Option("rows", "FIRST-END", help: "The groups: from the first up to, but without, the end"),
            Option("output", short: "o", "FILE", help: "The file to write"),
            Option("rows-at-once", "N", help: "For so many groups the search is read once", default: "256"),
            CommonOptions.threads, ProcessorPathOption.option,
        ],
        examples: ["coterie kernel work/members.search --rows 0-5000 --output work/0.pairs"])

    static func run(_ parsed: ParsedCommand) throws {
        guard let output = parsed.textIfGiven("output"), let rows = parsed.textIfGiven("rows") else {
            throw UsageError("which groups, and where to? Give --rows and --output")
        }
        let bounds = rows.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard bounds.count == 2, let first = bounds[0], let end = bounds[1], first >= 0, first <= end else {
            throw parsed.badValue(rows, of: "rows", expected: "two numbers such as 0-5000, the first not above the end")
        }
        let count = try PairFile.write(
            parsed.arguments[0], rows: first..<end, to: output, threads: try parsed.threadCount(),
            path: try ProcessorPathOption.path(of: parsed),
            rowsAtOnce: try parsed.integer("rows-at-once", in: 1...1 << 24))
        complain("\(Formats.grouped(count)) groups compared")
    }
}
