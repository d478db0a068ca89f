import Basics
import CXXHash
import Model
import SQLite

/// A resolver of external ids to keys, which creates missing users, groups and photos.
final class IdentifierResolver {
    private let table: EntityTable
    private let database: Database
    private let select: Statement
    /// The insert statement, or nil until an id is missing.
    ///
    /// Only the import's transaction knows the visibility of new rows for sure.
    private var insert: Statement?
    private let isStrict: Bool
    // In an empty table almost every id is new. Inserting first saves a search.
    private let insertsFirst: Bool
    /// The number of rows that were created.
    private(set) var createdCount = 0

    /// - Parameter isStrict: Whether an unknown id gets no key, instead of a new row.
    init(_ table: EntityTable, _ database: Database, isStrict: Bool) throws(Failure) {
        self.table = table
        self.database = database
        self.isStrict = isStrict
        select = try database.prepare("SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?")
        let first = try database.integer("SELECT 1 FROM \(table.rawValue) LIMIT 1")
        insertsFirst = !isStrict && first == nil
    }

    /// Returns the key of an id; nil if the id is unknown and the resolver is strict.
    func key(of id: String) throws(Failure) -> Int64? {
        if insertsFirst, let key = try inserted(id) { return key }
        select.bind(id, at: 1)
        if try select.step() {
            let key = select.integer(0)
            select.reset()
            return key
        }
        return isStrict ? nil : try inserted(id)
    }

    private func inserted(_ id: String) throws(Failure) -> Int64? {
        let insert = if let insert { insert } else { try preparedInsert() }
        self.insert = insert
        insert.bind(id, at: 1)
        let before = database.totalChanges
        try insert.run()
        guard database.totalChanges > before else { return nil }
        createdCount += 1
        return database.lastInsertedRowID
    }

    private func preparedInsert() throws(Failure) -> Statement {
        let visibility = try UndescribedRows(of: table, database.reading)?.visibilityOfNewRow()
        let (column, value) = visibility.map { (", visibility", ", \($0.code)") } ?? ("", "")
        return try database.prepare(
            "INSERT INTO \(table.rawValue) (\(table.idColumn)\(column)) VALUES (?\(value)) ON CONFLICT DO NOTHING")
    }
}

/// The external ids of an import, each with a slot, in an open-addressing hash table over packed texts.
///
/// With millions of ids, a dictionary of strings takes several times the memory and the time.
struct IdentifierCache {
    /// The catalog's key for each slot, or 0 while it is unknown.
    private(set) var keys: [UInt32] = []
    private var ids = PackedTexts()
    private var table = [UInt32](repeating: 0, count: 1 << 12)  // slot + 1; 0 is free

    var count: Int { keys.count }

    /// The approximate memory of the cache, in bytes.
    var byteCount: Int { ids.memoryByteCount + (keys.capacity + table.capacity) * 4 }

    // XXH3 is fast for short ids too, most of which differ in their last bytes.
    private static func hash(_ id: Span<UInt8>) -> UInt64 {
        unsafe id.withUnsafeBufferPointer { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// Returns the place of an id in the table, which is free if the id was not seen before.
    private func place(of id: Span<UInt8>) -> Int {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: Self.hash(id) >> 24) & mask
        while table[place] != 0, !ids.isEqual(Int(table[place] - 1), to: id) { place = (place + 1) & mask }
        return place
    }

    /// Whether an id was seen before.
    func contains(_ id: Span<UInt8>) -> Bool { table[place(of: id)] != 0 }

    /// Returns the slot of an id, a new one if the id was not seen before.
    mutating func slot(of id: Span<UInt8>) -> UInt32 {
        let place = place(of: id)
        if table[place] != 0 { return table[place] - 1 }
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

    func id(_ slot: UInt32) -> String { ids[Int(slot)] }

    /// Returns the reason why the id in a slot is suspicious, if it is.
    func doubt(_ slot: UInt32) -> ImportFinding.Kind? { .init(ofID: ids.bytes(at: Int(slot)).span) }

    mutating func setKey(_ key: UInt32, of slot: UInt32) { keys[Int(slot)] = key }

    /// Returns the slots without a key from a slot on, in ascending order of their ids' bytes.
    ///
    /// The catalog's index is searched fastest in this order.
    func unresolved(from first: Int) -> [UInt32] {
        var slots = (UInt32(first)..<UInt32(keys.count)).filter { keys[Int($0)] == 0 }
        slots.sort { ids.bytes(at: Int($0)).lexicographicallyPrecedes(ids.bytes(at: Int($1))) }
        return slots
    }

    /// Whether the number or the length of the ids is so large that the cache should be emptied.
    var isNearlyFull: Bool { ids.byteCount > Int(UInt32.max) - 1 << 24 || keys.count > Int(UInt32.max) / 2 }
}
