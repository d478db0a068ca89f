import Answers
import Basics
import CatalogStore
import Changes
import CommandLine
import Model
import RecordReading

/// `coterie delete WHAT ID…`.
enum DeleteCommand: Subcommand {
    private static let kinds = ImportKind.all(of: Coterie.relations)
    private static var names: [String] { kinds.map { String($0.name.dropLast()) } }

    static let command = Command(
        "delete", changes: true, summary: "Remove groups, users, photos, or pairs such as memberships",
        discussion: """
            WHAT is \(names.joined(separator: ", ")). A group, user or photo is removed with all pairs that name it, \
            such as memberships. A user is also removed with their interactions, and their photos stay without an \
            owner. A pair is named by two ids: of group and member, group and photo, member and photo, or member and \
            followed member.

            The removal is recorded first, as one decision, and then applied to the catalog, so that nothing that dies \
            meanwhile leaves it half-done. Ids that the catalog does not have are listed, and the exit code is 65; the others are removed all the same. A file needs a header and a row at least. It is refused \
            if it looks like one of another kind, has a bad line, or seems to be cut off. Files that would remove more \
            than a tenth of all need --allow-shrinking. --dry-run says what would go.

            A daemon beside the catalog notices within half a second. With a store in Redis the command tells the \
            daemons that share it. Within about a second they leave out removed groups, memberships and photos, and a \
            user is new to them. They know of other removed pairs with the next version. The lists of a user's \
            sessions go, too.

            What daemons recorded before does not bring back what was removed; later imports and actions of members \
            do. "coterie forget" keeps a member away.
            """,
        arguments: [
            Argument("WHAT", help: "What to remove", allowed: names),
            Argument("ID", help: "Ids; for pairs such as memberships, two each", isOptional: true, isRepeating: true),
        ],
        options: [
            Option(
                "from", "FILE", help: "Read ids from a file with the columns of an import; - is standard input",
                isRepeating: true),
            Option(
                "ignore", "NAME,…", help: "Columns of the files that do not tell another kind of file",
                isRepeating: true),
            ParsedCommand.dryRun, ParsedCommand.allowShrinking, CommonOptions.catalog, ParsedCommand.sessionsOption,
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: [
            "coterie delete photo p-17 p-18", "coterie delete membership owl-watch laura-100",
            "coterie delete user --from gone.csv", "coterie delete favourite laura-100 p-17",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let what = parsed.arguments[0]
        let kind = parsed.chosen(kinds) { String($0.name.dropLast()) }
        let ids = Array(parsed.arguments.dropFirst())
        let files = parsed.texts("from")
        let width = kind.idCount
        guard !ids.isEmpty || !files.isEmpty else {
            throw UsageError("which \(what)? Give ids, or a file with --from")
        }
        guard ids.count % width == 0 else {
            throw UsageError("a \(what) is named by \(width) ids, and \(ids.count) were given")
        }
        let catalog = try Catalog(path: parsed.text("catalog"), mode: .recording, relations: Coterie.relations)
        let rows =
            try stride(from: 0, to: ids.count, by: width).map { Array(ids[$0..<$0 + width]) }
            + NamedRows.rows(
                of: kind, Coterie.relations, inFiles: files, ignoring: Set(parsed.names("ignore")))
        let options = parsed.removalOptions(fromFiles: !files.isEmpty)
        if options.isDryRun { return try report(kind, catalog.removal.remove(kind, rows, options), parsed, nil) }
        let decision = try Decision(parsed)
        let stamp = try decision.stampMilliseconds()
        // Nothing is told of a member who was forgotten.
        let named = try catalog.removal.named(kind, rows)
        // Daemons may have changes under an id from which a member was renamed.
        let users =
            kind == .users ? try named.map { $0[0] } + catalog.facts.earlierIDs(ofUsers: named.map { $0[0] }) : []
        let subjects = (kind == .users ? users.map { [$0] } : named).compactMap { Self.subject(kind, $0) }
        // Daemons do not know pairs that begin with a user, so there is nothing to decide about these.
        let removed =
            subjects.isEmpty
            ? try catalog.removal.remove(kind, rows, options, stamp: stamp)
            : try decision.remove(subjects, options, at: stamp) { trial throws(Failure) in
                try catalog.removal.remove(kind, rows, trial, stamp: stamp)
            }
        guard let summary = removed else { return }
        if kind == .photos { _ = try catalog.removal.eraseVectors(leaving: 0.1) }
        _ = try parsed.forgetSessions(ofUsers: users)
        try report(kind, summary, parsed, decision)
    }

    private static func report(
        _ kind: ImportKind, _ summary: RemovalSummary, _ parsed: ParsedCommand, _ told: Decision?
    ) throws {
        let isDryRun = parsed.flag("dry-run")
        let answer = RemovedThings(kind: kind.name, isDryRun: isDryRun, summary: summary, toldStore: told?.toldStore)
        try parsed.print(answer) { output in
            try output.line(Self.line(kind, summary) + (isDryRun ? "; dry run: nothing was changed" : ""))
            for line in [told?.line, told?.unerased].compactMap(\.self) { try output.line(line) }
        }
        try summary.check(String(kind.name.dropLast()))
    }

    /// Returns the subject of a removal that daemons know; nil for pairs that begin with a user, as favourites do.
    private static func subject(_ kind: ImportKind, _ ids: [String]) -> RemovalChange.Subject? {
        switch kind {
        case .entities(.groups): return .group(ids[0])
        case .entities(.users): return .account(ids[0])
        case .entities(.photos): return .photo(ids[0])
        case .relation(let source):
            guard source.rows == .groups else { return nil }
            switch source.entries {
            case .users: return .user(ids[1], ofGroup: ids[0], table: source.table)
            case .photos: return .pooled(ids[1], ofGroup: ids[0], table: source.table)
            }
        }
    }

    private static func line(_ kind: ImportKind, _ summary: RemovalSummary) -> String {
        let others = summary.others.sorted { $0.key < $1.key }.map { table, count in
            table == "photos" && kind == .users
                ? "\(count.grouped) photos have no owner now" : "\(count.grouped) \(table)"
        }
        let count = "\(summary.removed.grouped) \(kind.name) removed"
        let again = summary.repeatedCount > 0 ? "; \(summary.repeatedCount.grouped) named again" : ""
        return others.isEmpty ? count + again : "\(count); with them \(others.joined(separator: ", "))\(again)"
    }
}

/// The outcome of a deletion: `coterie delete`.
private struct RemovedThings: Answer {
    let kind: String
    let isDryRun: Bool
    let summary: RemovalSummary
    let toldStore: String?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("kind", \.kind, "The kind of things")
        fields.always("isDryRun", \.isDryRun, "Whether nothing was changed")
        fields.always("removed", \.summary.removed, "How many were removed")
        fields.always("others", \.summary.others, "What went with them, by the name of its table")
        fields.always("repeated", \.summary.repeatedCount, "How many ids were named again")
        fields.always("unknown", \.summary.unknownCount, "How many ids are unknown")
        fields.always("unknownIds", \.summary.unknown, "The first of these ids")
        fields.sometimes("toldStore", \.toldStore, "The store whose daemons were told")
    }
}
