package import Model
import SQLite

/// The catalog's tables, and the migrations from older versions.
///
/// Each external id is stored once, with an integer key that never leaves the catalog. The large tables of relations
/// are clustered by group, because the recompute reads them in that order. A reverse index serves profiles.
enum CatalogSchema {
    /// The mark of a catalog among SQLite files (`PRAGMA application_id`), "Ctri" in ASCII.
    static let applicationID: Int64 = 0x4374_7269
    /// The schema version that this program writes: the number of migrations.
    static var version: Int { migrations.count }

    /// The migrations: `migrations[v]` turns version v into version v + 1; a released step is never edited.
    static let migrations: [String] = [
        """
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
        CREATE TABLE users (
            user_key INTEGER PRIMARY KEY,
            user_id TEXT NOT NULL UNIQUE,
            name TEXT,
            interests TEXT
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
            longitude REAL
        );
        CREATE INDEX photos_by_owner ON photos (user_key) WHERE user_key IS NOT NULL;
        CREATE INDEX photos_private ON photos (photo_key) WHERE visibility <> 0;
        CREATE TABLE memberships (
            group_key INTEGER NOT NULL,
            user_key INTEGER NOT NULL,
            joined_at INTEGER,
            PRIMARY KEY (group_key, user_key)
        ) WITHOUT ROWID;
        CREATE INDEX memberships_by_user ON memberships (user_key, group_key);
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
        INSERT INTO catalog_state VALUES ('changes', 0);
        """,
        """
        CREATE TABLE curated_groups (
            group_key INTEGER PRIMARY KEY,
            position INTEGER NOT NULL,
            starts_at INTEGER,
            expires_at INTEGER
        );
        """,
        // The columns of `NotedColumn`. From this version on, every write keeps these values up to date.
        """
        INSERT INTO catalog_state VALUES
            ('memberships.joined_at', EXISTS (SELECT 1 FROM memberships WHERE joined_at IS NOT NULL)),
            ('pools.added_at', EXISTS (SELECT 1 FROM pools WHERE added_at IS NOT NULL)),
            ('photos.tags', EXISTS (SELECT 1 FROM photos WHERE tags IS NOT NULL)),
            ('photos.latitude', EXISTS (SELECT 1 FROM photos WHERE latitude IS NOT NULL));
        """,
        """
        CREATE TABLE interactions (
            interaction_key INTEGER PRIMARY KEY,
            user_key INTEGER NOT NULL,
            id TEXT NOT NULL,
            kind INTEGER NOT NULL,
            group_key INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            recommendation_id TEXT,
            position INTEGER,
            variant TEXT,
            UNIQUE (user_key, id)
        );
        CREATE INDEX interactions_by_user ON interactions (user_key, interaction_key);
        CREATE INDEX interactions_on_memberships ON interactions (group_key, user_key, occurred_at) WHERE kind < 2;
        """,
        // A separate table, because imports overwrite the columns of `groups`.
        """
        CREATE TABLE hidden_groups (
            group_key INTEGER PRIMARY KEY,
            hidden_at INTEGER NOT NULL
        );
        CREATE INDEX groups_private ON groups (group_id) WHERE visibility <> 0;
        """,
        // The number of the last applied change of each journal, so that no change is applied twice.
        """
        CREATE TABLE journals (
            origin TEXT PRIMARY KEY,
            sequence INTEGER NOT NULL
        ) WITHOUT ROWID;
        """,
        // The index covers a profile's columns. The table is clustered by group, so every membership of a user is on
        // another page.
        """
        DROP INDEX IF EXISTS memberships_by_user;
        CREATE INDEX memberships_by_user ON memberships (user_key, group_key, joined_at);
        """,
        // The time at which this catalog itself hid the group last. An earlier unhide from a journal must not undo
        // that.
        """
        ALTER TABLE hidden_groups ADD COLUMN decided_at INTEGER;
        UPDATE hidden_groups SET decided_at = hidden_at;
        """,
        // Changes that this program cannot read. Such changes count as applied, so that later ones can follow.
        """
        CREATE TABLE IF NOT EXISTS unreadable_changes (
            origin TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (origin, sequence)
        ) WITHOUT ROWID;
        """,
        // The members whom the site has forgotten or readmitted: `Ledger`. Later data does not bring them back.
        """
        CREATE TABLE ledger (
            digest BLOB PRIMARY KEY,
            forgotten_at INTEGER NOT NULL,
            readmitted_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE ledger_key (
            key BLOB NOT NULL
        );
        INSERT INTO ledger_key VALUES (randomblob(32));
        """,
        // The settings that a tuning chose and the ones it tried: the texts of `TuningNote`.
        """
        CREATE TABLE IF NOT EXISTS tuning_notes (
            name TEXT PRIMARY KEY,
            content TEXT NOT NULL
        ) WITHOUT ROWID;
        """,
        // The pages shown to members of experiments, a row for each page and day.
        """
        CREATE TABLE IF NOT EXISTS exposures (
            exposure_key INTEGER PRIMARY KEY,
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
            UNIQUE (experiment, user_key, day, recommendation_id, first_position, shown_count, filters, arm)
        );
        CREATE INDEX IF NOT EXISTS exposures_by_user ON exposures (user_key);
        CREATE INDEX IF NOT EXISTS exposures_by_day ON exposures (day);
        """,
        // The total time to make the answers that showed a page.
        "ALTER TABLE exposures ADD COLUMN microseconds INTEGER;",
        // The stages of `UndescribedRows`. A row with more than an id came from a file of its kind. If there is such a
        // row, the visibility of the others is unknown, and they are not shown until a file has them.
        """
        INSERT INTO catalog_state VALUES
            ('groups.described', 2 * EXISTS (
                SELECT 1 FROM groups WHERE visibility <> 0 OR join_policy <> 0
                OR coalesce(title, description, topics, created_at, last_active_at) IS NOT NULL)),
            ('photos.described', 2 * EXISTS (
                SELECT 1 FROM photos WHERE visibility <> 0
                OR coalesce(user_key, taken_at, uploaded_at, tags, latitude, longitude) IS NOT NULL))
            ON CONFLICT DO NOTHING;
        UPDATE groups SET visibility = 2
            WHERE visibility = 0 AND join_policy = 0
            AND coalesce(title, description, topics, created_at, last_active_at) IS NULL
            AND (SELECT value FROM catalog_state WHERE name = 'groups.described') = 2;
        UPDATE photos SET visibility = 2
            WHERE visibility = 0
            AND coalesce(user_key, taken_at, uploaded_at, tags, latitude, longitude) IS NULL
            AND (SELECT value FROM catalog_state WHERE name = 'photos.described') = 2;
        UPDATE catalog_state SET value = value
            + EXISTS (SELECT 1 FROM groups WHERE visibility = 2) + EXISTS (SELECT 1 FROM photos WHERE visibility = 2)
            WHERE name = 'changes';
        """,
        // The kinds that change memberships are named one by one, as `RelationSource.isChanged` does.
        """
        DROP INDEX IF EXISTS interactions_on_memberships;
        CREATE INDEX interactions_on_memberships ON interactions (group_key, user_key, occurred_at)
            WHERE kind IN (0, 1);
        """,
        // The marks of the groups that a page had, and the settings of lists of the daemon that showed it.
        "ALTER TABLE exposures ADD COLUMN shown TEXT; ALTER TABLE exposures ADD COLUMN settings TEXT;",
        // The new ids of renamed groups and users; see `KnownRenaming`. Daemons may still send changes under the old ids.
        """
        CREATE TABLE IF NOT EXISTS renamed_ids (
            entity TEXT NOT NULL,
            old_id TEXT NOT NULL,
            new_id TEXT NOT NULL,
            stamp INTEGER NOT NULL,
            until INTEGER NOT NULL,
            PRIMARY KEY (entity, old_id, stamp)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS renamed_ids_by_new ON renamed_ids (entity, new_id);
        """,
        // The file with the photos' vectors, of which there is one at most, and the place of each vector in it.
        """
        CREATE TABLE IF NOT EXISTS vector_file (
            generation INTEGER PRIMARY KEY,
            dimension INTEGER NOT NULL,
            model TEXT NOT NULL,
            slots INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS photo_vectors (
            photo_key INTEGER PRIMARY KEY,
            slot INTEGER NOT NULL
        );
        """,
        // Whether a member may be named or counted to others: 0 for no, 1 for yes, NULL if the member never said so.
        "ALTER TABLE users ADD COLUMN listed INTEGER;",
        // The size of a photo's picture in pixels, so that a page can leave room for it.
        "ALTER TABLE photos ADD COLUMN width INTEGER; ALTER TABLE photos ADD COLUMN height INTEGER;",
        // The photo or the followed member of an interaction that is not about a group; its group_key is then 0.
        """
        ALTER TABLE interactions ADD COLUMN photo_key INTEGER;
        ALTER TABLE interactions ADD COLUMN followed_key INTEGER;
        CREATE INDEX interactions_on_favourites ON interactions (photo_key, user_key, occurred_at)
            WHERE kind IN (6, 7);
        CREATE INDEX interactions_on_follows ON interactions (followed_key, user_key, occurred_at)
            WHERE kind IN (8, 9);
        """,
        // The time that a member looked at a group, of a view.
        "ALTER TABLE interactions ADD COLUMN seconds INTEGER;",
        // Whether the member had the interaction forgotten, and it is kept only for the pair that it began or ended.
        "ALTER TABLE interactions ADD COLUMN is_forgotten INTEGER NOT NULL DEFAULT 0;",
        // The latest removal of each group, user, photo and pair, by external ids; see `NotedRemovals`.
        """
        CREATE TABLE IF NOT EXISTS noted_removals (
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            entry_id TEXT NOT NULL,
            stamp INTEGER NOT NULL,
            PRIMARY KEY (kind, id, entry_id)
        ) WITHOUT ROWID;
        """,
        // The stamp of the statement of a member's interests, in Unix milliseconds; NULL if they are from a file.
        "ALTER TABLE users ADD COLUMN interests_stamp INTEGER;",
    ]

    /// The SQL of the present time, in Unix milliseconds.
    static let nowMilliseconds =
        "CAST(round((julianday('now') - julianday('1970-01-01')) * 86400000) AS INTEGER)"

    /// The SQL condition for a row of `groups` to be used and shown: public and not hidden.
    static let isShown = """
        (groups.visibility = 0
        AND NOT EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key))
        """

    /// Migrates a database to this version; a new file gets every table.
    ///
    /// - Parameters:
    ///   - database: the database.
    ///   - relations: the relations whose tables must exist, with the tables of what members tell. A table that no
    ///     migration creates is created here.
    static func migrate(_ database: Database, _ relations: RelationTable) throws(CatalogError) {
        let found = try checkedVersion(database)
        if found < version {
            try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
                for step in try checkedVersion(database)..<version {
                    try wrapping { () throws(DatabaseError) in try database.execute(migrations[step]) }
                }
                try wrapping { () throws(DatabaseError) in
                    try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
                }
            }
        }
        for source in relations.sources where try !hasTable(of: source, database) {
            try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
                try wrapping { () throws(DatabaseError) in try database.execute(source.createTable) }
            }
        }
        // A killed import leaves a table without its reverse index, which it dropped for speed.
        try wrapping { () throws(DatabaseError) in
            for source in relations.sources { try database.execute(source.createIndex) }
        }
    }

    /// Whether a catalog has the table of a relation.
    static func hasTable(of source: RelationSource, _ database: Database) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            let row = try database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
            row.bind(Optional(source.table), at: 1)
            return try row.step()
        }
    }

    /// Returns the schema version of a catalog, or 0 for an empty file.
    ///
    /// - Throws: `CatalogError.Code.notACatalog` if the file is something else, or from a newer program.
    static func checkedVersion(_ database: Database) throws(CatalogError) -> Int {
        let (application, found, tables): (Int64, Int, Int64)
        do throws(DatabaseError) {
            application = try database.integer("PRAGMA application_id") ?? 0
            found = Int(try database.integer("PRAGMA user_version") ?? 0)
            tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        } catch {
            throw error.isNotADatabase
                ? CatalogError(.notACatalog, "\(database.path) is not a SQLite database") : CatalogError(error)
        }
        guard tables == 0 || application == applicationID else {
            throw CatalogError(.notACatalog, "\(database.path) is a SQLite database, but not a catalog")
        }
        guard found <= version else {
            throw CatalogError(
                .notACatalog,
                "\(database.path) has schema version \(found), this program knows up to \(version): upgrade the program"
            )
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

    /// The column with the key of the row.
    package var rowColumn: String { rowTable.keyColumn }
    /// The column with the key of the entry.
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

    /// The SQL that creates the table of a relation without a migration.
    var createTable: String {
        let values = answerColumn.map { " NOT NULL,\n    \($0) INTEGER NOT NULL DEFAULT 0" } ?? ""
        return """
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
