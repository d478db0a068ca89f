import CatalogStore
import CommandLine
import RecordReading

/// `coterie delete WHAT ID…`.
enum DeleteCommand: Subcommand {
    private static let kinds = ImportKind.all(of: Coterie.relations)
    private static var names: [String] { kinds.map { String($0.name.dropLast()) } }

    static let command = Command(
        "delete", summary: "Remove groups, users, photos, or pairs such as memberships",
        discussion: """
            WHAT is \(names.joined(separator: ", ")). A group, user or photo is removed with all pairs that name it, \
            such as memberships. A user is also removed with their interactions, and their photos stay without an \
            owner. A pair is named by two ids: of group and member, group and photo, member and photo, or member and \
            followed member.

            Everything is removed in one transaction. Ids that the catalog does not have are listed, and the exit code \
            is 65; the others are removed all the same. A daemon that has the catalog notices within half a second. \
            Other daemons notice with the next version, or at once if an administrator removes the same over HTTP. A \
            later import can bring back what was removed; "coterie forget" keeps a member away.
            """,
        arguments: [
            Argument("WHAT", help: names.joined(separator: ", ")),
            Argument("ID", help: "Ids; for pairs such as memberships, two each", isOptional: true, isRepeating: true),
        ],
        options: [
            Option(
                "from", "FILE", help: "Read ids from a file with the columns of an import; - is standard input",
                isRepeating: true),
            CommonOptions.catalog, CommonOptions.json,
        ],
        examples: [
            "coterie delete photo p-17 p-18", "coterie delete membership owl-watch laura-100",
            "coterie delete user --from gone.csv", "coterie delete favourite laura-100 p-17",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let what = parsed.arguments[0]
        guard let kind = zip(names, kinds).first(where: { $0.0 == what })?.1 else {
            let near = nearest(to: what, among: names, limit: 1)
            throw UsageError(
                "\"\(what)\" cannot be deleted; WHAT is one of \(names.joined(separator: ", "))",
                advice: near.map { "did you mean \($0)?" })
        }
        let ids = Array(parsed.arguments.dropFirst())
        let files = parsed.texts("from")
        let width = Remover.idCount(of: kind)
        guard !ids.isEmpty || !files.isEmpty else {
            throw UsageError("which \(what)? Give ids, or a file with --from")
        }
        guard ids.count % width == 0 else {
            throw UsageError("a \(what) is named by \(width) ids, and \(ids.count) were given")
        }
        let rows = stride(from: 0, to: ids.count, by: width).map { Array(ids[$0..<$0 + width]) }
        let catalog = try Catalog(path: parsed.text("catalog"), mode: .recording, relations: Coterie.relations)
        let summary = try Remover(from: catalog, kind: kind).remove(rows, files: files)
        if kind == .photos { _ = try catalog.eraseRemovedVectors(leaving: 0.1) }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: Answer(kind: kind.name, summary))
        } else {
            try output.line(Self.line(kind, summary))
        }
        try output.flush()
        guard summary.unknownCount == 0 else {
            let named = summary.unknown.prefix(5).map { "\"\(printable($0))\"" }.joined(separator: ", ")
            let more = summary.unknownCount > 5 ? " and \(summary.unknownCount - 5) more" : ""
            throw Failure(Failure.badData, "the catalog has no \(what) \(named)\(more)")
        }
    }

    private static func line(_ kind: ImportKind, _ summary: RemovalSummary) -> String {
        let others = summary.others.sorted { $0.key < $1.key }.map { table, count in
            table == "photos" && kind == .users
                ? "\(Formats.grouped(count)) photos have no owner now" : "\(Formats.grouped(count)) \(table)"
        }
        let count = "\(Formats.grouped(summary.removed)) \(kind.name) removed"
        return others.isEmpty ? count : "\(count); with them \(others.joined(separator: ", "))"
    }

    private struct Answer: Encodable {
        var kind: String
        var removed, unknown: Int
        var others: [String: Int]
        var unknownIds: [String]

        init(kind: String, _ summary: RemovalSummary) {
            self.kind = kind
            removed = summary.removed
            unknown = summary.unknownCount
            others = summary.others
            unknownIds = summary.unknown
        }
    }
}
