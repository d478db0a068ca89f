import CatalogStore
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

    /// A number in the catalog.
    func count(_ sql: String) throws -> Int64? { try Database(path: path, mode: .readOnly).integer(sql) }

    /// The catalog as a daemon reads and writes it.
    func source() throws -> CatalogSource { try CatalogSource(path: path, patience: .seconds(60)) }

    /// The routes over this catalog.
    func routes(_ store: FakeStore? = nil) throws -> Routes {
        Routes(
            store: try store ?? FakeStore(Community.version("v1")), community: try source())
    }
}
