import CatalogStore
import Model
import SQLite

/// The rows of a catalog's table, inserted again into a database that has nothing else.
struct BareInserts {
    private let table: String
    /// The statements that made the table and its indexes in the catalog.
    private let schema: [String]
    private let rows: PackedRows

    /// Reads the rows of a kind, in the order of the table's keys.
    init(_ kind: ImportKind, catalogPath: String) throws {
        table = kind.name
        let catalog = try Database(path: catalogPath, mode: .readOnly)
        let objects = try catalog.prepare(
            "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC")
        objects.bind(table, at: 1)
        var schema: [String] = []
        while try objects.step() { schema.append(objects.text(0)) }
        self.schema = schema
        let info = try catalog.prepare("SELECT name, type FROM pragma_table_info('\(table)')")
        var columns: [(name: String, type: String)] = []
        while try info.step() { columns.append((info.text(0), info.text(1))) }
        var key = columns[0].name
        if case .relation(let source) = kind {
            key += ", \(source.entryColumn)"
        } else {
            columns.removeFirst()
        }
        rows = try PackedRows(table, key: key, columns: columns, from: catalog)
    }

    /// Inserts all rows in one transaction; only the inserting is timed, in seconds.
    func seconds(path: String) throws -> Double {
        let database = try Database(path: path, mode: .create)
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA secure_delete = OFF;
            PRAGMA cache_size = -262144;
            """)
        for statement in schema { try database.execute(statement) }
        return try Measuring.seconds {
            try database.execute("BEGIN")
            let marks = rows.names.map { _ in "?" }.joined(separator: ", ")
            try rows.insert(
                by: database.prepare(
                    "INSERT INTO \(table) (\(rows.names.joined(separator: ", "))) VALUES (\(marks))"))
            try database.execute("COMMIT")
        }.seconds
    }
}
