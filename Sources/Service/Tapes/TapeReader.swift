package import Basics
import FoundationEssentials
import Glibc

/// Reads the exchanges of all files of a tape, in their order.
///
/// An incomplete file, from a killed daemon or still being written, is read up to its last whole block. Damaged blocks
/// are passed over, and what is missing is counted by the numbers of the exchanges. The reader holds one block and the
/// bytes of one file in memory.
package final class TapeReader {
    private var files: ArraySlice<String>
    private var blocks: TapeFile?
    private var block: ArraySlice<Exchange> = []
    /// The header of the file that is being read.
    package private(set) var header: TapeHeader
    /// Whether a file that was read has other settings of lists, or another release, than the one before.
    package private(set) var hasChangedSettings = false
    /// The state of the tape, as far as it was read.
    package private(set) var condition = TapeCondition()
    /// The number of the last exchange that was read.
    private var lastSequence: UInt64?

    /// Opens a tape.
    ///
    /// - Parameter path: the path of a folder, or of one file.
    /// - Throws: `Failure`: `.missing` if there is no tape, `.otherFormat` if the file is no tape.
    package init(_ path: String) throws(Failure) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure(.missing, "there is no tape at \(path)")
        }
        let files = isFolder ? try TapeFolder(path: path).files() : [path]
        guard let first = files.first else {
            throw Failure(.missing, "there is no tape in \(path): \"coterie serve --record\" makes one")
        }
        let opened = try TapeFile(first)
        // The first header may be damaged; all files of a tape have one.
        var header = opened.header
        for path in files.dropFirst() where header == nil { header = (try? TapeFile(path))?.header }
        guard let header else { throw Failure(.missing, "\(path) has no whole header of a tape") }
        self.header = header
        blocks = opened
        self.files = files.dropFirst()
    }

    /// Returns the next exchange, or `nil` at the end.
    ///
    /// - Throws: `Failure.otherFormat` if a whole block has an invalid line.
    package func next() throws(Failure) -> Exchange? {
        while block.isEmpty {
            if let read = try blocks?.next() {
                block = read[...]
                continue
            }
            if let blocks { condition.note(blocks) }
            blocks = nil
            guard let path = files.popFirst() else { return nil }
            // A file that was begun when the daemon was killed may have no header yet.
            do throws(Failure) {
                let opened = try TapeFile(path)
                let next = opened.header ?? header
                if !next.makesSameLists(as: header) { hasChangedSettings = true }
                (blocks, header) = (opened, next)
            } catch {
                guard error.code == .missing else { throw error }
                condition.cutFiles.append(path)
            }
        }
        guard let exchange = block.popFirst() else { return nil }
        condition.recordedCount += 1
        // A daemon that starts again counts from 1.
        if let lastSequence, exchange.sequence > lastSequence + 1 {
            condition.missingCount += exchange.sequence - lastSequence - 1
        }
        lastSequence = exchange.sequence
        return exchange
    }
}

/// The state of a tape: what is on it, and what is missing.
package struct TapeCondition: Sendable, Equatable {
    /// The number of exchanges that can be read.
    package var recordedCount: UInt64 = 0
    /// The number of exchanges that are missing between others.
    package var missingCount: UInt64 = 0
    /// The number of damaged places.
    package var damagedCount = 0
    /// The paths of files that end too early: the daemon was killed, still records, or the file was cut.
    package var cutFiles: [String] = []

    package init() {}

    /// Whether everything that was recorded is there.
    package var isWhole: Bool { missingCount == 0 && damagedCount == 0 && cutFiles.isEmpty }

    fileprivate mutating func note(_ file: TapeFile) {
        damagedCount += file.damagedCount
        if file.isCut { cutFiles.append(file.path) }
    }
}

/// Writes a tape in blocks of lines.
///
/// Each block is a gzip member of its own, so all written blocks can be read at any time. The writer is a class,
/// because it owns the file. Two threads must not use it at the same time.
package final class TapeWriter {
    /// The limits on size and age.
    package struct Limits: Sendable, Equatable {
        /// The size of all files together, in bytes; 1 MiB or more.
        package var byteCount = 1 << 30
        /// The age of a file, from its last write, at which it is removed.
        package var keptSeconds: Int64 = 7 * 86400

        /// Creates the default limits: 1 GiB and 7 days.
        package init() {}

        /// The size in bytes at which a file is ended; it is small enough that removing the oldest file is no great
        /// loss.
        var fileByteCount: Int { max(1 << 16, min(byteCount / 16, 64 << 20)) }
    }

    /// The age at which a file is ended, and the interval between two removals of old files.
    private static let fileSeconds: Int64 = 3600

    private let folder: TapeFolder
    private let header: TapeHeader
    private let limits: Limits
    private let compressor: GzipCompressor
    /// The folder, with a lock that keeps other processes out.
    private let lock: OpenFile
    private var file: OpenTapeFile?
    private var lastPrunedAt: Int64 = 0
    private var block: [UInt8] = []
    /// The number of exchanges in the block.
    package private(set) var pendingCount = 0

    /// Creates a writer, and the folder if it is missing; only its owner may read the folder.
    ///
    /// - Throws: `Failure.busy` if another process records into the folder.
    package init(folder path: String, header: TapeHeader, limits: Limits = Limits()) throws(Failure) {
        guard let compressor = GzipCompressor(level: 1) else { throw Failure(.fileFailed, "there is no memory") }
        self.compressor = compressor
        folder = TapeFolder(path: path)
        self.header = header
        self.limits = limits
        try FileTree.makeDirectory(path, mode: 0o700)
        lock = try OpenFile(path, for: .directory)
        guard try lock.lock(waiting: false) else {
            throw Failure(.busy, "another process records into \(path): name another folder")
        }
    }

    deinit { end() }

    /// The size of the block's text, in bytes.
    package var pendingByteCount: Int { block.count }

    /// Adds an exchange to the block.
    ///
    /// - Parameters:
    ///   - exchange: the exchange.
    ///   - bodyOf: the number of an exchange of this block with the same body of the answer, or `nil` for none.
    package func append(_ exchange: Exchange, bodyOf: UInt64? = nil) {
        block += ExchangeLine(exchange: exchange, bodyOf: bodyOf).bytes
        block.append(UInt8(ascii: "\n"))
        pendingCount += 1
    }

    /// Writes the block, and begins the next one; after a failure, the exchanges of the block are lost.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    /// - Returns: the number of bytes that were added to the tape.
    @discardableResult
    package func writeBlock(atMilliseconds now: Int64) throws(Failure) -> Int {
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
        guard let member = compressor.member(of: block) else { throw Failure(.fileFailed, "there is no memory") }
        try open.append(member)
        return member.count
    }

    /// Ends a file that is large, old or broken, and removes old files once in `fileSeconds`.
    private func endOld(atMilliseconds now: Int64) throws(Failure) {
        let spanMilliseconds = Self.fileSeconds * 1000
        if let open = file, open.byteCount >= limits.fileByteCount || now - open.begunAt >= spanMilliseconds { end() }
        if file?.isBroken == true { file = nil }
        guard now - lastPrunedAt >= spanMilliseconds else { return }
        lastPrunedAt = now
        try prune(atMilliseconds: now)
    }

    /// Ends the file with the mark by which a reader knows that it is whole: a block without text.
    ///
    /// Without the mark, the reader takes the file for cut, which does no harm.
    package func end() {
        if let file, !file.isBroken, let mark = compressor.member(of: []) { try? file.append(mark) }
        file = nil
    }

    private func prune(atMilliseconds now: Int64) throws(Failure) {
        try folder.prune(
            keepingBytes: limits.byteCount - limits.fileByteCount, writtenSince: now / 1000 - limits.keptSeconds)
    }

    /// Begins a file, after making room for it within the limits.
    private func begin(atMilliseconds now: Int64) throws(Failure) -> OpenTapeFile {
        try prune(atMilliseconds: now)
        var header = header
        header.beganAtMilliseconds = now
        guard let member = compressor.member(of: header.bytes + [UInt8(ascii: "\n")]) else {
            throw Failure(.fileFailed, "there is no memory")
        }
        return try OpenTapeFile(in: folder, atMilliseconds: now, beginningWith: member)
    }
}
