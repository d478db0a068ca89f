import CXXHash
import Model
import SQLite

/// Finds the keys of external ids, and creates the users, groups and photos that are missing.
final class IdentifierResolver {
    private let table: EntityTable
    private let database: Database
    private let select: Statement
    /// Nil until one is missing: within the transaction of the import it is sure how new rows are shown.
    private var insert: Statement?
    private let isStrict: Bool
    // If the table was empty, almost every id is new: inserting first saves a search.
    private let insertsFirst: Bool
    /// How many were created.
    private(set) var createdCount = 0

    /// - Parameter isStrict: an unknown id is not created; its key is nil.
    init(_ table: EntityTable, _ database: Database, isStrict: Bool) throws(DatabaseError) {
        self.table = table
        self.database = database
        self.isStrict = isStrict
        select = try database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?")
        let first = try database.integer("SELECT 1 FROM \(table.rawValue) LIMIT 1")
        insertsFirst = !isStrict && first == nil
    }

    /// The key of an id.
    func key(of id: String) throws(DatabaseError) -> Int64? {
        if insertsFirst, let key = try inserted(id) { return key }
        select.bind(id, at: 1)
        if try select.step() {
            let key = select.integer(0)
            select.reset()
            return key
        }
        return isStrict ? nil : try inserted(id)
    }

    private func inserted(_ id: String) throws(DatabaseError) -> Int64? {
        let insert = if let insert { insert } else { try preparedInsert() }
        self.insert = insert
        insert.bind(id, at: 1)
        let before = database.totalChanges
        try insert.run()
        guard database.totalChanges > before else { return nil }
        createdCount += 1
        return database.lastInsertedRowID
    }

    private func preparedInsert() throws(DatabaseError) -> Statement {
        let visibility = try UndescribedRows(of: table, database)?.visibilityOfNewRow()
        let (column, value) = visibility.map { (", visibility", ", \($0.code)") } ?? ("", "")
        return try database.prepare(
            "INSERT INTO \(table.rawValue) (\(table.idColumn)\(column)) VALUES (?\(value)) ON CONFLICT DO NOTHING")
    }
}

/// External ids seen during an import, each with a slot: an open-addressing hash table over packed texts.
///
/// A dictionary of strings takes several times the memory and time at millions of ids.
struct IdentifierCache {
    /// By slot: the catalog's key, 0 while it is not known.
    private(set) var keys: [UInt32] = []
    private var ids = PackedTexts()
    private var table = [UInt32](repeating: 0, count: 1 << 12)  // slot + 1; 0 is free

    var count: Int { keys.count }

    /// Roughly the memory it takes, in bytes.
    var byteCount: Int { ids.memoryByteCount + (keys.capacity + table.capacity) * 4 }

    // XXH3: quick for short ids too, of which most differ in their last bytes.
    private static func hash(_ id: Span<UInt8>) -> UInt64 {
        unsafe id.withUnsafeBufferPointer { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// The slot of an id, a new one if it was not seen before.
    mutating func slot(of id: Span<UInt8>) -> UInt32 {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: Self.hash(id) >> 24) & mask
        while table[place] != 0 {
            let slot = table[place] - 1
            if ids.isEqual(Int(slot), to: id) { return slot }
            place = (place + 1) & mask
        }
        let slot = UInt32(keys.count)
        ids.append(id)
        keys.append(0)
        table[place] = slot + 1
        if keys.count * 2 > table.count { grow() }
        return slot
    }

    private mutating func grow() {
        table = [UInt32](repeating: 0, count: table.count * 2)
        let mask = table.count - 1
        for slot in 0..<UInt32(keys.count) {
            var place = Int(truncatingIfNeeded: Self.hash(ids.bytes(at: Int(slot)).span) >> 24) & mask
            while table[place] != 0 { place = (place + 1) & mask }
            table[place] = slot + 1
        }
    }

    /// The id in a slot.
    func id(_ slot: UInt32) -> String { ids[Int(slot)] }

    /// Why the id in a slot looks like something else, if it does.
    func doubt(_ slot: UInt32) -> IDDoubt? { IDDoubt(ids.bytes(at: Int(slot)).span) }

    mutating func setKey(_ key: UInt32, of slot: UInt32) { keys[Int(slot)] = key }

    /// Slots without a key, in ascending order of their ids' bytes, in which the catalog's index is quickest to search.
    func unresolved(from first: Int) -> [UInt32] {
        var slots = (UInt32(first)..<UInt32(keys.count)).filter { keys[Int($0)] == 0 }
        slots.sort { ids.bytes(at: Int($0)).lexicographicallyPrecedes(ids.bytes(at: Int($1))) }
        return slots
    }

    /// Whether the ids are so many, or so long, that the cache should be emptied.
    var isNearlyFull: Bool { ids.byteCount > Int(UInt32.max) - 1 << 24 || keys.count > Int(UInt32.max) / 2 }
}
