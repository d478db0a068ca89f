import Basics
import RecordReading

/// A writer of rejected records, which can be corrected and imported again, and of the reasons for their rejection.
///
/// Each file of records has the header and the delimiter of its source. Sources that differ in these get separate
/// files.
///
/// The file of reasons is tab-separated, with the columns source, line, reason, record, rejects_file and rejects_line.
/// The line is the first of the record, counted from 1. The column `record` has the beginning of the record. No file is
/// created before the first rejected record.
final class RejectedRecords {
    /// The properties that records must share to fit into one file.
    private struct Form: Hashable {
        var format: RecordFormat
        var delimiter: RecordDelimiter
        var header: [UInt8]
    }

    private struct File {
        let path: String
        let writer: FileWriter
        /// The line of the next record, counted from 1.
        var nextLine: Int
    }

    private let paths: RejectsPaths
    private let inputs: Set<FileIdentity>
    private let writesFiles: Bool
    private let earlierFiles: [String]
    private var files: [Form: File] = [:]
    private var reasons: FileWriter?
    private(set) var count = 0
    /// The number of bytes of all rejected records, written or not.
    private(set) var byteCount = 0
    private var reasonBytes = 0
    /// The number of records that were written; they are the first ones.
    private(set) var keptCount = 0
    /// The first rejected records.
    private(set) var examples: [ImportSummary.Example] = []

    private static let exampleCount = 10
    /// The most bytes of records, and of reasons, that are written (inclusive); later records are only counted.
    static let keptBytes = 256 << 20
    /// From this many rejected records or bytes on, their share is checked while reading goes on.
    private static let (manyRecords, manyBytes) = (100_000, 64 << 20)

    /// Whether the share should be checked now, because a bad file may take long to read to its end.
    var areMany: Bool { count >= Self.manyRecords || byteCount >= Self.manyBytes }

    /// - Parameters:
    ///   - inputs: The files that are read. They are never written to.
    ///   - writesFiles: Whether to write files; otherwise, rejected records are only counted and the first ones kept.
    init(path: String, inputs: Set<FileIdentity>, writesFiles: Bool) {
        paths = RejectsPaths(path)
        self.inputs = inputs
        self.writesFiles = writesFiles
        earlierFiles = writesFiles ? paths.filesNamedByReasons() : []
    }

    /// The paths of the files of records, sorted.
    var recordsPaths: [String] { files.values.map(\.path).sorted() }
    /// The path of the file of reasons, or nil if there is none.
    var reasonsPath: String? { reasons.map(\.path) }

    func add(_ record: ImportSummary.Example, _ reader: borrowing RecordReader) throws(Failure) {
        guard note(record, byteCount: reader.recordBytes) else { return }
        try writeReason(of: record, try write(reader))
    }

    /// Adds a record of a file that is no text: only the reason is written.
    func add(_ record: ImportSummary.Example) throws(Failure) {
        guard note(record, byteCount: record.excerpt.utf8.count) else { return }
        try writeReason(of: record, nil)
    }

    /// Counts a record; returns whether it is to be written.
    private func note(_ record: ImportSummary.Example, byteCount: Int) -> Bool {
        count += 1
        if examples.count < Self.exampleCount { examples.append(record) }
        self.byteCount += byteCount
        guard writesFiles, keptCount == count - 1, max(self.byteCount, reasonBytes) <= Self.keptBytes else {
            return false
        }
        keptCount = count
        return true
    }

    private func writeReason(of record: ImportSummary.Example, _ place: (path: String, line: Int)?) throws(Failure) {
        if reasons == nil {
            reasons = try FileWriter(path: free(paths.reasons))
            try reasons?.write(RejectsPaths.columns.joined(separator: "\t") + "\n")
        }
        let file = place.map { "\(Self.flat($0.path))\t\($0.line)" } ?? "\t"
        let line =
            "\(Self.flat(record.source))\t\(record.line)\t\(Self.flat(record.reason))\t"
            + "\(Self.flat(record.excerpt))\t\(file)\n"
        reasonBytes += line.utf8.count
        try reasons?.write(line)
    }

    /// Writes the current record of a reader, if the reader has kept all its bytes.
    private func write(_ reader: borrowing RecordReader) throws(Failure) -> (path: String, line: Int)? {
        guard let record = reader.rawRecord else { return nil }
        let form = Form(
            format: reader.dialect.format, delimiter: reader.dialect.delimiter, header: reader.headerBytes)
        var file = try file(for: form)
        defer { files[form] = file }
        let place = (file.path, file.nextLine)
        try file.writer.write(record + [UInt8(ascii: "\n")])
        file.nextLine += 1 + record.count { $0 == UInt8(ascii: "\n") }
        return place
    }

    private func file(for form: Form) throws(Failure) -> File {
        if let file = files[form] { return file }
        let path = free { number in paths.records(number, form.format) }
        let writer = try FileWriter(path: path)
        guard form.format != .jsonLines else { return File(path: path, writer: writer, nextLine: 1) }
        try writer.write(form.header + [UInt8(ascii: "\n")])
        return File(path: path, writer: writer, nextLine: 2 + form.header.count { $0 == UInt8(ascii: "\n") })
    }

    /// Returns the first of numbered paths that is neither an input nor written already.
    private func free(_ path: (_ number: Int) -> String) -> String {
        var number = 1
        while recordsPaths.contains(path(number)) || FileIdentity(path: path(number)).map(inputs.contains) ?? false {
            number += 1
        }
        return path(number)
    }

    /// Writes out everything that was added.
    func flush() throws(Failure) {
        for file in files.values { try file.writer.flush() }
        try reasons?.flush()
    }

    /// Completes the files, and removes those left by an earlier import.
    func finish() throws(Failure) {
        try flush()
        let written = Set(recordsPaths + [reasonsPath].compactMap(\.self))
        for path in earlierFiles where !written.contains(path) {
            guard let identity = FileIdentity(path: path), !inputs.contains(identity) else { continue }
            try? FileTree.remove(path)
        }
    }

    private static func flat(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
    }
}

extension RecordReader {
    /// Returns the beginning of the current record, safe to show.
    borrowing func excerpt(ofColumns count: Int) -> String {
        String((0..<count).map { text($0) }.joined(separator: "  ").prefix(200))
    }
}

/// The names of the files of rejected records.
struct RejectsPaths {
    /// The path of the first file without its extension.
    private let stem: String
    /// The extension with its dot, or nil to use that of the format.
    private let ending: String?

    /// - Parameter path: The first file of records. A path without an extension such as `.csv` gets that of the format.
    init(_ path: String) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            (stem, ending) = (path, nil)
            return
        }
        ending = String(name[dot...])
        stem = String(path.dropLast(name[dot...].count))
    }

    /// Returns the path of a file of reasons, which are numbered from 1.
    func reasons(_ number: Int) -> String { stem + "-reasons" + (number > 1 ? "-\(number)" : "") + ".tsv" }

    /// Returns the path of a file of records, which are numbered from 1.
    func records(_ number: Int, _ format: RecordFormat) -> String {
        stem + (number > 1 ? "-\(number)" : "") + (ending ?? ".\(format.fileEnding)")
    }

    /// Returns the files written by an earlier import, as its file of reasons names them.
    ///
    /// Other files with similar names may belong to somebody else.
    func filesNamedByReasons() -> [String] {
        let reasons = reasons(1)
        guard FileIdentity(path: reasons) != nil, let input = try? InputFile(path: reasons) else { return [] }
        var found: Set<String> = []
        var (field, fieldNumber, lineNumber) = ([UInt8](), 0, 1)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? input.read(into: &buffer), count > 0 {
            for byte in buffer.prefix(count) {
                let isLineFeed = byte == UInt8(ascii: "\n")
                guard isLineFeed || byte == UInt8(ascii: "\t") else {
                    if fieldNumber == Self.fileField { field.append(byte) }
                    continue
                }
                if fieldNumber == Self.fileField {
                    let text = String(decoding: field, as: UTF8.self)
                    if lineNumber == 1, text != Self.columns[Self.fileField] { return [] }
                    if lineNumber > 1, text.hasPrefix(stem) { found.insert(text) }
                    field.removeAll(keepingCapacity: true)
                }
                fieldNumber = isLineFeed ? 0 : fieldNumber + 1
                lineNumber += isLineFeed ? 1 : 0
            }
        }
        return found.sorted() + [reasons]
    }

    static let columns = ["source", "line", "reason", "record", "rejects_file", "rejects_line"]
    private static let fileField = 4
}

extension Importer {
    /// Refuses an import with too many rejected records.
    ///
    /// - Throws: `Failure` with the code `badData`.
    func checkRejects() throws(Failure) {
        if options.replaces, !options.allowsRejects, let first = findings.first(of: .joinedLines) {
            throw Failure(
                .badData,
                """
                \(first): quotes stretch over lines that could be records by themselves, and replacing could \
                remove just those: nothing was changed. Mend the quotes, or add --allow-rejects
                """)
        }
        let rejected = rejects.count
        guard rejected > 0 else { return }
        try checkShare(isAtEnd: true)
        let total = rejected + summary.rows
        guard !options.replaces || options.allowsRejects else {
            throw Failure(
                .badData,
                """
                \(rejected) of \(total) \(kind.name) were rejected, and replacing could remove just those: nothing was \
                changed. \(advice) Or add --allow-rejects
                """)
        }
    }

    /// Refuses an import if the share of rejected records is too large so far.
    ///
    /// - Parameter isAtEnd: Whether everything has been read.
    /// - Throws: `Failure` with the code `badData`.
    func checkShare(isAtEnd: Bool) throws(Failure) {
        let (rejected, total) = (rejects.count, rejects.count + summary.rows)
        let share = Double(rejected) / Double(total)
        guard share > options.maximumRejectedShare else { return }
        let place = isAtEnd ? "" : " read so far"
        throw Failure(
            .badData,
            """
            \(rejected) of \(total) \(kind.name)\(place) were rejected, \(percent(share)) %, and at most \
            \(percent(options.maximumRejectedShare)) % may be (--maximum-rejected): nothing was changed. \(advice)
            """)
    }

    /// The first rejected record, the files to look at, and advice on encodings.
    private var advice: String {
        let encoding = summary.notUTF8 > 0 ? " \(summary.notUTF8) are not UTF-8: \(encodingAdvice)." : ""
        guard let example = rejects.examples.first else { return "" }
        let place = "The first is \(example.source), line \(example.line): \(example.reason).\(encoding)"
        guard let reasons = rejects.reasonsPath else { return place }
        let kept = rejects.keptCount < rejects.count ? "The first \(rejects.keptCount)" : "All"
        return "\(place) \(kept) are in \(rejects.recordsPaths.joined(separator: ", ")), with reasons in \(reasons)."
    }

    private var encodingAdvice: String {
        RecordReading.encodingAdvice(forSource: rejects.examples.first?.source ?? "FILE")
    }

    /// Returns a share as a percentage with at most three decimals, without zeros at the end.
    private func percent(_ share: Double) -> String {
        let digits = Formats.fixed(share * 100, 3).reversed().drop { $0 == "0" }
        return String(digits.drop { $0 == "." }.reversed())
    }
}
