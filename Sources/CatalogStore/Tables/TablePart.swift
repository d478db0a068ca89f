import CZlib
import Basics
import FoundationEssentials
import Glibc
import Model

/// A part of a table, mapped into memory.
///
/// Numbers are little-endian. All bounds are checked when a part is opened. The meaning of numbers is checked where
/// they are read.
struct TablePart: Sendable {
    let rowCount: Int
    /// The number of the first row, counted over the whole table.
    let firstRow: Int
    private let path: String
    private let region: ByteRegion
    private let ranges: [String: Range<Int>]

    /// Maps a part and verifies its checksum.
    init(_ part: TableManifest.Part, in folder: String, firstRow: Int) throws(Failure) {
        path = folder + "/" + part.file
        rowCount = part.rows
        self.firstRow = firstRow
        let (ranges, byteCount) = part.layout
        self.ranges = ranges
        guard part.rows >= 0, !part.file.contains("/") else {
            throw Self.damaged(path, "its row in the manifest is wrong")
        }
        region = try Self.mapped(path, byteCount: byteCount)
        for column in part.columns {
            let width = column.kind == .number ? 4 : 8
            let count = column.kind == .text ? part.rows + 1 : part.rows
            guard column.kind == .text ? column.byteCount >= width * count : column.byteCount == width * count else {
                throw Self.damaged(path, "column \(column.name) is not as long as its rows")
            }
            if column.kind == .text { try checkTexts(column.name) }
        }
        let checksum = unsafe region.withBytes(0..<region.count) { bytes in
            unsafe crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        guard checksum == UInt(part.checksum) else { throw Self.damaged(path, "it differs from its checksum") }
    }

    private static func damaged(_ path: String, _ reason: String) -> Failure {
        Failure(.badData, "\(path) is no part of a table: \(reason); write the tables again")
    }

    private static func mapped(_ path: String, byteCount: Int) throws(Failure) -> ByteRegion {
        let file = try OpenFile(path, for: .reading, unreadable: .fileFailed)
        let found = try file.byteCount()
        guard found == byteCount else {
            throw damaged(path, "it has \(found) bytes, not the \(byteCount) of the manifest")
        }
        return byteCount == 0 ? ByteRegion(copying: []) : try .mapping(file, count: byteCount)
    }

    /// Checks that the texts follow one another and fill the column.
    private func checkTexts(_ name: String) throws(Failure) {
        let range = ranges[name] ?? 0..<0
        let room = UInt64(range.count - 8 * (rowCount + 1))
        let isWhole = withColumn(name, of: UInt64.self) { ends in
            var last: UInt64 = 0
            for row in 0...rowCount {
                guard ends[row] >= last, row > 0 || ends[row] == 0 else { return false }
                last = ends[row]
            }
            return last == room
        }
        guard isWhole else { throw Self.damaged(path, "the texts of column \(name) do not follow each other") }
    }

    /// Checks that the part has the required columns.
    func require(_ names: [String]) throws(Failure) {
        for name in names where !has(name) { throw Self.damaged(path, "it has no column \(name)") }
    }

    func has(_ name: String) -> Bool { ranges[name] != nil }

    /// Calls `body` with the numbers of a column; with none if there is no such column.
    func withColumn<Element: BitwiseCopyable, Result, Failure: Error>(
        _ name: String, of type: Element.Type, _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe region.withBytes(ranges[name] ?? 0..<0) { bytes throws(Failure) in
            try unsafe body(bytes.bindMemory(to: Element.self).span)
        }
    }

    /// Calls `body` with the bytes of a text; with none if there is no such column.
    func withText<Result>(_ name: String, row: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        guard let range = ranges[name] else { return body(Span()) }
        let (start, end) = withColumn(name, of: UInt64.self) { (Int($0[row]), Int($0[row + 1])) }
        let first = range.lowerBound + 8 * (rowCount + 1)
        return unsafe region.withBytes(first + start..<first + end) { bytes in
            unsafe body(bytes.bindMemory(to: UInt8.self).span)
        }
    }

    /// Returns a text; broken UTF-8 is repaired.
    func text(_ name: String, row: Int) -> String {
        withText(name, row: row) { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    /// Compares a text with other bytes: negative if it is before, 0 if equal, positive if after.
    func compare(_ name: String, row: Int, with other: Span<UInt8>) -> Int {
        withText(name, row: row) { text in
            for offset in 0..<min(text.count, other.count) where text[offset] != other[offset] {
                return Int(text[offset]) - Int(other[offset])
            }
            return text.count - other.count
        }
    }
}

/// Writes a folder of tables; the manifest comes last, and without it the folder is invalid.
struct TableFolderWriter {
    private let path: String
    private var manifest = TableManifest()

    /// Creates the folder if it is missing.
    ///
    /// - Throws: `Failure.Code.fileFailed` if that fails, or if the folder already has tables.
    init(_ path: String) throws(Failure) {
        self.path = path
        guard PrivateFile.makeFolder(path) else {
            throw Failure(.fileFailed, "cannot make the folder \(path): \(SystemWords.lastError)")
        }
        guard !FileManager.default.fileExists(atPath: path + "/" + TableManifest.fileName) else {
            throw Failure(.fileFailed, "there are tables in \(path) already: remove them, or name another folder")
        }
    }

    mutating func write(_ part: TablePartContent, of table: String) throws(Failure) {
        let number = String(100_000 + (manifest.tables[table]?.count ?? 0)).dropFirst()
        let file = "\(table)-\(number).table"
        try write(part.bytes, to: file)
        let checksum = unsafe part.bytes.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) }
        manifest.tables[table, default: []].append(
            .init(file: file, rows: part.rows, checksum: UInt32(truncatingIfNeeded: checksum), columns: part.columns))
    }

    /// Records the entries of a relation that were left out; the relation may have no parts.
    mutating func note(_ leftOut: TableManifest.Omissions, of table: String) {
        manifest.leftOut[table] = leftOut
        if manifest.tables[table] == nil { manifest.tables[table] = [] }
    }

    func finish() throws(Failure) {
        guard let json = try? JSON.encoded(manifest, isIndented: true) else {
            preconditionFailure("a manifest has nothing to refuse")
        }
        try write(json, to: TableManifest.fileName)
    }

    private func write(_ bytes: [UInt8], to file: String) throws(Failure) {
        try PrivateFile.write(bytes, to: path + "/" + file)
    }
}

/// The columns of a part, one after another.
struct TablePartContent {
    let rows: Int
    private(set) var columns: [TableManifest.Column] = []
    private(set) var bytes: [UInt8] = []

    /// Adds a column of numbers.
    mutating func add<Element: BitwiseCopyable>(_ name: String, _ kind: TableManifest.Kind, _ values: [Element]) {
        begin()
        unsafe values.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        end(name, kind, byteCount: values.count * MemoryLayout<Element>.stride)
    }

    mutating func add(_ name: String, _ texts: [[UInt8]]) {
        begin()
        var ends: [UInt64] = [0]
        ends.reserveCapacity(texts.count + 1)
        for text in texts { ends.append((ends.last ?? 0) + UInt64(text.count)) }
        let start = bytes.count
        unsafe ends.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        for text in texts { bytes += text }
        end(name, .text, byteCount: bytes.count - start)
    }

    private mutating func begin() { while bytes.count % 8 != 0 { bytes.append(0) } }

    private mutating func end(_ name: String, _ kind: TableManifest.Kind, byteCount: Int) {
        columns.append(.init(name: name, kind: kind, byteCount: byteCount))
    }
}
