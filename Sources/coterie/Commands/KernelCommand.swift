import Answers
import CatalogStore
import CommandLine
import Basics
import Model
import Recompute

/// `coterie kernel SEARCH`.
enum KernelCommand: Subcommand {
    static let command = Command(
        "kernel", summary: "Find the neighbours of some groups: a part of a shared recompute",
        discussion: """
            "coterie recompute --share FOLDER" prepares a search in a file, names the parts of the work, and waits. \
            Run this command once for each part, in any order, on any machine that can reach the folder. Running a \
            part again changes nothing. All runs on a machine share one copy of the file in memory, as it is mapped.

            Groups are numbered by size, the largest first. The command reads the whole file once for every \
            --rows-at-once groups. If the machine's memory cannot hold the file, a greater number reads it less often. \
            Each of these groups takes about 10 KB with 100 neighbours.
            """,
        arguments: [Argument("SEARCH", help: "The file of the prepared search")],
        options: [
            Option("rows", "FIRST-END", help: "The groups: from the first (inclusive) to the end (exclusive)"),
            Option("output", short: "o", "FILE", help: "The file to write", isOutput: true),
            Option("rows-at-once", "N", help: "Groups per pass over the search file", default: "256"),
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
        printToStandardError("\(count.grouped) groups compared")
    }
}

/// `coterie clean KIND`.
enum CleanCommand: Subcommand {
    fileprivate static let kinds = ImportKind.all(of: Coterie.relations)

    static let command = Command(
        "clean", summary: "Check records as an import does, and write them in one form",
        discussion: """
            For programs that fill tables without a catalog, such as Jobs/spark/recompute.py. Reads records from \
            standard input, in any format that "coterie import" reads. Writes rows to standard output, their columns \
            separated by tabs: the columns of the kind, with times in seconds since 1970, and two numbers. The first \
            number says which of these columns the record has, as a sum of powers of two (1 for the first column). The \
            second is the line of the input at which the record begins. Records that an import would reject are left \
            out, and are written with their reasons to the files of --rejects, as an import does. A line of JSON on \
            standard error says how many there were, and why.
            """,
        arguments: [Argument("KIND", help: "The kind of records", allowed: kinds.map(\.name), isOptional: true)],
        options: [
            Option(flag: "kinds", help: "Write the columns of all kinds, and the relations, as JSON"),
            Option(
                "timezone", "ZONE", help: "The zone of times without one: +02:00, Europe/Berlin", default: "UTC"),
            Option(
                "ignore", "NAME,…", help: "Columns that do not tell another kind of file", isRepeating: true),
            Option("rejects", "FILE", help: "The file for rejected lines (default: none)", isOutput: true),
        ],
        examples: ["coterie clean memberships <memberships.csv >clean.tsv"])

    static func run(_ parsed: ParsedCommand) throws {
        guard !parsed.flag("kinds") else {
            var output = try Output()
            try output.json(CleanedKinds())
            return try output.flush()
        }
        guard !parsed.arguments.isEmpty else { throw UsageError("which KIND? Give one, or --kinds") }
        let cleaner = RecordCleaner(
            parsed.chosen(kinds, by: \.name), zone: try parsed.clockZone("timezone"), relations: Coterie.relations,
            ignoring: Set(parsed.names("ignore")))
        let summary = try cleaner.clean("-", rejectsPath: parsed.textIfGiven("rejects")) { rows throws(Failure) in
            guard Descriptor.write(rows, to: 1) else {
                throw Failure(.fileFailed, "cannot write to standard output")
            }
        }
        printToStandardError(String(decoding: try JSON.encoded(summary), as: UTF8.self))
    }
}

/// All that a program needs to know about kinds: `coterie clean --kinds`.
private struct CleanedKinds: Answer {
    /// A relation between two tables.
    struct Relation: Answer {
        let source: RelationSource

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("rows", \.source.rows.rawValue, "The table of the rows: groups or users")
            fields.always("entries", \.source.entries.rawValue, "The table of the entries: users or photos")
            fields.always("timeColumn", \.source.timeColumn, "The column of times")
            fields.sometimes(
                "answerColumn", \.source.answerColumn,
                "The column of the entry that is answered; a pair may then occur at several times")
            fields.always(
                "isRequired", { Coterie.relations.isRequired($0.source) },
                "Whether the tables are there without any entry")
        }
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always(
            "columns", { _ in Dictionary(uniqueKeysWithValues: CleanCommand.kinds.map { ($0.name, $0.columnNames) }) },
            "The columns of each kind")
        fields.always(
            "relations",
            { _ in
                Dictionary(uniqueKeysWithValues: Coterie.relations.sources.map { ($0.table, Relation(source: $0)) })
            }, "The relations, by the names of their tables")
    }
}
