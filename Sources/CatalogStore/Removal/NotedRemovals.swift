package import Basics
import Changes
import Model
import SQLite

/// The latest removal of each group, user, photo and pair that a command, an import or the site removed.
///
/// Changes of daemons that are older than a removal may come later. They do not bring back what was removed; newer ones
/// do. The things are named by their external ids, because their rows are gone.
struct NotedRemovals {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Whether nothing was ever removed.
    var areNone: Bool {
        get throws(Failure) { try database.integer("SELECT EXISTS (SELECT 1 FROM noted_removals)") == 0 }
    }

    /// Notes a removal.
    ///
    /// - Parameters:
    ///   - ids: the id of a group, a user or a photo, or the two ids of a pair.
    ///   - stamp: the stamp before which changes are older than the removal, in milliseconds.
    func note(_ kind: ImportKind, _ ids: [String], stamp: Int64) throws(Failure) {
        guard kind.canComeBack else { return }
        try database.run(
            """
            INSERT INTO noted_removals VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET stamp = max(stamp, excluded.stamp)
            """, kind.name, ids[0], ids.count > 1 ? ids[1] : "", stamp)
    }

    /// Returns a member's change without what is older than the removal of the member, or of what it names.
    ///
    /// - Returns: the rest, and the number of parts that are gone; if nothing is left, the rest has no interactions.
    func filter(_ change: Change, stamp: Int64) throws(Failure) -> (kept: Change, leftOut: Int) {
        guard case .member(var member) = change else { return (change, 0) }
        let isGone = try isRemoved(.users, [member.userID], after: stamp)
        guard case .record(let interactions) = member.action else {
            guard isGone else { return (change, 0) }
            member.action = .record([])
            return (.member(member), 1)
        }
        var kept: [InteractionRecord] = []
        if !isGone {
            for interaction in interactions where try !isRemoved(interaction, by: member.userID, after: stamp) {
                kept.append(interaction)
            }
        }
        member.action = .record(kept)
        return (.member(member), interactions.count - kept.count)
    }

    /// Whether what an interaction is about, or the pair that it changes, was removed after a stamp.
    private func isRemoved(_ interaction: InteractionRecord, by user: String, after stamp: Int64)
        throws(Failure) -> Bool
    {
        let subject = interaction.subjectID
        guard let table = interaction.kind.subject?.table else { return false }
        if try isRemoved(.entities(table), [subject], after: stamp) { return true }
        guard let source = interaction.kind.pairChange?.source else { return false }
        return try isRemoved(
            .relation(source), source.rows == .users ? [user, subject] : [subject, user], after: stamp)
    }

    private func isRemoved(_ kind: ImportKind, _ ids: [String], after stamp: Int64) throws(Failure) -> Bool {
        try database.integer(
            "SELECT 1 FROM noted_removals WHERE kind = ?1 AND id = ?2 AND entry_id = ?3 AND stamp > ?4", kind.name,
            ids[0], ids.count > 1 ? ids[1] : "", stamp) != nil
    }
}

extension Interaction.Kind.Subject {
    /// The table of the things that interactions are about.
    var table: EntityTable {
        switch self {
        case .group: .groups
        case .photo: .photos
        case .user: .users
        }
    }
}

extension Facts {
    /// Returns the stamp of the latest removal, in milliseconds, or 0 if nothing was removed.
    package func latestRemovalStamp() throws(Failure) -> Int64 {
        try database.integer("SELECT max(stamp) FROM noted_removals") ?? 0
    }
}

extension ImportKind {
    /// Whether a member's change may add rows of the kind, or name them.
    fileprivate var canComeBack: Bool {
        guard case .relation(let source) = self else { return true }
        return RelationSource.changed.contains(source)
    }
}

extension NotedRemovals {
    /// The SQL condition for a note to name the member whose external id is the parameter `?1`.
    static let isAboutMember: String = {
        let naming = RelationSource.changed.flatMap { source in
            source.columns(naming: .users).map {
                "kind = '\(source.table)' AND \($0 == source.rowColumn ? "id" : "entry_id") = ?1"
            }
        }
        return (["kind = '\(EntityTable.users.rawValue)' AND id = ?1"] + naming).joined(separator: " OR ")
    }()
}
