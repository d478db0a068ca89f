import Basics
import CatalogStore
import Changes
import Model
import ModelStore
import SQLite
import TestSupport

@testable import Service

/// A catalog on disk with the groups of `Community`, of which ann and bob are members, or not.
final class MemberCatalog {
    private let folder: TemporaryDirectory
    var path: String { "\(folder.path)/catalog.sqlite" }

    init() throws {
        folder = try TemporaryDirectory()
        _ = try Catalog(path: path, mode: .writing)
        let database = try Database(path: path, mode: .readWrite)
        let insert = try database.prepare("INSERT INTO groups (group_key, group_id) VALUES (?, ?)")
        for (number, group) in Community.groups.enumerated() {
            insert.bind(Int64(number + 1), at: 1)
            insert.bind(group.id, at: 2)
            try insert.run()
        }
        try database.execute(
            """
            INSERT INTO groups (group_id, visibility) VALUES ('secret', 1);
            INSERT INTO users (user_key, user_id) VALUES (1, 'ann'), (2, 'bob');
            INSERT INTO memberships (group_key, user_key) VALUES (1, 1);
            """)
    }

    /// Changes the catalog as another process would.
    func execute(_ sql: String) throws { try Database(path: path, mode: .readWrite).execute(sql) }

    /// A number in the catalog, after it has taken all changes.
    func count(_ sql: String) throws -> Int64? {
        try Catalog.applyLog(of: path)
        return try Database(path: path, mode: .readOnly).integer(sql)
    }

    /// The catalog as a daemon beside a folder reads it, with the journal beside it.
    func source() throws -> JournalSource { try JournalSource(catalog: path) }

    /// The routes over this catalog.
    func routes(_ store: FakeStore? = nil) throws -> Routes {
        Routes(
            store: try store ?? FakeStore(Community.version("v1")), community: try source())
    }
}

extension JournalSource {
    /// Creates a source on top of a catalog, without versions.
    convenience init(catalog path: String, changes: ChangeClock = ChangeClock(), patience: Duration = .seconds(60))
        throws
    {
        let reader = try CatalogReader(path: path)
        let journal = try DaemonJournal(
            path: Catalog.journalPath(beside: path), besideCatalog: path, changes: changes,
            now: { SystemClock.nowMilliseconds }, patience: patience)
        self.init(reader, journal: journal) { .init() }
    }
}

extension Catalog {
    /// Applies the journal beside a catalog.
    static func applyLog(of path: String) throws {
        let journal = try ChangeJournal(path: journalPath(beside: path), mode: .recording)
        _ = try Catalog(path: path, mode: .recording).ingest.takeOver(
            through: journal.kept().mapValues(\.last), skipsMissing: false
        ) { origin, after, limit throws(Failure) in
            try journal.changes(of: origin, after: after, limit: limit)
        }
    }
}
