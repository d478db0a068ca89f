import FoundationEssentials

/// Reads a backup, and compares what it reads with the checksums.
struct ArchiveReader: ~Copyable {
    /// The most bytes of a manifest.
    private static let longestManifest = 16 << 20

    let manifest: BackupManifest
    private let file: ArchiveFile
    /// Where the files begin, by their names.
    private let offsets: [String: Int]

    /// Opens a backup and reads its manifest.
    ///
    /// - Throws: `BackupError.Code.damaged` if it is incomplete or something else, `newer` if this program cannot read
    ///   it.
    init(_ path: String) throws(BackupError) {
        let file = try ArchiveFile(reading: path)
        var (found, offset): ([String: TarHeader], Int) = ([:], 0)
        var offsets: [String: Int] = [:]
        while let header = TarHeader(block: try file.bytes(at: offset, count: TarHeader.blockByteCount)) {
            offset += TarHeader.blockByteCount
            (found[header.name], offsets[header.name]) = (header, offset)
            offset += header.paddedByteCount
        }
        guard let length = found[BackupManifest.fileName]?.byteCount, length <= Self.longestManifest,
            let manifestOffset = offsets[BackupManifest.fileName], let sumOffset = offsets["checksum"]
        else { throw Self.damaged(path, "it has no manifest: it is incomplete, or no backup") }
        let json = try file.bytes(at: manifestOffset, count: length)
        var checksum = RunningChecksum()
        checksum.add(json)
        guard try file.bytes(at: sumOffset, count: 16).elementsEqual(checksum.text.utf8) else {
            throw Self.damaged(path, "its manifest does not have its checksum")
        }
        let manifest = try Self.decode(json, path)
        guard manifest.files.contains(where: { $0.name == BackupManifest.catalogName }),
            manifest.files.allSatisfy({ found[$0.name]?.byteCount == $0.byteCount }),
            manifest.files.allSatisfy(Self.isKnown)
        else { throw Self.damaged(path, "it does not have the files of its manifest") }
        self.init(file, manifest, offsets)
    }

    private init(_ file: consuming ArchiveFile, _ manifest: BackupManifest, _ offsets: [String: Int]) {
        self.file = file
        self.manifest = manifest
        self.offsets = offsets
    }

    private static func decode(_ json: [UInt8], _ path: String) throws(BackupError) -> BackupManifest {
        struct Format: Decodable { var format: Int }
        do {
            let format = try JSONDecoder().decode(Format.self, from: Data(json)).format
            if format <= BackupManifest.format {
                return try JSONDecoder().decode(BackupManifest.self, from: Data(json))
            }
        } catch { throw damaged(path, "its manifest cannot be read: \(error)") }
        throw BackupError(.newer, "\(path) is a backup of a newer program: restore it with that program")
    }

    /// Reads a file of the manifest, and gives it to `take` piece by piece.
    ///
    /// - Throws: `BackupError.Code.damaged`, when all was given, if the file does not have its checksum.
    func read(_ entry: BackupManifest.File, _ take: ([UInt8]) throws(BackupError) -> Void) throws(BackupError) {
        let start = offsets[entry.name] ?? 0
        var checksum = RunningChecksum()
        for offset in stride(from: 0, to: entry.byteCount, by: RunningChecksum.pieceByteCount) {
            let count = min(RunningChecksum.pieceByteCount, entry.byteCount - offset)
            let piece = try file.bytes(at: start + offset, count: count)
            checksum.add(piece)
            try take(piece)
        }
        guard checksum.text == entry.checksum else {
            throw Self.damaged(file.path, "its \(entry.name) does not have its checksum")
        }
    }

    /// A small file of the manifest; nil if the backup does not have it.
    func content(of name: String) throws(BackupError) -> [UInt8]? {
        guard let entry = manifest.files.first(where: { $0.name == name }) else { return nil }
        var bytes: [UInt8] = []
        try read(entry) { piece in bytes += piece }
        return bytes
    }

    /// Writes a file of the manifest to a path, safe from a loss of power.
    func extract(_ entry: BackupManifest.File, to path: String) throws(BackupError) {
        let target = try ArchiveFile(writing: path)
        try read(entry) { piece throws(BackupError) in try target.append(piece) }
        try target.synchronize()
    }

    /// Whether a file has a place, which is nowhere but there.
    private static func isKnown(_ file: BackupManifest.File) -> Bool {
        guard file.name.hasPrefix(BackupManifest.journalPrefix) else {
            return [BackupManifest.catalogName, BackupManifest.streamsName, BackupManifest.experimentsName]
                .contains(file.name)
        }
        let journal = file.name.dropFirst(BackupManifest.journalPrefix.count)
        return !journal.isEmpty && !journal.hasPrefix(".") && !journal.contains("/")
    }

    private static func damaged(_ path: String, _ what: String) -> BackupError {
        BackupError(.damaged, "\(path) cannot be used: \(what); take another backup")
    }
}
