import RecordReading

/// Writes rejected records so that they can be mended and imported again, and beside them why they were rejected.
///
/// Records go to a file with the header and the delimiter of their source; sources that differ in these get a file
/// each. The reasons are tab-separated, with the columns source, line (from 1, where the record begins), reason, record
/// (its beginning), rejects_file and rejects_line. Files are made at the first rejected record.
final class RejectedRecords {
    /// A rejected record that is shown to a person.
    struct Record {
        var source: String
        var line: Int
        var reason: String
        /// Its beginning, safe to show.
        var excerpt: String
    }

    /// What makes records of several sources fit into one file.
    private struct Dialect: Hashable {
        var format: RecordFormat
        var delimiter: RecordDelimiter
        var header: [UInt8]
    }

    private struct File {
        let path: String
        let writer: FileWriter
        /// The line that the next record begins at, from 1.
        var nextLine: Int
    }

    private let paths: RejectsPaths
    private let inputs: Set<FileIdentity>
    private let writesFiles: Bool
    private let earlierFiles: [String]
    private var files: [Dialect: File] = [:]
    private var reasons: FileWriter?
    private(set) var count = 0
    /// The first ones.
    private(set) var examples: [Record] = []

    private static let exampleCount = 10

    /// - Parameters:
    ///   - inputs: the files that are read, which are never written to.
    ///   - writesFiles: false only to count, and to keep examples.
    init(path: String, inputs: Set<FileIdentity>, writesFiles: Bool) {
        paths = RejectsPaths(path)
        self.inputs = inputs
        self.writesFiles = writesFiles
        earlierFiles = writesFiles ? paths.filesNamedByReasons() : []
    }

    /// The files of records, in the order of their names.
    var recordsPaths: [String] { files.values.map(\.path).sorted() }
    /// The file of reasons; nil if nothing was rejected.
    var reasonsPath: String? { reasons.map(\.path) }

    /// Adds the record that a reader is at.
    func add(_ record: Record, _ reader: borrowing RecordReader) throws(CatalogError) {
        count += 1
        if examples.count < Self.exampleCount { examples.append(record) }
        guard writesFiles else { return }
        let place = try write(reader)
        if reasons == nil {
            reasons = try FileWriter(path: paths.reasons)
            try reasons?.write(RejectsPaths.columns.joined(separator: "\t") + "\n")
        }
        let file = place.map { "\(Self.flat($0.path))\t\($0.line)" } ?? "\t"
        try reasons?.write(
            "\(Self.flat(record.source))\t\(record.line)\t\(Self.flat(record.reason))\t"
                + "\(Self.flat(record.excerpt))\t\(file)\n"
        )
    }

    /// Writes the record that a reader is at, if it was kept.
    private func write(_ reader: borrowing RecordReader) throws(CatalogError) -> (path: String, line: Int)? {
        guard let record = reader.rawRecord else { return nil }
        let dialect = Dialect(format: reader.format, delimiter: reader.delimiter, header: reader.headerBytes)
        var file = try file(for: dialect)
        defer { files[dialect] = file }
        let place = (file.path, file.nextLine)
        try file.writer.write(record + [UInt8(ascii: "\n")])
        file.nextLine += 1 + record.count { $0 == UInt8(ascii: "\n") }
        return place
    }

    private func file(for dialect: Dialect) throws(CatalogError) -> File {
        if let file = files[dialect] { return file }
        var number = 1
        var path = paths.records(number, dialect.format)
        while files.values.contains(where: { $0.path == path })
            || FileIdentity(path: path).map(inputs.contains) ?? false
        {
            number += 1
            path = paths.records(number, dialect.format)
        }
        let writer = try FileWriter(path: path)
        guard dialect.format != .jsonLines else { return File(path: path, writer: writer, nextLine: 1) }
        try writer.write(dialect.header + [UInt8(ascii: "\n")])
        return File(path: path, writer: writer, nextLine: 2 + dialect.header.count { $0 == UInt8(ascii: "\n") })
    }

    /// Writes all that was added.
    func flush() throws(CatalogError) {
        for file in files.values { try file.writer.flush() }
        try reasons?.flush()
    }

    /// Completes the files, and removes those that an earlier import has left.
    func finish() throws(CatalogError) {
        try flush()
        let written = Set(recordsPaths + [reasonsPath].compactMap(\.self))
        for path in earlierFiles where !written.contains(path) {
            guard let identity = FileIdentity(path: path), !inputs.contains(identity) else { continue }
            FileWriter.remove(path)
        }
    }

    private static func flat(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
    }
}
