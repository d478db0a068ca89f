import Answers
import CommandLineOptions
import Model
import ModelStore
import Similarity

/// `coterie export neighbours --by RELATION`.
enum ExportCommand: Subcommand {
    static let command = Command(
        "export", summary: "Write all neighbours of a model version as tab-separated values",
        discussion: """
            Columns: group, rank (from 1), neighbour, score, common (how many photos, say, or members). Groups stand in ascending \
            order of the bytes of their ids.

            Scores have at most 9 significant digits. Plain cosine, and a modified one whose A and G are 0, are computed afresh from \
            the counts, and all digits are right. Otherwise that would take the catalog: then a score is the stored one, of \
            single precision (a relative error below 6e-8), in as few digits as tell it from its neighbours.
            """,
        arguments: [Argument("WHAT", help: "neighbours")],
        options: [
            Option(
                "by", "RELATION", help: "What makes groups similar", allowed: Coterie.relations.map(\.name),
                isRequired: true),
            Option("output", short: "o", "FILE", help: "Where to write; standard output by default"),
            CommonOptions.version, CommonOptions.store, CommonOptions.cache, CommonOptions.json,
        ],
        examples: [
            "coterie export neighbours --by members -o members.tsv", "coterie export neighbours --by photos | head",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        guard parsed.arguments[0] == "neighbours" else {
            throw UsageError("\"\(parsed.arguments[0])\" cannot be exported; WHAT is neighbours")
        }
        let version = try parsed.loadVersion()
        var output = try Output(path: parsed.textIfGiven("output"))
        try write(Relation(rawValue: parsed.text("by")), of: version, isJSON: parsed.flag("json"), to: &output)
        try output.flush()
    }

    /// Writes all neighbours in a relation.
    static func write(_ relation: Relation, of version: LoadedVersion, isJSON: Bool, to output: inout Output) throws {
        let model = version.model
        let scores = ListedScores(relation, in: model, version.manifest)
        if !isJSON { try output.line("group\trank\tneighbour\tscore\tcommon") }
        for group in 0..<model.groupCount {
            let id = model.id(of: group)
            for (index, neighbour) in model.neighbours(of: group, by: relation).enumerated() {
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
                    try output.line("\(field(id))\t\(index + 1)\t\(field(other))\t\(score)\t\(neighbour.common)")
                }
            }
        }
    }

    /// A field as RFC 4180 quotes it, so that any id can be read back.
    static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 || $0 == UInt8(ascii: "\"") }) else {
            return text
        }
        var escaped = "\""
        for character in text.unicodeScalars {
            escaped.unicodeScalars.append(character)
            if character == "\"" { escaped.unicodeScalars.append(character) }
        }
        return escaped + "\""
    }
}
