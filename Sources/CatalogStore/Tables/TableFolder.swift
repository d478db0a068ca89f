import FoundationEssentials
public import Model

/// A folder of tables: numbered users, photos and entries, written by a program that cleaned and sorted them.
struct TableFolder: Sendable {
    let path: String
    let manifest: TableManifest
    private let parts: [String: [TablePart]]

    /// The columns that must be there; other tables are of relations.
    private static let requiredColumns = ["groups": ["id"], "users": ["id"], "photos": []]

    /// Opens and checks all parts.
    ///
    /// - Throws: `CatalogError.Code.missing` if there is no manifest, `.badData` if a part is not as it says.
    init(_ path: String) throws(CatalogError) {
        self.path = path
        manifest = try Self.manifest(in: path)
        var parts: [String: [TablePart]] = [:]
        for (table, reports) in manifest.tables {
            var firstRow = 0
            for report in reports {
                let part = try TablePart(report, in: path, firstRow: firstRow)
                try part.require(Self.requiredColumns[table] ?? ["group", "entry"])
                parts[table, default: []].append(part)
                firstRow += part.rowCount
            }
            guard firstRow < Int(UInt32.max) || manifest.leftOut[table] != nil else {
                throw CatalogError(.badData, "\(path) numbers more than \(UInt32.max) \(table)")
            }
        }
        self.parts = parts
    }

    private static func manifest(in folder: String) throws(CatalogError) -> TableManifest {
        let path = folder + "/" + TableManifest.fileName
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw CatalogError(
                .missing, "there are no tables in \(folder): it has no manifest.json, which is written last")
        }
        guard let manifest = try? JSONDecoder().decode(TableManifest.self, from: data) else {
            throw CatalogError(.badData, "\(path) is not the manifest of a folder of tables")
        }
        guard manifest.format == TableManifest.knownFormat else {
            throw CatalogError(
                .badData,
                "\(path) has format \(manifest.format); this program reads format \(TableManifest.knownFormat)")
        }
        return manifest
    }

    /// The parts of a table, in order; none if the folder does not have it.
    subscript(table: String) -> [TablePart] { parts[table] ?? [] }

    /// The number of the row whose text is given in a column that ascends by bytes; nil if there is none.
    func row(of text: String, in column: String, of table: String) -> UInt32? {
        let wanted = text.utf8Span.span
        for part in self[table] where part.rowCount > 0 {
            guard part.compare(column, row: part.rowCount - 1, with: wanted) >= 0 else { continue }
            let row = (0..<part.rowCount).partitioningIndex { part.compare(column, row: $0, with: wanted) >= 0 }
            return part.compare(column, row: row, with: wanted) == 0 ? UInt32(part.firstRow + row) : nil
        }
        return nil
    }
}

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

/// Where a recompute reads who is in which group, and what is known of users and photos.
///
/// Rows of matrices are the shown groups of the catalog, in ascending order of the bytes of their ids. How users and
/// photos are numbered is the source's own affair: no version depends on it.
public protocol EntrySource: AnyObject {
    /// Estimates the work that each of some matrices makes; recent are dates in the last weeks.
    func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(CatalogError) -> [WorkEstimate]

    /// Estimates how much content the photos have.
    func contentEstimate() throws(CatalogError) -> ContentEstimate

    /// Reads a matrix, keeps the dates of a window, and finds the columns' first days if asked; `progress` is told of
    /// the rows read so far, from any thread.
    func matrix(
        _ source: RelationSource, keeping window: ActivityWindow?, findingFirstDays findsFirstDays: Bool,
        progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(CatalogError) -> MatrixReading

    /// Whether any photo may have tags or a location.
    func hasPhotoContent() throws(CatalogError) -> Bool

    /// Reads what is known of all public photos; terms of fewer photos than the minimum are left out.
    func photoContent(minimumPhotos: Int, progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(CatalogError) -> PhotoContent

    /// The texts of all users by their column in a matrix.
    func users() throws(CatalogError) -> UserTexts

    /// Calls `body` with what each member did beside joining and leaving, by column; see `CatalogSnapshot`.
    func forEachMember(impressionsSince: Int64, _ body: (_ column: Int, [Interaction]) -> Void) throws(CatalogError)
}

/// What users are called and say of themselves, by their column in a matrix.
public struct UserTexts: Sendable {
    /// External ids; that of a column without a user is empty.
    public internal(set) var ids = PackedTexts()
    /// Stated interests, separated by semicolons.
    public internal(set) var interests = PackedTexts()
}

extension CatalogSnapshot: EntrySource {
    /// Estimates the work that each of some matrices makes, several at once: counting tens of millions of rows takes
    /// half a second.
    public func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(CatalogError) -> [WorkEstimate] {
        let estimates = try readParts(sources.count) { catalog, number throws(CatalogError) in
            (number: number, estimate: try catalog.workEstimate(sources[number], recentWeeks: recentWeeks))
        }
        return estimates.sorted { $0.number < $1.number }.map(\.estimate)
    }

    /// Estimates how much content the photos have.
    public func contentEstimate() throws(CatalogError) -> ContentEstimate { try catalog.contentEstimate() }
}
