import Answers
import Basics
import CatalogStore
import Changes
import CommandLine
import Model
import RecordReading

/// `coterie rename WHAT OLD NEW`, and from a file.
enum RenameCommand: Subcommand {
    private static let tables = [EntityTable.groups, .users]

    static let command = Command(
        "rename", changes: true, summary: "Give a group or a user another id, with all that belongs to it",
        discussion: """
            WHAT is group or user. Memberships, pool entries, interactions, dismissals and interests move to the new \
            id. So do the hiding and the curation of a group, and the photos of a user. If the catalog already has \
            the new id, its own data stays, and what it lacks is added. In this way a member who logs in after \
            anonymous use keeps what they did.

            The command is one transaction, and repeating it changes nothing. A renamed group is in no answer until \
            the next recompute, which uses its new id. With a store in Redis, the command tells the daemons. A change \
            counts for whoever had the id at its time. A later one under the old id counts for the new one, unless \
            something else has the old id by then.

            --from reads a file with the columns old_id and new_id. It is refused as a whole if it has another column, \
            a bad line, or an id in two renamings. Several old ids with one new id are merged. A file that merges more \
            than a tenth of all into others needs --allow-shrinking. Unknown ids are named, and the exit code is 65; \
            the others are renamed.
            """,
        arguments: [
            Argument("WHAT", help: "What to rename", allowed: tables.map(\.singular)),
            Argument("OLD", help: "The current id", isOptional: true),
            Argument("NEW", help: "The new id", isOptional: true),
        ],
        options: [
            Option("from", "FILE", help: "Read old and new ids from a file; - is standard input"),
            Option("ignore", "NAME,…", help: "Columns of the file that do not matter", isRepeating: true),
            ParsedCommand.dryRun, ParsedCommand.allowShrinking, CommonOptions.catalog,
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: [
            "coterie rename group owl-watch owls-of-the-north", "coterie rename user guest-77 laura-100",
            "coterie rename user --from renamed.csv --dry-run",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let what = parsed.arguments[0]
        let table = parsed.chosen(tables, by: \.singular)
        if let path = parsed.textIfGiven("from") { return try rename(table, from: path, parsed) }
        guard parsed.arguments.count == 3 else {
            throw UsageError("which \(what)? Give the current id and the new one, or a file with --from")
        }
        let (old, new) = (parsed.arguments[1], parsed.arguments[2])
        guard (1...255).contains(new.utf8.count) else { throw UsageError("an id has 1 to 255 bytes") }
        warn(ofDoubtful: [new])
        let isDryRun = parsed.flag("dry-run")
        let decision = isDryRun ? nil : try Decision(parsed)
        // A renaming that the catalog would refuse is not decided.
        let catalog = try parsed.openCatalog()
        let outcome = try catalog.outcome(ofRenaming: old, to: new, in: table)
        guard outcome != .unknown else {
            guard !Catalog.isBusy(catalog.path) else {
                throw Failure(
                    .tryLater,
                    "another program writes to the catalog, and does not yet have all changes: try again later")
            }
            throw Lookup.unknown(table, old, near: try catalog.idsNear(old, in: table))
        }
        if let decision {
            let now = try decision.stampMilliseconds()
            let change = RenamingChange(table == .groups ? .group : .user, from: old, to: new, atMilliseconds: now)
            try decision.record([.renaming(change)], atMilliseconds: now)
            guard try decision.apply() else { return }
        }
        let answer = RenamedThing(
            what: what, from: old, to: new, outcome: "\(outcome)", isDryRun: isDryRun, toldStore: decision?.toldStore)
        try parsed.print(answer) { output in
            let note = isDryRun ? "; dry run: nothing was changed" : ""
            try output.line(line(outcome, what, old, new) + note)
            if let line = decision?.line { try output.line(line) }
        }
    }

    /// Renames what a file names, by one decision.
    private static func rename(_ table: EntityTable, from path: String, _ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 1 else { throw UsageError("with --from, the file has the ids") }
        let rows = try NamedRows.renamings(inFile: path, ignoring: Set(parsed.names("ignore")))
        let pairs = try Self.pairs(rows, path)
        warn(ofDoubtful: pairs.map(\.new))
        let isDryRun = parsed.flag("dry-run")
        let decision = isDryRun ? nil : try Decision(parsed)
        let catalog = try parsed.openCatalog()
        var (outcomes, unknown, changes): ([RenamingChange.Outcome: Int], RemovalSummary, [Change]) = ([:], .init(), [])
        let now = try decision?.stampMilliseconds() ?? SystemClock.nowMilliseconds
        var given: Set<BytewiseString> = []
        for (old, new) in pairs {
            var outcome = try catalog.outcome(ofRenaming: old, to: new, in: table)
            // An earlier row gives its thing the same id.
            if outcome == .renamed, !given.insert(BytewiseString(new)).inserted { outcome = .merged }
            outcomes[outcome, default: 0] += 1
            guard outcome != .unknown else {
                unknown.note(unknown: [old])
                continue
            }
            let subject = table == .groups ? RenamingChange.Subject.group : .user
            changes.append(.renaming(RenamingChange(subject, from: old, to: new, atMilliseconds: now)))
        }
        if !parsed.flag("allow-shrinking") {
            try ShrinkingBound.check(merging: outcomes[.merged] ?? 0, in: table, of: catalog)
        }
        if let decision {
            try decision.record(changes, atMilliseconds: now)
            guard try decision.apply() else { return }
        }
        let counts = [(RenamingChange.Outcome.renamed, "renamed"), (.merged, "merged"), (.unchanged, "unchanged")]
            .map { "\((outcomes[$0] ?? 0).grouped) \($1)" }.joined(separator: ", ")
        let again = rows.count - pairs.count
        var output = try Output()
        try output.line(
            "\(table.rawValue): \(counts)" + (again > 0 ? "; \(again.grouped) named again" : "")
                + (isDryRun ? "; dry run: nothing was changed" : ""))
        if let line = decision?.line { try output.line(line) }
        try output.flush()
        try unknown.check(table.singular)
    }

    private static func warn(ofDoubtful ids: [String]) {
        let doubtful = ids.filter(NullWord.isDoubtfulID)
        guard let first = doubtful.min() else { return }
        printToStandardError(
            """
            warning: \(doubtful.count.grouped) of the new ids look like no value, or like numbers that a spreadsheet \
            has changed, such as "\(shown(first))"
            """)
    }

    /// Returns each renaming once.
    ///
    /// - Throws: `Failure` if the order of two renamings would matter.
    private static func pairs(_ rows: [[String]], _ path: String) throws(Failure) -> [(old: String, new: String)] {
        var newIDs: [BytewiseString: String] = [:]
        var pairs: [(old: String, new: String)] = []
        for row in rows {
            let known = newIDs.updateValue(row[1], forKey: BytewiseString(row[0]))
            guard let known else {
                pairs.append((row[0], row[1]))
                continue
            }
            guard known.hasSameBytes(as: row[1]) else { throw ambiguous(row[0], path) }
        }
        for pair in pairs where newIDs[BytewiseString(pair.new)] != nil && !pair.old.hasSameBytes(as: pair.new) {
            throw ambiguous(pair.new, path)
        }
        return pairs
    }

    private static func ambiguous(_ id: String, _ path: String) -> Failure {
        Failure(
            .badData,
            "\(path): \(id) is in two renamings, whose order matters: put the later one into a file of its own")
    }

    private static func line(_ outcome: RenamingChange.Outcome, _ what: String, _ old: String, _ new: String) -> String
    {
        switch outcome {
        case .renamed: "\(what) \(old) is \(new) now"
        case .merged: "\(what) \(new) has all that \(old) had, which is gone"
        case .unchanged, .unknown: "there is no \(what) \(old): nothing to move to \(new)"
        }
    }
}

/// The outcome of a renaming: `coterie rename`.
private struct RenamedThing: Answer {
    let what, from, to, outcome: String
    let isDryRun: Bool
    let toldStore: String?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("what", \.what, "The kind of thing")
        fields.always("from", \.from, "The old id")
        fields.always("to", \.to, "The new id")
        fields.always("outcome", \.outcome, "Whether it was renamed, merged into another or left as it is")
        fields.always("isDryRun", \.isDryRun, "Whether nothing was changed")
        fields.sometimes("toldStore", \.toldStore, "The store whose daemons were told")
    }
}
