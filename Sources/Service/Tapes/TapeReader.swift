import Compression
import FoundationEssentials
import Glibc

/// Reads a tape from its beginning: the exchanges of all its files, in their order.
///
/// A file that a killed daemon left, or that is being written, is read as far as it is whole. Needs memory for one
/// block and the bytes of one file.
public final class TapeReader {
    private var files: ArraySlice<String>
    private var blocks: TapeFile?
    private var block: ArraySlice<Exchange> = []
    /// The header of the file that was read last, the first one at the beginning.
    public private(set) var header: TapeHeader
    /// The files whose end was missing or damaged, as far as they were read.
    public private(set) var cutFiles: [String] = []

    /// Opens a tape.
    ///
    /// - Parameter path: a folder, or one file.
    /// - Throws: `TapeError`: `.missing` if there is none, `.notATape` if it is none.
    public init(_ path: String) throws(TapeError) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw TapeError(.missing, "there is no tape at \(path)")
        }
        let files = isFolder ? try TapeFolder(path: path).files() : [path]
        guard let first = files.first else {
            throw TapeError(.missing, "there is no tape in \(path): \"coterie serve --record\" makes one")
        }
        let opened = try TapeFile(first)
        header = opened.header
        blocks = opened
        self.files = files.dropFirst()
    }

    /// The next exchange; nil at the end.
    ///
    /// - Throws: `TapeError.notATape` for what is whole and yet no line of a tape.
    public func next() throws(TapeError) -> Exchange? {
        while block.isEmpty {
            if let read = try blocks?.next() {
                block = read[...]
                continue
            }
            if let blocks, blocks.isCut { cutFiles.append(blocks.path) }
            blocks = nil
            guard let path = files.popFirst() else { return nil }
            // One that was begun when the daemon was killed has no header yet.
            do throws(TapeError) {
                let opened = try TapeFile(path)
                (blocks, header) = (opened, opened.header)
            } catch {
                guard error.code == .missing else { throw error }
                cutFiles.append(path)
            }
        }
        return block.popFirst()
    }
}

/// Writes a tape: blocks of lines, each a gzip member of its own, so that all but the last can be read at any time.
///
/// A class, because it owns the file; two threads must not use it at the same time.
public final class TapeWriter {
    /// How much is kept.
    public struct Limits: Sendable, Equatable {
        /// The size of all files together, in bytes; 1 MiB or more.
        public var byteCount = 1 << 30
        /// How long a file stays after it was last written.
        public var keptSeconds: Int64 = 7 * 86400

        /// The usual limits: 1 GiB and 7 days.
        public init() {}

        /// A file is ended at this size, in bytes: so many of them make up a tape that the oldest can go.
        var fileByteCount: Int { max(1 << 16, min(byteCount / 16, 64 << 20)) }
    }

    /// A file is ended after this time, so that old ones can go one by one; as often it is looked for these.
    private static let fileSeconds: Int64 = 3600

    private let folder: TapeFolder
    private let header: TapeHeader
    private let limits: Limits
    private let compressor: GzipCompressor
    /// Keeps other processes out of the folder.
    private let lock: Int32
    private var file: OpenTapeFile?
    private var lastPrunedAt: Int64 = 0
    private var block: [UInt8] = []
    /// The exchanges of the block.
    public private(set) var pendingCount = 0

    /// Makes the folder if it is missing; only its owner may read it.
    ///
    /// - Throws: `TapeError.busy` if another process records into it.
    public init(folder path: String, header: TapeHeader, limits: Limits = Limits()) throws(TapeError) {
        guard let compressor = GzipCompressor(level: 1) else { throw TapeError(.fileFailed, "there is no memory") }
        self.compressor = compressor
        folder = TapeFolder(path: path)
        self.header = header
        self.limits = limits
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw .file(path, "cannot be made") }
        lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw .file(path, "cannot be opened") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw TapeError(.busy, "another process records into \(path): name another folder")
        }
    }

    deinit { close(lock) }

    /// The text of the block, in bytes.
    public var pendingByteCount: Int { block.count }

    /// Adds an exchange to the block.
    ///
    /// - Parameter bodyOf: the number of an exchange of the same block whose answer has the same body; nil for none.
    public func append(_ exchange: Exchange, bodyOf: UInt64? = nil) {
        block += ExchangeLine(exchange: exchange, bodyOf: bodyOf).bytes
        block.append(UInt8(ascii: "\n"))
        pendingCount += 1
    }

    /// Writes the block, and begins the next; also if it fails: then its exchanges are lost.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    /// - Returns: how many bytes the tape has grown by.
    @discardableResult
    public func writeBlock(atMilliseconds now: Int64) throws(TapeError) -> Int {
        defer {
            block.removeAll(keepingCapacity: true)
            pendingCount = 0
        }
        try endOld(atMilliseconds: now)
        guard pendingCount > 0 else { return 0 }
        let open: OpenTapeFile
        if let file {
            open = file
        } else {
            open = try begin(atMilliseconds: now)
            file = open
        }
        guard let member = compressor.member(of: block) else { throw TapeError(.fileFailed, "there is no memory") }
        try open.append(member)
        return member.count
    }

    /// Ends the file if it is large, old or broken; removes what is too old, once in a while.
    private func endOld(atMilliseconds now: Int64) throws(TapeError) {
        let spanMilliseconds = Self.fileSeconds * 1000
        if let open = file, open.byteCount >= limits.fileByteCount || now - open.begunAt >= spanMilliseconds {
            file = nil
        }
        if file?.isBroken == true { file = nil }
        guard now - lastPrunedAt >= spanMilliseconds else { return }
        lastPrunedAt = now
        try prune(atMilliseconds: now)
    }

    private func prune(atMilliseconds now: Int64) throws(TapeError) {
        try folder.prune(
            keepingBytes: limits.byteCount - limits.fileByteCount, writtenSince: now / 1000 - limits.keptSeconds)
    }

    /// Begins a file, once there is room for it within the limits.
    private func begin(atMilliseconds now: Int64) throws(TapeError) -> OpenTapeFile {
        try prune(atMilliseconds: now)
        var header = header
        header.beganAtMilliseconds = now
        guard let member = compressor.member(of: header.bytes + [UInt8(ascii: "\n")]) else {
            throw TapeError(.fileFailed, "there is no memory")
        }
        return try OpenTapeFile(in: folder, atMilliseconds: now, beginningWith: member)
    }
}
