import Basics
import Model
import SQLite

/// Two ids that are likely to mean the same group.
private struct LikelyRename {
    var old, new: String

    var command: String { "coterie rename group \(ShellWords.ids(old, new))" }
}

extension Importer {
    /// Refuses, in a replacing import, to lose decisions about a group that seems to have a new id.
    ///
    /// - Throws: `Failure` with the code `badData`.
    func checkRenames() throws(Failure) {
        guard !options.allowsRenames else { return }
        let renames = try likelyRenames(
            """
            SELECT group_key FROM hidden_groups UNION SELECT group_key FROM curated_groups
            UNION SELECT group_key FROM interactions WHERE kind = \(Interaction.Kind.dismiss.number)
            """)
        guard !renames.isEmpty else { return }
        throw Failure(
            .badData,
            """
            \(renames.count) groups that the files do not have look renamed, and what was decided about them would be \
            lost (hidden, curated, dismissed): nothing was changed. Run first: \(Self.commands(renames)). If they are \
            others, add --allow-renames
            """)
    }

    /// Looks, in an import that replaces nothing, for hidden groups that come back under a new id.
    ///
    /// If the files have most groups, they are all groups, and the old id is gone: the import is refused. Otherwise the
    /// files may be a few new groups, among them one that happens to have the same title: that is a finding.
    ///
    /// - Throws: `Failure` with the code `badData`.
    func checkReturns() throws(Failure) {
        guard !options.allowsRenames, case .entities(let writer, _) = writer else { return }
        let (renames, count) = (
            try likelyRenames("SELECT group_key FROM hidden_groups"),
            Int(try catalog.database.integer("SELECT count(*) FROM groups") ?? 0)
        )
        guard !renames.isEmpty else { return }
        guard writer.seenCount * 2 <= count else {
            let groups = renames.count == 1 ? "1 hidden group looks" : "\(renames.count) hidden groups look"
            throw Failure(
                .badData,
                """
                \(groups) renamed, and would be shown under the new id: nothing was changed. Run first: \
                \(Self.commands(renames)). If they are others, add --allow-renames
                """)
        }
        findings.note(.likelyReturns, renames.count, of: Self.commands(renames))
    }

    private static func commands(_ renames: [LikelyRename]) -> String {
        let more = renames.count > 3 ? "; and \(renames.count - 3) more" : ""
        return renames.prefix(3).map(\.command).joined(separator: "; ") + more
    }

    /// Returns some groups that the files lack, each with a likely new id.
    ///
    /// The other group is in the files and has the same title. In addition, it is new and has no members yet, or it has
    /// more than half of the old group's members.
    private func likelyRenames(_ keys: String) throws(Failure) -> [LikelyRename] {
        let rows = try catalog.database.prepare(
            """
            SELECT old.group_key, old.group_id, new.group_key, new.group_id FROM groups AS old
            JOIN groups AS new ON new.title = old.title AND new.group_key <> old.group_key
            WHERE old.title <> '' AND old.group_key IN (\(keys))
            ORDER BY old.group_id, new.group_key
            """)
        var found: [LikelyRename] = []
        while try rows.step() {
            let (old, new) = (rows.integer(0), rows.integer(2))
            guard found.last?.old != rows.text(1), !wasSeen(old), wasSeen(new), try looksRenamed(old, new) else {
                continue
            }
            found.append(LikelyRename(old: rows.text(1), new: rows.text(3)))
        }
        return found
    }

    private func looksRenamed(_ old: Int64, _ new: Int64) throws(Failure) -> Bool {
        let members = "SELECT count(*) FROM memberships WHERE group_key = ?"
        if new > start.highestKey, try catalog.database.integer(members, new) == 0 { return true }
        let common = try catalog.database.integer(
            "\(members) AND user_key IN (SELECT user_key FROM memberships WHERE group_key = \(new))", old)
        return 2 * (common ?? 0) > (try catalog.database.integer(members, old) ?? 0)
    }
}
