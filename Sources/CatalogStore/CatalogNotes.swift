package import Basics
package import Model
import SQLite

extension Catalog {
    /// Returns all curated groups by position, including those that have not started or have expired.
    package func curations() throws(Failure) -> [Curation] {
        let rows = try database.prepare(
            """
            SELECT group_id, \(CatalogSchema.isShown), position, starts_at, expires_at
            FROM curated_groups JOIN groups USING (group_key) ORDER BY position, group_id
            """)
        var curations: [Curation] = []
        while try rows.step() {
            curations.append(
                Curation(
                    groupID: rows.text(0), isShown: rows.integer(1) != 0,
                    position: Int(rows.integer(2)), startsAt: rows.time(3), expiresAt: rows.time(4)))
        }
        return curations
    }

    /// Returns the external ids of all groups that are private or hidden, ascending.
    ///
    /// A group with unknown visibility counts as private.
    ///
    /// - Parameter withHidden: whether hidden groups are meant, too.
    package func unshownGroupIDs(withHidden: Bool = true) throws(Failure) -> [String] {
        try database.prepare(
            """
            SELECT group_id FROM groups WHERE visibility <> 0 UNION
            SELECT group_id FROM hidden_groups JOIN groups USING (group_key) WHERE \(withHidden) ORDER BY group_id
            """
        ).texts()
    }

    /// Returns all hidden groups, in ascending order of the bytes of their external ids.
    package func hiddenGroups() throws(Failure) -> [HiddenGroup] {
        let rows = try database.prepare(
            "SELECT group_id, hidden_at FROM hidden_groups JOIN groups USING (group_key) ORDER BY group_id")
        var groups: [HiddenGroup] = []
        while try rows.step() {
            groups.append(HiddenGroup(id: rows.text(0), hiddenAtMilliseconds: rows.milliseconds(1)))
        }
        return groups
    }
}

/// The texts that a tuning stores in the catalog.
package enum TuningNote: String, Sendable, CaseIterable {
    /// The chosen settings.
    case settings
    /// The settings that were tried.
    case journal
}

extension Catalog {
    /// Returns a text of a tuning, or `nil` if there is none.
    package func tuningNote(_ note: TuningNote) throws(Failure) -> String? {
        let row = try database.prepare("SELECT content FROM tuning_notes WHERE name = ?")
        row.bind(note.rawValue, at: 1)
        return try row.step() ? row.text(0) : nil
    }

    /// Stores a text of a tuning, or removes it if `content` is `nil`.
    ///
    /// Everything else in the catalog stays as it is, including its change count.
    package func keepTuningNote(_ note: TuningNote, _ content: String?) throws(Failure) {
        let statement = try database.prepare(
            content == nil
                ? "DELETE FROM tuning_notes WHERE name = ?1"
                : "INSERT INTO tuning_notes VALUES (?1, ?2) ON CONFLICT DO UPDATE SET content = ?2")
        statement.bind(note.rawValue, at: 1)
        if let content { statement.bind(content, at: 2) }
        try statement.run()
    }
}
