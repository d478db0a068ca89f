import Basics
import Answers
import CatalogStore
import CommandLine
import Model
import ModelStore
import Service
import Similarity

/// `coterie export neighbours --by RELATION`, and of recommendations, tables, or one member.
enum ExportCommand: Subcommand {
    static let command = Command(
        "export",
        summary: "Write all neighbours, the lists of many members, the catalog's tables, or all about a member",
        discussion: """
            Rows are tab-separated, and quoted as in RFC 4180 where an id needs it; with --json, one JSON object a line.

            neighbours has the columns group, rank (from 1), neighbour, score and common (the number of common photos \
            or members). Groups are sorted by the bytes of their ids, ascending.

            Scores have at most 9 significant digits. With plain cosine, and with a modified cosine whose \
            --degree-discount and --list-power are 0, they are recomputed from the counts, and all digits are exact. \
            Otherwise the score stored in the version is written, which has single precision (a relative error below \
            6e-8).

            recommendations has the columns user, rank, group, score, origin and, with --reasons, the joined groups \
            that led to the group. Users are those of the catalog, or of --users, sorted by the bytes of their ids. \
            Members who have paused the list are left out and counted. The work uses all processors. With --output, a \
            command that was killed resumes when it is run again; until it is done, the file is called FILE.partial.

            Only the owner of a written file can read it.

            tables writes entries, users and public photos of the catalog into the folder --output. From this folder, \
            "coterie recompute --tables" makes the same version as from the catalog.

            member writes all that is kept of the member ID, as JSON Lines, each with its place. The places are the \
            catalog, journals and lists of sessions on this machine, streams, and published versions. It does not look \
            into backups, logs, tapes and files of rejected lines.
            """,
        arguments: [
            Argument("WHAT", help: "What to write", allowed: ["neighbours", "recommendations", "tables", "member"]),
            Argument("ID", help: "member: the member's id", isOptional: true),
        ],
        options: [
            Option(
                "by", "RELATION", help: "neighbours: the relation by which groups are similar",
                allowed: Coterie.relations.map(\.name)),
            Option("users", "FILE", help: "recommendations: only of these users, one id a line; - is standard input"),
            Option("limit", short: "n", "N", help: "recommendations: the maximum of groups per member", default: "20"),
            Option(flag: "reasons", help: "recommendations: also write the joined groups that led to each one"),
            Option(
                "output", short: "o", "FILE", help: "The file to write (default: standard output), or the folder",
                isOutput: true),
            Option(
                "rows-per-file", "N", help: "tables: the maximum number of rows in a file", default: "8000000",
                type: .integer(1...1 << 30)),
            ParsedCommand.journals, ParsedCommand.sessionsOption,
        ] + PlanOptions.all + CommonOptions.readingOptions + [CommonOptions.threads, CommonOptions.json],
        examples: [
            "coterie export neighbours --by members -o members.tsv", "coterie export neighbours --by photos | head",
            "coterie export recommendations --limit 10 -o lists.tsv", "coterie export tables -o tables",
            "coterie export member laura-100 -o laura-100.jsonl",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 1 || parsed.arguments[0] == "member" else {
            throw UsageError("only \"export member\" takes an id")
        }
        switch parsed.arguments[0] {
        case "member": try MemberExport.write(parsed)
        case "neighbours": try neighbours(parsed)
        case "recommendations":
            guard parsed.textIfGiven("by") == nil else { throw UsageError("--by is for \"export neighbours\"") }
            var export = try ListExport(parsed)
            try export.run()
        default: try tables(parsed)
        }
    }

    private static func tables(_ parsed: ParsedCommand) throws {
        guard let folder = parsed.textIfGiven("output") else { throw UsageError("\"export tables\" needs --output") }
        let snapshot = try Matrices(of: parsed.openCatalog(), threads: 1)
        let counts = try snapshot.exportTables(
            to: folder, relations: Coterie.relations, rowsPerPart: try parsed.integer("rows-per-file"))
        var output = try Output()
        for count in counts { try output.line("\(count.table): \(count.rows.grouped) rows") }
        try output.flush()
    }

    private static func neighbours(_ parsed: ParsedCommand) throws {
        guard let relation = parsed.textIfGiven("by") else {
            let names = Coterie.relations.map(\.name).joined(separator: ", ")
            throw UsageError("\"export neighbours\" needs --by, one of \(names)")
        }
        let site = try Site(parsed)
        var output = try Output(path: parsed.textIfGiven("output"))
        try write(Relation(rawValue: relation), of: site.version, site.model, isJSON: parsed.flag("json"), to: &output)
        try output.flush()
    }

    /// Writes all neighbours of all groups in a relation, without groups that are not shown any more.
    static func write(
        _ relation: Relation, of version: LoadedVersion, _ shown: VisibleModel, isJSON: Bool, to output: inout Output
    ) throws {
        let model = version.model
        let scores = ListedScores(relation, in: model, version.manifest)
        if !isJSON { try output.write("group\trank\tneighbour\tscore\tcommon\n") }
        for group in 0..<model.groupCount where shown.shows(UInt32(group)) {
            let id = model.id(of: group)
            let neighbours = model.neighbours(of: group, by: relation).lazy.filter { shown.shows($0.index) }
            for (index, neighbour) in neighbours.enumerated() {
                let score = Formats.significant(scores.score(of: neighbour, to: group), 9)
                let other = model.id(of: Int(neighbour.index))
                if isJSON {
                    let line = JSONWriter.object { json in
                        json.member("group", id)
                        json.member("rank", index + 1)
                        json.member("neighbour", other)
                        json.member("score", Double(score) ?? 0)
                        json.member("common", neighbour.common)
                    }
                    try output.write(line + [UInt8(ascii: "\n")])
                } else {
                    try output.write(
                        TabSeparated.line([id, String(index + 1), other, score, String(neighbour.common)]))
                }
            }
        }
    }
}
