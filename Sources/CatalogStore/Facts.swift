package import Basics
package import Changes
package import Model
import SQLite

/// The facts of a catalog, which can be read here and not written.
///
/// A connection belongs to one thread at a time. Daemons have this part of a catalog only. Members, photos and what
/// members tell are in files of their own. A greater question is an initializer of its answer, such as
/// `CatalogStatistics(of:)`.
package struct Facts {
    let database: ReadingDatabase
    /// The relations whose tables the catalog has.
    let relations: RelationTable
    /// The identity of the file when it was opened, or nil if it has no path.
    private let identity: FileIdentity?
    /// The state of the files just before they were opened, or nil unless the connection takes them as unchanging.
    private let frozenState: [FileStamp?]?

    init(_ database: Database, _ relations: RelationTable, stateBefore: [FileStamp?]) {
        self.database = database.reading
        self.relations = relations
        identity = FileIdentity(path: database.path)
        frozenState = database.mode == .immutable ? stateBefore : nil
    }

    /// Opens a catalog for reading; it must have this program's schema version and the tables of the relations.
    ///
    /// - Throws: `Failure.Code.missing` if there is no catalog, `.otherFormat` if the file is something else, or of
    ///   another program.
    package init(path: String, relations: RelationTable = .standard) throws(Failure) {
        self = try Catalog(path: path, mode: .trying, relations: relations).facts
    }

    package var path: String { database.path }

    package var schemaVersion: Int { CatalogSchema.version }

    /// Runs `body` in one read transaction.
    package func snapshot<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try database.snapshot(body)
    }

    /// Returns a number that grows with every change; equal numbers mean equal content, except for interactions.
    package func changeCount() throws(Failure) -> Int64 {
        try database.integer("SELECT value FROM catalog_state WHERE name = 'changes'") ?? 0
    }

    /// Returns the number of imports and renamings that changed what lists take from members.
    package func memberChanges() throws(Failure) -> Int64 {
        try database.integer("SELECT value FROM catalog_state WHERE name = 'member_changes'") ?? 0
    }

    /// Returns a number that changes when another connection writes to the catalog, interactions included.
    ///
    /// The other connection may be in this process or another one.
    package func outsideRevision() throws(Failure) -> Int64 {
        try database.outsideRevision()
    }

    /// Whether somebody has written to the file since this connection took it as one that does not change.
    ///
    /// Such a connection may show what was hidden meanwhile. A new one sees the changes.
    package var isOutdated: Bool {
        guard let frozenState else { return false }
        return FileStamp.ofCatalog(Catalog.file(of: path)) != frozenState
    }

    /// The reason why nothing must be written any more, or nil.
    ///
    /// If the file was removed, or if another file took its place, nobody will ever see what is written to it. If the
    /// new file meets the old log, it is damaged as well.
    package var replacement: String? {
        guard let identity, FileIdentity(path: database.path) != identity else { return nil }
        return """
            the catalog \(database.path) was removed, or another file took its place, while this program was using it: \
            restart the program
            """
    }

    /// Returns a text of a tuning, or `nil` if there is none.
    package func tuningNote(_ note: TuningNote) throws(Failure) -> String? {
        let row = try database.prepare("SELECT content FROM tuning_notes WHERE name = ?", note.rawValue)
        return try row.step() ? row.text(0) : nil
    }

    /// Returns the changes of journals that were applied so far.
    package func appliedChanges() throws(Failure) -> AppliedChanges {
        var sequences: [String: Int64] = [:]
        let rows = try database.prepare("SELECT origin, sequence FROM journals")
        while try rows.step() { sequences[rows.text(0)] = rows.integer(1) }
        return AppliedChanges(sequences)
    }

    /// Returns the current revision of the groups.
    ///
    /// - Complexity: O(log groups).
    package func groupRevision() throws(Failure) -> GroupRevision {
        GroupRevision(
            removals: try database.integer("SELECT value FROM catalog_state WHERE name = 'groupRemovals'") ?? 0,
            latestKey: try database.integer("SELECT max(group_key) FROM groups") ?? 0)
    }

    /// Returns the groups of a version that the catalog no longer has.
    ///
    /// - Complexity: O(groups · log groups).
    package func missingGroups(of model: ModelVersion) throws(Failure) -> Set<UInt32> {
        var isHere = [Bool](repeating: false, count: model.groupCount)
        let ids = try database.prepare("SELECT group_id FROM groups")
        while try ids.step() { if let group = model.index(ofID: ids.text(0)) { isHere[group] = true } }
        return Set(isHere.indices.lazy.filter { !isHere[$0] }.map { UInt32($0) })
    }
}

// MARK: - Groups and ids

extension Facts {
    private static let groupColumns = """
        group_key, group_id, title, visibility, topics, join_policy, created_at, last_active_at,
        EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key)
        """

    /// Returns the groups that the rest of a query selects, whose parameters have values.
    private func groups(_ rest: String, _ values: (any BoundValue)?...) throws(Failure) -> [GroupRecord] {
        let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups \(rest)").binding(values)
        return try rows.map { row throws(Failure) in
            guard let joinPolicy = JoinPolicy(code: row.integer(5)) else {
                throw .damaged("group \(row.text(1)) has the join policy \(row.integer(5))")
            }
            return GroupRecord(
                id: row.text(1), title: row.text(2), visibility: Visibility(code: row.integer(3)),
                isHidden: row.integer(8) != 0, topics: row.text(4).split(separator: ";").map(String.init),
                joinPolicy: joinPolicy, createdAt: row.time(6), lastActiveAt: row.time(7), key: row.integer(0))
        }
    }

    /// Returns all groups, public and private, in ascending order of the bytes of their external ids.
    package func groups() throws(Failure) -> [GroupRecord] { try groups("ORDER BY group_id") }

    /// Returns at most `limit` private and undescribed groups, in ascending order of the bytes of their external ids.
    package func unshownGroups(limit: Int) throws(Failure) -> [GroupRecord] {
        try groups("WHERE visibility <> 0 ORDER BY group_id LIMIT ?", limit)
    }

    /// Returns the group with an external id, public or private, or `nil` if there is none.
    package func group(withID id: String) throws(Failure) -> GroupRecord? {
        try groups("WHERE group_id = ?", id).first
    }

    /// Returns whether a group is public, or nil if there is none; it reads no row, so a private one takes no longer.
    package func isPublic(group id: String) throws(Failure) -> Bool? {
        let isPrivate = "SELECT 1 FROM groups INDEXED BY groups_private WHERE group_id = ?1 AND visibility <> 0"
        let row = try database.prepare(
            "SELECT EXISTS (SELECT 1 FROM groups WHERE group_id = ?1), EXISTS (\(isPrivate))", id)
        return try row.step() && row.integer(0) != 0 ? row.integer(1) == 0 : nil
    }

    /// Returns all curated groups by position, including those that have not started or have expired.
    package func curations() throws(Failure) -> [Curation] {
        let rows = try database.prepare(
            """
            SELECT group_id, \(CatalogSchema.isShown), position, starts_at, expires_at
            FROM curated_groups JOIN groups USING (group_key) ORDER BY position, group_id
            """)
        return try rows.map {
            Curation(
                groupID: $0.text(0), isShown: $0.integer(1) != 0,
                position: Int($0.integer(2)), startsAt: $0.time(3), expiresAt: $0.time(4))
        }
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
        return try rows.map { HiddenGroup(id: $0.text(0), hiddenAtMilliseconds: $0.milliseconds(1)) }
    }

    func key(of id: String, in table: EntityTable) throws(Failure) -> Int64? {
        try database.integer("SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?", id)
    }

    /// Returns whether there is something with an external id.
    package func has(_ id: String, in table: EntityTable) throws(Failure) -> Bool {
        try key(of: id, in: table) != nil
    }

    /// Returns whether a relation of groups has a pair.
    ///
    /// - Parameter table: the relation's table; false for another one.
    package func hasPair(_ table: String, ofGroup group: String, _ entry: String) throws(Failure) -> Bool {
        guard let source = relations.sources.first(where: { $0.table == table && $0.rows == .groups }) else {
            return false
        }
        guard let row = try key(of: group, in: .groups), let column = try key(of: entry, in: source.entityTable)
        else { return false }
        return try database.integer(
            "SELECT 1 FROM \(source.table) WHERE \(source.rowColumn) = ?1 AND \(source.entryColumn) = ?2", row, column)
            != nil
    }

    /// Returns suggestions ("did you mean") for an id that does not exist.
    ///
    /// The suggestions are the ids before and after the given one, and groups with it as their title.
    ///
    /// - Parameters:
    ///   - id: the id that does not exist.
    ///   - limit: the greatest number of suggestions of each kind.
    package func idsNear(_ id: String, in table: EntityTable, limit: Int = 8) throws(Failure) -> [String] {
        var found: [String] = []
        var conditions = [
            "\(table.idColumn) >= ?1 ORDER BY \(table.idColumn)",
            "\(table.idColumn) < ?1 ORDER BY \(table.idColumn) DESC",
        ]
        if table == .groups { conditions.insert("title = ?1 COLLATE NOCASE ORDER BY group_id", at: 0) }
        for condition in conditions {
            let rows = try database.prepare(
                "SELECT \(table.idColumn) FROM \(table.rawValue) WHERE \(condition) LIMIT \(limit)", id)
            for candidate in try rows.texts() where !found.contains(candidate) { found.append(candidate) }
        }
        return found
    }

    /// Returns the number of entries of a relation.
    package func rowCount(_ source: RelationSource) throws(Failure) -> Int {
        Int(try database.integer("SELECT count(*) FROM \(source.table)") ?? 0)
    }

    /// Returns the number of groups, public and private.
    package func groupCount() throws(Failure) -> Int {
        Int(try database.integer("SELECT count(*) FROM groups") ?? 0)
    }
}

// MARK: - The ledger

extension Facts {
    /// Returns the ledger of forgotten members.
    package func ledger() throws(Failure) -> Ledger {
        try LedgerTable(database).content()
    }

    /// Returns the key of the ledger's digests.
    package func ledgerKey() throws(Failure) -> [UInt8] {
        try LedgerTable(database).key
    }

    /// Returns the id of the catalog, which its copies share: a digest of the key that was made with it.
    package func catalogID() throws(Failure) -> String { Ledger(key: try ledgerKey()).digest(of: "").text }

    /// Whether a user was forgotten, and has not been readmitted.
    package func isForgotten(user id: String) throws(Failure) -> Bool {
        try LedgerTable(database).isForgotten(id)
    }
}

/// The texts that a tuning stores in the catalog.
package enum TuningNote: String, Sendable, CaseIterable {
    case settings
    /// The settings that were tried.
    case journal
    /// The reports of experiments, which no tuning makes, with what had arrived.
    case reports
}
