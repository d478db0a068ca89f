import Basics
import Model
import RecordReading
import SQLite

/// Ids of a table that differ only in their spelling, and may mean the same.
///
/// Ids are compared by their bytes, so such ids are different groups, users or photos.
package struct IDTwins: Sendable, Equatable {
    /// A pair of such ids.
    package struct Pair: Sendable, Equatable {
        /// The id with the odder spelling.
        package var id: String
        /// The other id.
        package var other: String
    }

    /// The number of ids that differ from another only in surrounding blanks or invisible characters.
    package internal(set) var invisible = 0
    /// The number of ids that differ from another in letter case, in leading zeros, or in the encoding of accents or of
    /// all characters.
    package internal(set) var spelling = 0
    /// The first pairs, in the order of their ids; at most `pairLimit`.
    package internal(set) var pairs: [Pair] = []

    /// The greatest number of pairs that are named.
    package static let pairLimit = 5
    /// The greatest number of ids with twins that are compared.
    static let limit = 100_000
}

extension IDTwins {
    /// Finds the ids of a table that differ only in their spelling.
    ///
    /// Memory: eight bytes an id.
    init(in table: EntityTable, _ database: ReadingDatabase) throws(Failure) {
        let rows = try database.prepare("SELECT \(table.idColumn) FROM \(table.rawValue)")
        var hashes: [Int] = []
        while try rows.step() { hashes.append(Self.folded(rows.text(0)).hashValue) }
        hashes.sort()
        let repeated = Set(zip(hashes, hashes.dropFirst()).lazy.filter { $0 == $1 }.map(\.0).prefix(Self.limit))
        guard !repeated.isEmpty else { return }
        // Swift compares and hashes texts by canonical equivalence, which is that of normal form C.
        var alike: [String: [String]] = [:]
        rows.reset()
        while try rows.step() {
            let id = rows.text(0)
            let folded = Self.folded(id)
            if repeated.contains(folded.hashValue) { alike[folded, default: []].append(id) }
        }
        add(alike.values.filter { $0.count > 1 }.map { $0.sorted(by: Self.isOdder) })
    }

    /// Counts twins in groups of ids that are alike, each with the odder spellings first.
    private mutating func add(_ alike: [[String]]) {
        for ids in alike {
            let bare = ids.map { Array(withoutInvisible($0).utf8) }
            let counts = Dictionary(bare.map { ($0, 1) }, uniquingKeysWith: +)
            for (id, bare) in zip(ids, bare) where Array(id.utf8) != bare && counts[bare, default: 0] > 1 {
                invisible += 1
            }
            spelling += counts.count - 1
            for id in ids.dropLast() { pairs.append(.init(id: id, other: ids[ids.count - 1])) }
        }
        pairs.sort { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        pairs.removeLast(max(0, pairs.count - Self.pairLimit))
    }

    /// Returns the spelling that ids which are alike have in common.
    ///
    /// Spreadsheets take leading zeros from numbers, and programs that copy ids from addresses leave them
    /// percent-encoded.
    private static func folded(_ id: String) -> String {
        let isNumber = id.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        guard !isNumber else { return id.utf8.first == 0x30 ? String(id.drop { $0 == "0" }) : id }
        let isPlain = id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }
        if isPlain { return id.utf8.contains { 0x41...0x5A ~= $0 } ? id.lowercased() : id }
        return withoutInvisible(percentDecoded(id)).lowercased()
    }

    private static func percentDecoded(_ id: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(id.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let decoded = UInt8(digits, radix: 16)
            {
                bytes.append(decoded)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether one id is odder than another: it has invisible characters, or more bytes, or capital letters.
    private static func isOdder(_ one: String, _ other: String) -> Bool {
        func rank(_ id: String) -> (Int, Int) {
            (withoutInvisible(id).utf8.count - id.utf8.count, -id.utf8.count)
        }
        let (first, second) = (rank(one), rank(other))
        return first != second ? first < second : one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
