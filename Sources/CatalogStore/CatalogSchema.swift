import Basics
package import Model
import SQLite

/// The catalog's tables.
///
/// Each external id is stored once, with an integer key that never leaves the catalog. The large tables of relations
/// are clustered by group, because the recompute reads them in that order. A reverse index serves profiles.
enum CatalogSchema {
    /// The mark of a catalog among SQLite files (`PRAGMA application_id`), "Ctri" in ASCII.
    static let applicationID: Int64 = 0x4374_7269
    /// The number of the schema, and the only one that this program reads and writes.
    static let version = 27

    /// The SQL that creates all tables in a new file.
    ///
    /// - `groups`, `users`, `photos`: `users.listed` says whether a member may be named or counted to others: 0 for no,
    ///   1 for yes, NULL if the member never said so. `users.interests_stamp` is the stamp of the statement of
    ///   interests, in Unix milliseconds; NULL if they are from a file. A photo's width and height are in pixels.
    /// - `catalog_state`: the number of changes, and of imports and renamings of members; whether the columns of
    ///   `NotedColumn` ever had a value; the stages of `UndescribedRows`.
    /// - `hidden_groups` is a table of its own, because imports overwrite the columns of `groups`. `decided_at` is the
    ///   time at which this catalog itself hid the group last: no earlier unhide from a journal may undo that.
    /// - `interactions`: `photo_key` and `followed_key` are for one that is not about a group; `group_key` is then 0. A
    ///   view has the seconds, and so has a pause that ends by itself. A forgotten interaction is kept only for the
    ///   pair that it began or ended. The number of a removed row is not given again: see `CatalogArrival`.
    /// - `journals`: the number of the last applied change of each journal, so that no change is applied twice.
    /// - `ledger`, `ledger_key`: the members whom the site has forgotten or readmitted (`Ledger`); later data does not
    ///   bring them back.
    /// - `tuning_notes`: the texts of `TuningNote`: the settings that a tuning chose, the ones it tried, and reports.
    /// - `exposures`: the pages shown to members of experiments, a row for each page and day. `microseconds` is the
    ///   total time to make the answers, `shown` the marks of the groups, `settings` those of the daemon's lists.
    /// - `renamed_ids`: daemons may still send changes under the old ids.
    /// - `vector_file`, `photo_vectors`: the file with the photos' vectors, of which there is one at most, and the
    ///   place of each vector in it.
    /// - Each table of pairs has another one with `refused_` before its name, for `RefusedTimes`.
    /// - `noted_removals`: the latest removal of each group, user, photo and pair, by external ids (`NotedRemovals`).
    static let tables = """
        CREATE TABLE groups (
            group_key INTEGER PRIMARY KEY,
            group_id TEXT NOT NULL UNIQUE,
            title TEXT,
            description TEXT,
            visibility INTEGER NOT NULL DEFAULT 0,
            topics TEXT,
            join_policy INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER,
            last_active_at INTEGER
        );
        CREATE INDEX groups_private ON groups (group_id) WHERE visibility <> 0;
        CREATE TABLE users (
            user_key INTEGER PRIMARY KEY,
            user_id TEXT NOT NULL UNIQUE,
            name TEXT,
            interests TEXT,
            listed INTEGER,
            interests_stamp INTEGER
        );
        CREATE TABLE photos (
            photo_key INTEGER PRIMARY KEY,
            photo_id TEXT NOT NULL UNIQUE,
            user_key INTEGER,
            visibility INTEGER NOT NULL DEFAULT 0,
            taken_at INTEGER,
            uploaded_at INTEGER,
            tags TEXT,
            latitude REAL,
            longitude REAL,
            width INTEGER,
            height INTEGER
        );
        CREATE INDEX photos_by_owner ON photos (user_key) WHERE user_key IS NOT NULL;
        CREATE INDEX photos_private ON photos (photo_key) WHERE visibility <> 0;
        CREATE TABLE memberships (
            group_key INTEGER NOT NULL,
            user_key INTEGER NOT NULL,
            joined_at INTEGER,
            PRIMARY KEY (group_key, user_key)
        ) WITHOUT ROWID;
        CREATE INDEX memberships_by_user ON memberships (user_key, group_key, joined_at);
        CREATE TABLE pools (
            group_key INTEGER NOT NULL,
            photo_key INTEGER NOT NULL,
            added_at INTEGER,
            PRIMARY KEY (group_key, photo_key)
        ) WITHOUT ROWID;
        CREATE INDEX pools_by_photo ON pools (photo_key, group_key);
        CREATE TABLE catalog_state (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO catalog_state VALUES
            ('changes', 0), ('memberships.joined_at', 0), ('pools.added_at', 0), ('photos.tags', 0),
            ('photos.latitude', 0), ('groups.described', 0), ('photos.described', 0);
        CREATE TABLE curated_groups (
            group_key INTEGER PRIMARY KEY,
            position INTEGER NOT NULL,
            starts_at INTEGER,
            expires_at INTEGER
        );
        CREATE TABLE hidden_groups (
            group_key INTEGER PRIMARY KEY,
            hidden_at INTEGER NOT NULL,
            decided_at INTEGER
        );
        CREATE TABLE interactions (
            interaction_key INTEGER PRIMARY KEY AUTOINCREMENT,
            user_key INTEGER NOT NULL,
            id TEXT NOT NULL,
            kind INTEGER NOT NULL,
            group_key INTEGER NOT NULL,
            photo_key INTEGER,
            followed_key INTEGER,
            occurred_at INTEGER NOT NULL,
            seconds INTEGER,
            recommendation_id TEXT,
            position INTEGER,
            variant TEXT,
            is_forgotten INTEGER NOT NULL DEFAULT 0,
            UNIQUE (user_key, id)
        );
        CREATE INDEX interactions_by_user ON interactions (user_key, interaction_key);
        CREATE INDEX interactions_on_memberships ON interactions (group_key, user_key, occurred_at)
            WHERE kind IN (0, 1);
        CREATE INDEX interactions_on_favourites ON interactions (photo_key, user_key, occurred_at)
            WHERE kind IN (6, 7);
        CREATE INDEX interactions_on_follows ON interactions (followed_key, user_key, occurred_at)
            WHERE kind IN (8, 9);
        CREATE TABLE journals (
            origin TEXT PRIMARY KEY,
            sequence INTEGER NOT NULL
        ) WITHOUT ROWID;
        \(LedgerTable.schema)
        CREATE TABLE tuning_notes (
            name TEXT PRIMARY KEY,
            content TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE exposures (
            exposure_key INTEGER PRIMARY KEY AUTOINCREMENT,
            experiment TEXT NOT NULL,
            user_key INTEGER NOT NULL,
            day INTEGER NOT NULL,
            recommendation_id TEXT NOT NULL,
            first_position INTEGER NOT NULL,
            shown_count INTEGER NOT NULL,
            filters TEXT NOT NULL,
            arm TEXT NOT NULL,
            times INTEGER NOT NULL,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            teams TEXT,
            microseconds INTEGER,
            shown TEXT,
            settings TEXT,
            UNIQUE (experiment, user_key, day, recommendation_id, first_position, shown_count, filters, arm)
        );
        CREATE INDEX exposures_by_user ON exposures (user_key);
        CREATE INDEX exposures_by_day ON exposures (day);
        \(RenamedIDs.schema)
        CREATE TABLE vector_file (
            generation INTEGER PRIMARY KEY,
            dimension INTEGER NOT NULL,
            model TEXT NOT NULL,
            slots INTEGER NOT NULL
        );
        CREATE TABLE photo_vectors (
            photo_key INTEGER PRIMARY KEY,
            slot INTEGER NOT NULL
        );
        CREATE TABLE noted_removals (
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            entry_id TEXT NOT NULL,
            stamp INTEGER NOT NULL,
            PRIMARY KEY (kind, id, entry_id)
        ) WITHOUT ROWID;
        """

    /// The SQL of the present time, in Unix milliseconds.
    static let nowMilliseconds =
        "CAST(round((julianday('now') - julianday('1970-01-01')) * 86400000) AS INTEGER)"

    /// The SQL condition for a row of `groups` to be used and shown: public and not hidden.
    static let isShown = """
        (groups.visibility = 0
        AND NOT EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key))
        """

    /// Creates the tables in a new file, and in any file those of relations that are missing.
    ///
    /// - Parameters:
    ///   - database: the database.
    ///   - relations: the relations whose tables must exist, with the tables of what members tell.
    static func complete(_ database: Database, _ relations: RelationTable) throws(Failure) {
        if try checkedVersion(database) == nil {
            try database.transaction { () throws(Failure) in
                // Another process may have created them meanwhile.
                guard try checkedVersion(database) == nil else { return }
                try database.execute(tables)
                try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
        }
        for source in relations.sources where try missingTable(of: [source], database) != nil {
            try database.transaction { () throws(Failure) in
                try database.execute(source.createTable)
            }
        }
        // A killed import leaves a table without its reverse index, which it dropped for speed.
        for source in relations.sources { try database.execute(source.createIndex) }
    }

    /// Returns the first table of relations that a catalog lacks, or nil if it has all.
    static func missingTable(of sources: [RelationSource], _ database: Database) throws(Failure) -> String? {
        let present = Set(try database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").texts())
        return sources.flatMap(\.tables).first { !present.contains($0) }
    }

    /// Returns the number of a catalog's schema, or nil for an empty file.
    ///
    /// - Throws: `Failure.Code.otherFormat` if the file is something else, or of another program.
    static func checkedVersion(_ database: Database) throws(Failure) -> Int? {
        let (application, found, tables): (Int64, Int, Int64)
        do throws(Failure) {
            application = try database.integer("PRAGMA application_id") ?? 0
            found = Int(try database.integer("PRAGMA user_version") ?? 0)
            tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        } catch {
            throw error.isOfNoDatabase
                ? Failure(.otherFormat, "\(database.path) is not a SQLite database") : error
        }
        guard tables > 0 else { return nil }
        guard application == applicationID else {
            throw Failure(.otherFormat, "\(database.path) is a SQLite database, but not a catalog")
        }
        if let other = OtherFormat(.catalog, at: database.path, found: found, own: version) {
            throw Failure(.otherFormat, other.message)
        }
        return found
    }
}

/// The names and the SQL definition of a table of pairs, such as group × user or user × photo.
extension RelationSource {
    /// The table of the rows: groups or users.
    var rowTable: EntityTable {
        switch rows {
        case .groups: .groups
        case .users: .users
        }
    }

    /// The table of the entries: users or photos.
    var entityTable: EntityTable {
        switch entries {
        case .users: .users
        case .photos: .photos
        }
    }

    package var rowColumn: String { rowTable.keyColumn }
    package var entryColumn: String { entryWord + "_key" }

    /// Returns the columns that name a thing of a kind.
    func columns(naming table: EntityTable) -> [String] {
        (rowTable == table ? [rowColumn] : []) + (entityTable == table ? [entryColumn] : [])
    }

    /// The record of whether any row ever had a time.
    var notedTime: NotedColumn { NotedColumn(rawValue: "\(table).\(timeColumn)") }

    var indexName: String { "\(table)_by_\(entryWord)" }
    private var indexColumns: String { "\(entryColumn), \(rowColumn)" + (indexesTime ? ", \(timeColumn)" : "") }
    var createIndex: String { "CREATE INDEX IF NOT EXISTS \(indexName) ON \(table) (\(indexColumns))" }
    var dropIndex: String { "DROP INDEX IF EXISTS \(indexName)" }

    /// Whether a pair may occur at several times.
    var repeats: Bool { answerColumn != nil }
    /// The table of the pairs' refused times; nil if a pair may occur at several times.
    var refusedTable: String? { repeats ? nil : "refused_\(table)" }
    /// The tables with columns for the two things of a pair.
    var tables: [String] { [table] + (refusedTable.map { [$0] } ?? []) }
    /// The columns that tell rows apart.
    var keyColumns: [String] { [rowColumn, entryColumn] + (repeats ? [timeColumn] : []) }
    /// The columns that say something of a pair.
    var valueColumns: [String] { [timeColumn] + (answerColumn.map { [$0] } ?? []) }

    /// Returns the SQL that creates a temporary table of keys of rows.
    func createKeys(_ name: String) -> String {
        let columns = ["row_key", "entry_key"] + (repeats ? ["time"] : [])
        return """
            CREATE TEMP TABLE \(name) (
                \(columns.map { "\($0) INTEGER" }.joined(separator: ", ")), PRIMARY KEY (\(columns.joined(separator: ", ")))
            ) WITHOUT ROWID
            """
    }

    /// The SQL that creates the table of a relation, also of one that is not in `CatalogSchema.tables`.
    var createTable: String {
        let values = answerColumn.map { " NOT NULL,\n    \($0) INTEGER NOT NULL DEFAULT 0" } ?? ""
        let refused = refusedTable.map {
            """
            CREATE TABLE IF NOT EXISTS \($0) (
                \(rowColumn) INTEGER NOT NULL,
                \(entryColumn) INTEGER NOT NULL,
                \(timeColumn) INTEGER NOT NULL,
                PRIMARY KEY (\(rowColumn), \(entryColumn))
            ) WITHOUT ROWID;
            """
        }
        return """
            \(refused ?? "")
            CREATE TABLE IF NOT EXISTS \(table) (
                \(rowColumn) INTEGER NOT NULL,
                \(entryColumn) INTEGER NOT NULL,
                \(timeColumn) INTEGER\(values),
                PRIMARY KEY (\(keyColumns.joined(separator: ", ")))
            ) WITHOUT ROWID;
            \(createIndex);
            INSERT OR IGNORE INTO catalog_state VALUES ('\(notedTime.rawValue)', 0);
            """
    }
}
