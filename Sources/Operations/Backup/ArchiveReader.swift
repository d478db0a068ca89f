import CArchive
import Basics
import Model

/// Reads a backup, and verifies the checksums.
struct ArchiveReader {
    /// The greatest length of a manifest, in bytes.
    private static let longestManifest = 16 << 20

    let manifest: BackupManifest
    private let path: String

    /// Opens a backup and reads its manifest.
    ///
    /// - Throws: `Failure.Code.corrupt` if the file is incomplete or no backup, and `otherFormat` if it is one of
    ///   another program.
    init(_ path: String) throws(Failure) {
        var (lengths, json, sum): ([String: Int], [UInt8]?, [UInt8]?) = ([:], nil, nil)
        let archive = try TarFile(path)
        do throws(Failure) {
            while let (name, byteCount) = try archive.next() {
                lengths[name] = byteCount
                if name == BackupManifest.fileName, byteCount <= Self.longestManifest {
                    json = try archive.bytes(byteCount)
                } else if name == "checksum" {
                    sum = try archive.bytes(min(byteCount, 16))
                }
            }
        } catch { throw error.code == .corrupt ? Self.damaged(path, "it is incomplete, or no backup") : error }
        guard let json, let sum else { throw Self.damaged(path, "it has no manifest: it is incomplete, or no backup") }
        var checksum = RunningChecksum()
        checksum.add(json)
        guard sum.elementsEqual(checksum.text.utf8) else {
            throw Self.damaged(path, "its manifest does not have its checksum")
        }
        let manifest = try Self.decode(json, path)
        guard manifest.files.contains(where: { $0.name == BackupManifest.catalogName }),
            manifest.files.allSatisfy({ lengths[$0.name] == $0.byteCount && Self.isKnown($0.name) })
        else { throw Self.damaged(path, "it does not have the files of its manifest") }
        self.manifest = manifest
        self.path = path
    }

    /// Whether a file begins like a backup: as a tar archive whose first file has a name that backups use.
    static func seemsBackup(_ path: String) throws(Failure) -> Bool {
        do throws(Failure) {
            return try TarFile(path).next().map { isKnown($0.name) } ?? false
        } catch {
            guard error.code == .corrupt else { throw error }
            return false
        }
    }

    private static func decode(_ json: [UInt8], _ path: String) throws(Failure) -> BackupManifest {
        struct Numbers: Decodable { var format, schemaVersion: Int }
        let other: OtherFormat?
        do {
            let numbers = try JSON.decoded(Numbers.self, from: json)
            other =
                EarlierBackup.isOne(format: numbers.format, schemaVersion: numbers.schemaVersion)
                ? nil : OtherFormat(.backup, at: path, found: numbers.format, own: BackupManifest.format)
            if other == nil { return try JSON.decoded(BackupManifest.self, from: json) }
        } catch { throw damaged(path, "its manifest cannot be read: \(SystemWords.sentence(error))") }
        throw Failure(.otherFormat, other?.message ?? "")
    }

    /// Reads a file of the manifest, and passes its pieces to `take`.
    ///
    /// - Throws: `Failure.Code.corrupt` if the checksum is wrong; this shows only after the last piece.
    func read(_ entry: BackupManifest.File, _ take: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        let archive = try TarFile(path)
        while let (name, _) = try archive.next() {
            guard name == entry.name else { continue }
            var checksum = RunningChecksum()
            for offset in stride(from: 0, to: entry.byteCount, by: RunningChecksum.pieceByteCount) {
                let piece = try archive.bytes(min(RunningChecksum.pieceByteCount, entry.byteCount - offset))
                checksum.add(piece)
                try take(piece)
            }
            guard checksum.text == entry.checksum else { break }
            return
        }
        throw Self.damaged(path, "its \(entry.name) does not have its checksum")
    }

    /// Returns the content of a small file, or `nil` if the backup does not have it.
    func content(of name: String) throws(Failure) -> [UInt8]? {
        guard let entry = manifest.files.first(where: { $0.name == name }) else { return nil }
        var bytes: [UInt8] = []
        try read(entry) { piece in bytes += piece }
        return bytes
    }

    /// Writes a file of the manifest to a path in the format of today, and synchronises it to the disk.
    func extract(_ entry: BackupManifest.File, to path: String) throws(Failure) {
        do {
            let target = try OpenFile(path, for: .rewriting)
            try read(entry) { piece throws(Failure) in try target.append(piece) }
            try target.synchronize()
        }
        if manifest.format != BackupManifest.format { try EarlierBackup.bringOver(entry.name, at: path) }
    }

    /// Whether a name is that of a file of backups, which leads to no other folder.
    private static func isKnown(_ name: String) -> Bool {
        guard name.hasPrefix(BackupManifest.journalPrefix) else {
            return [
                BackupManifest.catalogName, BackupManifest.vectorsName, BackupManifest.streamsName,
                BackupManifest.experimentsName,
            ]
            .contains(name)
        }
        let journal = name.dropFirst(BackupManifest.journalPrefix.count)
        return !journal.isEmpty && !journal.hasPrefix(".") && !journal.contains("/")
    }

    fileprivate static func damaged(_ path: String, _ what: String, _ advice: String? = nil) -> Failure {
        Failure(.corrupt, "\(path) cannot be used: \(what); \(advice ?? "take another backup")")
    }
}

/// A tar archive that is read from beginning to end, as it is or packed by gzip, zstd or xz.
@safe
private struct TarFile: ~Copyable {
    private let path: String
    private let archive: OpaquePointer

    init(_ path: String) throws(Failure) {
        // A pipe could be read only once, and be waited for. Opened first for a clear error if the file is missing.
        try RegularFile.refuseOther(FileTree.status(of: path), path)
        _ = try OpenFile(path, for: .reading, unreadable: .fileFailed)
        guard let archive = unsafe archive_read_new() else { throw unsafe .archive(nil, "read", path) }
        unsafe archive_read_support_format_tar(archive)
        unsafe archive_read_support_filter_gzip(archive)
        unsafe archive_read_support_filter_zstd(archive)
        unsafe archive_read_support_filter_xz(archive)
        guard unsafe archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else {
            unsafe archive_read_free(archive)
            throw ArchiveReader.damaged(
                path, "it is no tar archive",
                "if it is encrypted or packed, unpack it first; if not, take another backup")
        }
        self.path = path
        unsafe self.archive = unsafe archive
    }

    deinit { unsafe archive_read_free(archive) }

    /// Moves to the next file, or returns `nil` at the end.
    func next() throws(Failure) -> (name: String, byteCount: Int)? {
        var entry: OpaquePointer?
        switch unsafe archive_read_next_header(archive, &entry) {
        case ARCHIVE_EOF: return nil
        case ARCHIVE_OK:
            guard let name = unsafe archive_entry_pathname(entry) else { throw unsafe Self.failure(archive, path) }
            return unsafe (String(cString: name), Int(archive_entry_size(entry)))
        default: throw unsafe Self.failure(archive, path)
        }
    }

    /// Returns the next bytes of the file.
    ///
    /// - Throws: `Failure.Code.corrupt` if there are fewer.
    func bytes(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe archive_read_data(archive, $0.baseAddress, $0.count) }
        guard read == count else { throw unsafe Self.failure(archive, path) }
        return bytes
    }

    private static func failure(_ archive: OpaquePointer, _ path: String) -> Failure {
        let reason = unsafe archive_error_string(archive).map { unsafe String(cString: $0) }
        return ArchiveReader.damaged(path, reason ?? "it is incomplete")
    }
}
