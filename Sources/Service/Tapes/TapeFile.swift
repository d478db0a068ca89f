import Basics
import Glibc
import Model

/// A file of a tape, for reading: a header, and blocks of exchanges.
final class TapeFile {
    /// The longest text of a block, in bytes; the writer makes no longer ones.
    private static let blockLimitBytes = 64 << 20

    let path: String
    /// The header, or `nil` if it is damaged.
    let header: TapeHeader?
    /// Whether the file ends before its last block is whole, or before the mark of its end.
    private(set) var isCut = false
    /// The number of damaged places, each of which may have lost several blocks.
    private(set) var damagedCount = 0
    /// Whether the last block that was read is the mark of the end.
    private var isAtEnd = false
    private var rest: ArraySlice<UInt8>
    private let decompressor: GzipDecompressor

    convenience init(_ path: String) throws(Failure) {
        guard let bytes = try FileTree.content(of: path, limit: .max) else {
            throw Failure(.missing, "there is no tape at \(path)")
        }
        try self.init(bytes, path: path)
    }

    /// Reads the header from the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - path: the path for errors.
    /// - Throws: `Failure`: `.missing` if there is no whole header, `.otherFormat` if the file begins differently.
    init(_ bytes: [UInt8], path: String) throws(Failure) {
        guard let decompressor = GzipDecompressor() else { throw Failure(.fileFailed, "there is no memory") }
        (self.path, self.decompressor) = (path, decompressor)
        var rest = bytes[...]
        guard let text = decompressor.member(of: &rest, limit: Self.blockLimitBytes) else {
            let mayBeCut = bytes.isEmpty || GzipDecompressor.isGzip(bytes)
            guard mayBeCut, let next = Self.nextBlock(in: bytes[...], decompressor) else {
                throw Failure(mayBeCut ? .missing : .otherFormat, "\(path) has no header of a tape")
            }
            (header, damagedCount, self.rest) = (nil, 1, next)
            return
        }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        struct Number: Decodable { var format: Int }
        let number = try? JSON.decoded(Number.self, from: line)
        if let number,
            let other = OtherFormat(.tape, at: path, found: number.format, own: TapeHeader.currentFormat)
        {
            throw Failure(.otherFormat, other.message)
        }
        guard let header = try? JSON.decoded(TapeHeader.self, from: line) else {
            throw Failure(.otherFormat, "\(path) is no tape")
        }
        (self.header, self.rest) = (header, rest)
    }

    /// Returns the rest of a file from the first whole block behind its first byte, or `nil` if there is none.
    ///
    /// A block begins like every gzip member, and ends with a checksum of its text.
    private static func nextBlock(in bytes: ArraySlice<UInt8>, _ decompressor: GzipDecompressor) -> ArraySlice<UInt8>? {
        var rest = bytes.dropFirst()
        while let start = rest.firstIndex(of: magic[0]) {
            rest = rest[start...]
            if rest.starts(with: magic) {
                var trial = rest
                if decompressor.member(of: &trial, limit: blockLimitBytes) != nil { return rest }
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The first bytes of a gzip member that the writer makes.
    private static let magic: [UInt8] = [0x1F, 0x8B, 8]

    /// Returns the exchanges of the next whole block, or `nil` behind the last one.
    ///
    /// Damaged bytes are passed over, and counted.
    func next() throws(Failure) -> [Exchange]? {
        guard !rest.isEmpty else {
            if header != nil, !isAtEnd { isCut = true }
            return nil
        }
        let before = rest
        guard let text = decompressor.member(of: &rest, limit: Self.blockLimitBytes) else {
            guard let next = Self.nextBlock(in: before, decompressor) else {
                isCut = true
                rest = []
                return nil
            }
            damagedCount += 1
            rest = next
            return []
        }
        isAtEnd = text.isEmpty
        var exchanges: [Exchange] = []
        var indexes: [UInt64: Int] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard var read = ExchangeLine(line) else {
                throw Failure(.otherFormat, "\(path) has a line that is no exchange")
            }
            if let number = read.bodyOf {
                guard let index = indexes[number] else {
                    throw Failure(.otherFormat, "\(path) has an answer whose body is missing")
                }
                read.exchange.body = exchanges[index].body
            }
            indexes[read.exchange.sequence] = exchanges.count
            exchanges.append(read.exchange)
        }
        return exchanges
    }
}

/// A file of a tape, for writing; only its owner may read it.
final class OpenTapeFile {
    /// The time of its creation, in Unix milliseconds.
    let begunAt: Int64
    private(set) var byteCount = 0
    private let file: OpenFile

    /// Whether it ends in bytes of a failed write, so that blocks behind them could not be read.
    private(set) var isBroken = false

    /// Creates a file with its first bytes.
    ///
    /// The name is that of the given millisecond, or of the next one that no file has.
    init(in folder: TapeFolder, atMilliseconds now: Int64, beginningWith bytes: [UInt8]) throws(Failure) {
        var instant = now
        while FileTree.exists(folder.file(begunAtMilliseconds: instant)) { instant += 1 }
        let path = folder.file(begunAtMilliseconds: instant)
        file = OpenFile(owning: try PrivateFile.created(path), path)
        begunAt = now
        do throws(Failure) {
            try append(bytes)
        } catch {
            try? FileTree.remove(path)
            throw error
        }
    }

    /// Appends all bytes; after a failure, the bytes written so far are cut off.
    func append(_ bytes: [UInt8]) throws(Failure) {
        do throws(Failure) {
            try file.append(bytes)
        } catch {
            do throws(Failure) { try file.cut(to: byteCount) } catch { isBroken = true }
            throw error
        }
        byteCount += bytes.count
    }
}

/// The folder of a tape's files, whose names sort by the time of creation.
struct TapeFolder {
    private static let prefix = "tape-", suffix = ".jsonl.gz"

    let path: String

    /// Returns the path of the file that was begun at a time.
    func file(begunAtMilliseconds instant: Int64) -> String {
        "\(path)/\(Self.prefix)\(padded(max(0, instant), to: 13))\(Self.suffix)"
    }

    /// Returns the paths of all files, oldest first.
    func files() throws(Failure) -> [String] {
        try FileTree.names(in: path).filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix) }.sorted()
            .map { "\(path)/\($0)" }
    }

    /// Removes the oldest files beyond a size, and files that are too old.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of the files that are kept, together.
    ///   - moment: the earliest last write of a file that is kept, in Unix seconds.
    func prune(keepingBytes limit: Int, writtenSince moment: Int64) throws(Failure) {
        var kept = 0
        for file in try files().reversed() {
            guard let status = FileTree.status(of: file) else { continue }
            kept += status.st_size
            guard kept > limit || status.st_mtim.tv_sec < moment else { continue }
            try FileTree.remove(file)
        }
    }
}
