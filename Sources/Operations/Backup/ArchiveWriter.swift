import CArchive
import Basics

/// Writes the files of a backup, one after the other, as a tar archive.
///
/// Until `finish` the archive has another name, so a partial backup cannot be mistaken for a complete one.
@safe
struct ArchiveWriter: ~Copyable {
    private let path: String
    private let file: OpenFile
    /// libarchive's writer.
    private let archive: OpaquePointer
    private(set) var files: [BackupManifest.File] = []

    /// The end of the preliminary name, and the beginning of what follows the path in names of scratch files.
    private static let mark = ".backup-partial"

    /// The path of a file that is prepared before it is added; it is next to the archive, because it is as large.
    var scratch: String { path + Self.mark + "-scratch" }

    /// Creates the archive under its preliminary name, after removing what killed writers have left in its folder.
    ///
    /// - Throws: `Failure.Code.busy` if another process writes the same backup.
    init(_ path: String) throws(Failure) {
        // The file comes last: an `init` that throws must not have initialised part of the value.
        for path in (try? Self.unfinished(in: FileTree.folder(of: path))) ?? [] { Self.removeRemains(of: path) }
        try self.init(path, OpenFile(path + Self.mark, for: .rewriting))
    }

    private init(_ path: String, _ file: consuming OpenFile) throws(Failure) {
        guard let archive = unsafe archive_write_new() else { throw unsafe .archive(nil, "write", path) }
        // Plain ustar headers, with a pax header only if a length needs one.
        let isOpen =
            unsafe archive_write_set_format_pax_restricted(archive) == ARCHIVE_OK
            && archive_write_open_fd(archive, file.descriptor) == ARCHIVE_OK
        guard isOpen else {
            let error = unsafe Failure.archive(archive, "write", path)
            unsafe archive_write_free(archive)
            throw error
        }
        self.path = path
        self.file = file
        unsafe self.archive = unsafe archive
    }

    deinit { unsafe archive_write_free(archive) }

    /// Adds a file: `write` makes it at the path that it gets, and it is removed afterwards.
    mutating func add(_ name: String, _ write: (String) throws(Failure) -> Void) throws(Failure) {
        try write(scratch)
        let source = try OpenFile(scratch, for: .reading, unreadable: .fileFailed)
        let count = try source.byteCount()
        try begin(name, byteCount: count)
        var checksum = RunningChecksum()
        for offset in stride(from: 0, to: count, by: RunningChecksum.pieceByteCount) {
            let piece = try source.bytes(count: min(RunningChecksum.pieceByteCount, count - offset), at: offset)
            checksum.add(piece)
            try append(piece)
        }
        try FileTree.remove(scratch)
        files.append(BackupManifest.File(name: name, byteCount: count, checksum: checksum.text))
    }

    /// Adds the manifest, and gives the archive its final name.
    consuming func finish(_ manifest: BackupManifest) throws(Failure) {
        let json: [UInt8]
        do { json = try JSON.encoded(manifest, isIndented: true) } catch {
            throw Failure(.fileFailed, "the manifest cannot be written as JSON: \(SystemWords.sentence(error))")
        }
        var checksum = RunningChecksum()
        checksum.add(json)
        for (name, content) in [(BackupManifest.fileName, json), ("checksum", Array("\(checksum.text)\n".utf8))] {
            try begin(name, byteCount: content.count)
            try append(content)
        }
        guard unsafe archive_write_close(archive) == ARCHIVE_OK else { throw unsafe .archive(archive, "write", path) }
        try file.synchronize()
        try FileTree.move(path + Self.mark, to: path, .powerLoss)
    }

    /// Removes the files that a failed writer has left, the archive last.
    static func removeRemains(of path: String) {
        for end in ["-scratch", "-scratch-journal", "-scratch-wal", "-scratch-shm", ""] {
            try? FileTree.remove(path + mark + end)
        }
    }

    /// Returns the paths of the archives in a folder that killed writers have begun, sorted.
    static func unfinished(in folder: String) throws(Failure) -> [String] {
        var paths: Set<String> = []
        for name in try FileTree.names(in: folder) {
            guard let mark = name.firstRange(of: Self.mark) else { continue }
            let path = "\(folder)/\(name[..<mark.lowerBound])"
            if !FileTree.exists(path + Self.mark) || OpenFile.isAbandoned(path + Self.mark) { paths.insert(path) }
        }
        return paths.sorted()
    }

    private func begin(_ name: String, byteCount: Int) throws(Failure) {
        let entry = unsafe archive_entry_new()
        defer { unsafe archive_entry_free(entry) }
        unsafe archive_entry_set_pathname_utf8(entry, name)
        unsafe archive_entry_set_size(entry, Int64(byteCount))
        // A plain file: AE_IFREG is a cast that Swift cannot import.
        unsafe archive_entry_set_filetype(entry, 0o100_000)
        unsafe archive_entry_set_perm(entry, 0o600)
        guard unsafe archive_write_header(archive, entry) == ARCHIVE_OK else {
            throw unsafe .archive(archive, "write", path)
        }
    }

    private func append(_ bytes: [UInt8]) throws(Failure) {
        let written = unsafe bytes.withUnsafeBytes { unsafe archive_write_data(archive, $0.baseAddress, $0.count) }
        guard written == bytes.count else { throw unsafe .archive(archive, "write", path) }
    }
}

/// A checksum of a file that is read in pieces: XXH3, 64 bits.
///
/// Each step hashes the checksum so far, as 8 little-endian bytes, followed by the next piece. The checksum detects
/// damage; it does not stop a person who may write to the file.
struct RunningChecksum {
    /// The bytes of each piece except the last; part of the format.
    static let pieceByteCount = 1 << 20

    private var number: UInt64 = 0

    mutating func add(_ piece: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: number)
        number = Checksum.number(of: bytes + piece)
    }

    /// The checksum as 16 hexadecimal digits.
    var text: String { Checksum.text(ofNumber: number) }
}

extension Failure {
    /// Returns an error with the last message of libarchive.
    static func archive(_ archive: OpaquePointer?, _ action: String, _ path: String) -> Failure {
        let reason = unsafe archive.flatMap { unsafe archive_error_string($0) }.map { unsafe String(cString: $0) }
        return Failure(.fileFailed, "cannot \(action) \(path): \(reason ?? "out of memory")")
    }
}
