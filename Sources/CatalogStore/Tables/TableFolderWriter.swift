import CZlib
import FoundationEssentials

/// Writes a folder of tables; the manifest, without which it is none, comes last.
struct TableFolderWriter {
    private let path: String
    private var manifest = TableManifest()

    /// Makes the folder if it is missing.
    ///
    /// - Throws: `CatalogError.Code.fileFailed` if that fails, or if there are tables in it already.
    init(_ path: String) throws(CatalogError) {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch { throw CatalogError(.fileFailed, "cannot make the folder \(path): \(error)") }
        guard !FileManager.default.fileExists(atPath: path + "/" + TableManifest.fileName) else {
            throw CatalogError(.fileFailed, "there are tables in \(path) already: remove them, or name another folder")
        }
    }

    /// Writes the next part of a table.
    mutating func write(_ part: TablePartContent, of table: String) throws(CatalogError) {
        let number = String(100_000 + (manifest.tables[table]?.count ?? 0)).dropFirst()
        let file = "\(table)-\(number).table"
        try write(part.bytes, to: file)
        let checksum = unsafe part.bytes.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) }
        manifest.tables[table, default: []].append(
            .init(file: file, rows: part.rows, checksum: UInt32(truncatingIfNeeded: checksum), columns: part.columns))
    }

    /// Notes what of a relation was left out, and that there may be no part of it.
    mutating func note(_ leftOut: TableManifest.LeftOut, of table: String) {
        manifest.leftOut[table] = leftOut
        if manifest.tables[table] == nil { manifest.tables[table] = [] }
    }

    /// Writes the manifest.
    func finish() throws(CatalogError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let json = try? encoder.encode(manifest) else { preconditionFailure("a manifest has nothing to refuse") }
        try write(Array(json), to: TableManifest.fileName)
    }

    private func write(_ bytes: [UInt8], to file: String) throws(CatalogError) {
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + file), options: .atomic)
        } catch { throw CatalogError(.fileFailed, "cannot write \(path)/\(file): \(error)") }
    }
}

/// The columns of a part, one behind the other.
struct TablePartContent {
    let rows: Int
    private(set) var columns: [TableManifest.Column] = []
    private(set) var bytes: [UInt8] = []

    init(rows: Int) { self.rows = rows }

    /// Adds a column of numbers.
    mutating func add<Element: BitwiseCopyable>(_ name: String, _ kind: TableManifest.Kind, _ values: [Element]) {
        begin()
        unsafe values.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        end(name, kind, byteCount: values.count * MemoryLayout<Element>.stride)
    }

    /// Adds a column of texts.
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
