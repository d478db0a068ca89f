import SQLite

/// A text that a tuning keeps in the catalog.
public enum TuningNote: String, Sendable, CaseIterable {
    /// The settings that were chosen.
    case settings
    /// What was tried.
    case journal
}

extension Catalog {
    /// A text that a tuning keeps; nil if there is none.
    public func tuningNote(_ note: TuningNote) throws(CatalogError) -> String? {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT content FROM tuning_notes WHERE name = ?")
            row.bind(note.rawValue, at: 1)
            return try row.step() ? row.text(0) : nil
        }
    }

    /// Keeps a text of a tuning, or removes it; memberships and everything else stay as they are.
    public func keepTuningNote(_ note: TuningNote, _ content: String?) throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in
            let statement = try database.prepare(
                content == nil
                    ? "DELETE FROM tuning_notes WHERE name = ?1"
                    : "INSERT INTO tuning_notes VALUES (?1, ?2) ON CONFLICT DO UPDATE SET content = ?2")
            statement.bind(note.rawValue, at: 1)
            if let content { statement.bind(content, at: 2) }
            try statement.run()
        }
    }
}
