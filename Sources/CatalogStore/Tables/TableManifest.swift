import FoundationEssentials

/// What `manifest.json` in a folder of tables says: the parts of every table, in order.
///
/// The article "Past one machine" describes the format for programs in other languages.
struct TableManifest: Codable, Sendable {
    /// The format that this program writes and reads.
    static let knownFormat = 1
    static let fileName = "manifest.json"

    /// What a column holds.
    enum Kind: String, Codable {
        /// Unsigned numbers of 32 bits.
        case number = "u32"
        /// Seconds since 1970 in 64 bits; the least number of all stands for none.
        case time = "i64"
        /// Numbers in double precision; NaN stands for none.
        case degrees = "f64"
        /// Where each text begins and the last one ends, in 64 bits, from 0 on; then the texts in UTF-8.
        case text
    }

    /// A column of a part; it begins at a multiple of 8 bytes behind the one before.
    struct Column: Codable {
        var name: String
        var kind: Kind
        var byteCount: Int
    }

    /// A file with some rows of a table.
    struct Part: Codable {
        var file: String
        var rows: Int
        /// CRC-32 of the file, as zlib computes it.
        var checksum: UInt32
        var columns: [Column]
    }

    /// Entries that were left out when the tables were written.
    struct LeftOut: Codable {
        var ofPrivateGroups = 0
        var ofPrivatePhotos = 0
    }

    var format = knownFormat
    var tables: [String: [Part]] = [:]
    /// By the table of a relation.
    var leftOut: [String: LeftOut] = [:]

    /// The number of rows of a table.
    func rowCount(_ table: String) -> Int { tables[table]?.reduce(0) { $0 + $1.rows } ?? 0 }
}

extension TableManifest.Part {
    /// Where the columns begin and end, and where the file ends.
    var layout: (columns: [String: Range<Int>], byteCount: Int) {
        var ranges: [String: Range<Int>] = [:]
        var end = 0
        for column in columns {
            let start = (end + 7) & ~7
            end = start + max(0, column.byteCount)
            ranges[column.name] = start..<end
        }
        return (ranges, end)
    }
}
