import FoundationEssentials

/// Writes the files of a backup one behind the other.
///
/// Until `finish` the archive has another name, so that nobody takes half a backup for one.
struct ArchiveWriter: ~Copyable {
    private let path: String
    private let file: ArchiveFile
    private(set) var files: [BackupManifest.File] = []

    /// Where a file is prepared before it is added; beside the archive, as it is as large.
    var scratch: String { path + ".scratch" }

    /// - Throws: `BackupError.Code.occupied` if another process writes the same backup.
    init(_ path: String) throws(BackupError) {
        // The file comes last: an `init` that throws must not have initialised part of the value.
        let file = try ArchiveFile(writing: path + ".partial")
        try FileName.remove(path + ".scratch")
        self.init(path, file)
    }

    private init(_ path: String, _ file: consuming ArchiveFile) {
        self.path = path
        self.file = file
    }

    /// Adds what `write` writes into the file that it is given the path of, and removes that file.
    mutating func add(_ name: String, _ write: (String) throws(BackupError) -> Void) throws(BackupError) {
        guard name.utf8.count <= TarHeader.longestName else {
            throw BackupError(.fileFailed, "the name \(name) is too long for a backup")
        }
        try write(scratch)
        let source = try ArchiveFile(reading: scratch)
        let count = try source.byteCount()
        try file.append(TarHeader(name: name, byteCount: count).block)
        var checksum = RunningChecksum()
        for offset in stride(from: 0, to: count, by: RunningChecksum.pieceByteCount) {
            let piece = try source.bytes(at: offset, count: min(RunningChecksum.pieceByteCount, count - offset))
            checksum.add(piece)
            try file.append(piece)
        }
        try pad(count)
        try FileName.remove(scratch)
        files.append(BackupManifest.File(name: name, byteCount: count, checksum: checksum.text))
    }

    /// Adds the manifest, and gives the archive its name.
    consuming func finish(_ manifest: BackupManifest) throws(BackupError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let json: [UInt8]
        do { json = try Array(encoder.encode(manifest)) + Array("\n".utf8) } catch {
            throw BackupError(.fileFailed, "the manifest cannot be written as JSON: \(error)")
        }
        var checksum = RunningChecksum()
        checksum.add(json)
        for (name, content) in [(BackupManifest.fileName, json), ("checksum", Array("\(checksum.text)\n".utf8))] {
            try file.append(TarHeader(name: name, byteCount: content.count).block + content)
            try pad(content.count)
        }
        try file.append([UInt8](repeating: 0, count: 2 * TarHeader.blockByteCount))
        try file.synchronize()
        try FileName.move(path + ".partial", to: path)
    }

    /// Removes what a writer that failed has left.
    static func removeRemains(of path: String) {
        try? FileName.remove(path + ".partial")
        try? FileName.remove(path + ".scratch")
    }

    private func pad(_ count: Int) throws(BackupError) {
        let rest = count % TarHeader.blockByteCount
        if rest > 0 { try file.append([UInt8](repeating: 0, count: TarHeader.blockByteCount - rest)) }
    }
}
