import Basics
import CatalogStore
import Changes
import CommandLine

/// `coterie rename WHAT OLD NEW`.
enum RenameCommand: Subcommand {
    static let command = Command(
        "rename", summary: "Give a group or a user another id, with all that belongs to it",
        discussion: """
            WHAT is group or user. Memberships, pool entries, interactions, dismissals and interests move to the new \
            id. So do the hiding and the curation of a group, and the photos of a user. If the catalog already has \
            the new id, its own data stays, and what it lacks is added. In this way a member who logs in after \
            anonymous use keeps what they did.

            The command is one transaction, and repeating it changes nothing. A renamed group is in no answer until \
            the next recompute, which uses its new id. With a store in Redis, the command tells the daemons. A change \
            counts for whoever had the id at its time. A later one under the old id counts for the new one, unless \
            something else has the old id by then.
            """,
        arguments: [
            Argument("WHAT", help: "group or user"), Argument("OLD", help: "The current id"),
            Argument("NEW", help: "The new id"),
        ],
        options: [ParsedCommand.dryRun, CommonOptions.catalog] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: ["coterie rename group owl-watch owls-of-the-north", "coterie rename user guest-77 laura-100"])

    static func run(_ parsed: ParsedCommand) throws {
        let (what, old, new) = (parsed.arguments[0], parsed.arguments[1], parsed.arguments[2])
        guard let table = [EntityTable.groups, .users].first(where: { $0.singular == what }) else {
            throw UsageError("\"\(what)\" cannot be renamed; WHAT is group or user")
        }
        guard (1...255).contains(new.utf8.count) else { throw UsageError("an id has 1 to 255 bytes") }
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
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                document: Answer(
                    what: what, from: old, to: new, outcome: "\(outcome)", isDryRun: isDryRun,
                    toldStore: decision?.toldStore
                ))
        } else {
            let note = isDryRun ? "; dry run: nothing was changed" : ""
            try output.line(printable(line(outcome, what, old, new) + note))
            if let line = decision?.line { try output.line(line) }
        }
        try output.flush()
    }

    private static func line(_ outcome: RenamingChange.Outcome, _ what: String, _ old: String, _ new: String) -> String
    {
        switch outcome {
        case .renamed: "\(what) \(old) is \(new) now"
        case .merged: "\(what) \(new) has all that \(old) had, which is gone"
        case .unchanged, .unknown: "there is no \(what) \(old): nothing to move to \(new)"
        }
    }

    private struct Answer: Encodable {
        var what, from, to, outcome: String
        var isDryRun: Bool
        var toldStore: String?
    }
}
