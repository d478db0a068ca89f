package import Basics
package import Model

/// A folder of tables: numbered users, photos and entries, written by a program that cleaned and sorted them.
struct TableFolder: Sendable {
    let path: String
    let manifest: TableManifest
    private let parts: [String: [TablePart]]

    /// The required columns of these tables; all other tables are relations.
    private static let requiredColumns = ["groups": ["id"], "users": ["id"], "photos": []]

    /// Opens and checks all parts.
    ///
    /// - Throws: `Failure.Code.missing` if there is no manifest, and `.badData` if a part is invalid.
    init(_ path: String) throws(Failure) {
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
                throw Failure(.badData, "\(path) numbers more than \(UInt32.max) \(table)")
            }
        }
        self.parts = parts
    }

    private static func manifest(in folder: String) throws(Failure) -> TableManifest {
        let path = folder + "/" + TableManifest.fileName
        guard let json = try? FileTree.content(of: path, limit: .max) else {
            throw Failure(
                .missing, "there are no tables in \(folder): it has no manifest.json, which is written last")
        }
        guard let manifest = try? JSON.decoded(TableManifest.self, from: json) else {
            throw Failure(.badData, "\(path) is not the manifest of a folder of tables")
        }
        if let other = OtherFormat(.tables, at: path, found: manifest.format, own: TableManifest.knownFormat) {
            throw Failure(.badData, other.message)
        }
        return manifest
    }

    /// The parts of a table, in order; none if the folder does not have it.
    subscript(table: String) -> [TablePart] { parts[table] ?? [] }

    /// Returns the number of the row with a text in a column that ascends by bytes, or `nil` if there is none.
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

/// The manifest of a folder of tables (`manifest.json`): the parts of every table, in order.
///
/// The article "Past one machine" describes the format for programs in other languages.
struct TableManifest: Codable, Sendable {
    /// The format that this program writes and reads.
    static let knownFormat = 1
    static let fileName = "manifest.json"

    /// The content of a column.
    enum Kind: String, Codable {
        /// Unsigned numbers of 32 bits.
        case number = "u32"
        /// Seconds since 1970, as signed numbers of 64 bits; the least number stands for none.
        case time = "i64"
        /// Double-precision numbers; NaN stands for none.
        case degrees = "f64"
        /// Texts in UTF-8, after a table of the start of each text and the end of the last one (64 bits each, from 0).
        case text
    }

    /// A column of a part; it begins at the next multiple of 8 bytes after the previous column.
    struct Column: Codable {
        var name: String
        var kind: Kind
        var byteCount: Int
    }

    /// A file with some rows of a table.
    struct Part: Codable {
        var file: String
        var rows: Int
        /// The CRC-32 of the file, as zlib computes it.
        var checksum: UInt32
        var columns: [Column]
    }

    /// The entries that were left out when the tables were written.
    struct Omissions: Codable {
        var ofPrivateGroups = 0
        var ofPrivatePhotos = 0
    }

    var format = knownFormat
    var tables: [String: [Part]] = [:]
    /// The entries left out, by the table of the relation.
    var leftOut: [String: Omissions] = [:]

    func rowCount(_ table: String) -> Int { tables[table]?.reduce(0) { $0 + $1.rows } ?? 0 }
}

extension TableManifest.Part {
    /// The ranges of the columns, and the length of the file, in bytes.
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

/// A source of the entries, users and photos for a recompute.
///
/// The rows of matrices are the shown groups of the catalog, in ascending order of their ids' bytes. The numbers of
/// users and photos are up to the source; no version depends on them.
package protocol EntrySource: AnyObject {
    /// Estimates the work for each of some matrices; dates in the last weeks are recent.
    func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(Failure) -> [WorkEstimate]

    /// Estimates the amount of content of the photos.
    func contentEstimate() throws(Failure) -> ContentEstimate

    /// Reads a matrix.
    ///
    /// - Parameters:
    ///   - window: the window of dates to keep, or `nil` for none.
    ///   - progress: called with the number of rows read so far, from any thread.
    /// - Throws: `Failure.Code.badData` if the rows cannot have been written like this.
    func matrix(
        _ source: RelationSource, keeping window: ActivityWindow?,
        progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(Failure) -> MatrixReading

    /// Returns the posts of each shown group in a time, by row of a matrix.
    ///
    /// - Parameters:
    ///   - start: the time after which posts count, in Unix seconds, exclusive.
    ///   - end: the time of the last post that counts, inclusive.
    func talk(_ source: RelationSource, after start: Int64, until end: Int64) throws(Failure) -> [GroupTalk]

    /// Returns the number of rows of a table of pairs.
    func rowCount(_ source: RelationSource) throws(Failure) -> Int

    /// Whether a table of pairs has any row.
    func hasRows(_ source: RelationSource) throws(Failure) -> Bool

    /// Returns the columns of the users who are not listed.
    func unlistedUsers() throws(Failure) -> Set<UInt32>

    /// Returns the arm of each experiment that renamed users were shown first, by column.
    func shownArms() throws(Failure) -> [UInt32: [String: String]]

    /// Whether any photo has an owner.
    func hasPhotoOwners() throws(Failure) -> Bool

    /// The number of a photo's owner less the column of the user in a matrix.
    var ownerOffset: Int { get }

    /// Whether any photo may have tags or a location.
    func hasPhotoContent() throws(Failure) -> Bool

    /// Reads the content of all public photos, in one pass if their tags fit into memory.
    ///
    /// - Parameters:
    ///   - minimumPhotos: the least number of photos of a tag or cell in a vocabulary, inclusive.
    ///   - mostTags: the most different tags in the memory of each thread.
    ///   - progress: called with the number of photos passed so far, from any thread.
    /// - Throws: `Failure.Code.badData` if the photos are damaged.
    func photoContent(
        minimumPhotos: Int, mostTags: Int, progress: @escaping @Sendable (_ photos: Int) -> Void
    ) throws(Failure) -> PhotoContent

    /// Returns the texts of all users, by their column in a matrix.
    func users() throws(Failure) -> UserTexts

    /// Reads the memberships in shown groups of all users, some users at a time, on several threads.
    ///
    /// - Returns: what was made, in the order of the columns. All parts but the last have as many columns.
    func memberships<Part: Sendable>(
        _ source: RelationSource, _ make: @Sendable (UserMemberships) throws(Failure) -> Part
    ) throws(Failure) -> [Part]

    /// Calls `body` with each member's interactions with shown groups and last pause, ascending by column.
    ///
    /// - Parameters:
    ///   - impressionsSince: the earliest time of an impression to read, inclusive, in Unix milliseconds.
    ///   - body: a function that receives the user's column in a matrix of this source, interactions and a pause; one
    ///     of both may be missing. The interactions are in the order in which they were recorded, and their groups are
    ///     rows of that matrix.
    func forEachMember(impressionsSince: Int64, _ body: (_ column: Int, [Interaction], Pause?) -> Void)
        throws(Failure)
}

extension EntrySource {
    /// Reads the content of all public photos with the usual limit on tags in memory.
    package func photoContent(minimumPhotos: Int, progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(Failure) -> PhotoContent
    {
        try photoContent(minimumPhotos: minimumPhotos, mostTags: TagNumbers.mostTags, progress: progress)
    }
}

/// The ids and the stated interests of users, by their column in a matrix.
package struct UserTexts: Sendable {
    /// The external ids; empty for a column without a user.
    package internal(set) var ids = PackedTexts()
    /// The stated interests, separated by semicolons.
    package internal(set) var interests = PackedTexts()
    /// The stamps of the statements of interests in Unix milliseconds, by column; files have none.
    package internal(set) var interestsStamps: [UInt32: Int64] = [:]
}
