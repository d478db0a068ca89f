import Compression
import FoundationEssentials
import Glibc

/// A file of a tape that is read: a header, and blocks of exchanges.
final class TapeFile {
    /// The longest text of a block, in bytes: more than any that is written.
    private static let blockLimitBytes = 64 << 20

    let path: String
    let header: TapeHeader
    /// Whether it ends within a block, or goes on with something else.
    private(set) var isCut = false
    private var rest: ArraySlice<UInt8>
    private let decompressor: GzipDecompressor

    /// Opens a file.
    convenience init(_ path: String) throws(TapeError) {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch { throw TapeError(.fileFailed, "\(path) cannot be read: \(error)") }
        try self.init(bytes, path: path)
    }

    /// - Parameters:
    ///   - bytes: of the file.
    ///   - path: names it in errors.
    /// - Throws: `TapeError`: `.missing` if they have no whole header, `.notATape` if they begin with something else.
    init(_ bytes: [UInt8], path: String) throws(TapeError) {
        guard let decompressor = GzipDecompressor() else { throw TapeError(.fileFailed, "there is no memory") }
        var rest = bytes[...]
        guard let text = decompressor.member(of: &rest, limit: Self.blockLimitBytes) else {
            let mayBeCut = bytes.isEmpty || GzipDecompressor.isGzip(bytes)
            throw TapeError(mayBeCut ? .missing : .notATape, "\(path) has no header of a tape")
        }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        guard let header = try? JSONDecoder().decode(TapeHeader.self, from: Data(line)) else {
            throw TapeError(.notATape, "\(path) is no tape")
        }
        guard header.format == TapeHeader.currentFormat else {
            throw TapeError(.notATape, "\(path) is a tape of format \(header.format), which this program cannot read")
        }
        (self.path, self.header, self.rest, self.decompressor) = (path, header, rest, decompressor)
    }

    /// The exchanges of the next block; nil at the end of what is whole.
    func next() throws(TapeError) -> [Exchange]? {
        guard !rest.isEmpty else { return nil }
        guard let text = decompressor.member(of: &rest, limit: Self.blockLimitBytes) else {
            isCut = true
            rest = []
            return nil
        }
        var exchanges: [Exchange] = []
        var indexes: [UInt64: Int] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard var read = ExchangeLine(line) else {
                throw TapeError(.notATape, "\(path) has a line that is no exchange")
            }
            if let number = read.bodyOf {
                guard let index = indexes[number] else {
                    throw TapeError(.notATape, "\(path) has an answer whose body is missing")
                }
                read.exchange.body = exchanges[index].body
            }
            indexes[read.exchange.sequence] = exchanges.count
            exchanges.append(read.exchange)
        }
        return exchanges
    }
}

/// The file of a tape that is being written; only its owner may read it.
final class OpenTapeFile {
    /// When it was begun, in Unix milliseconds.
    let begunAt: Int64
    private(set) var byteCount = 0
    private let path: String
    private let descriptor: Int32

    /// Whether there is something in it that could not be taken back: what came behind that could not be read.
    private(set) var isBroken = false

    /// Makes a file that begins with some bytes; if there is one of this moment already, of the next.
    init(in folder: TapeFolder, atMilliseconds now: Int64, beginningWith bytes: [UInt8]) throws(TapeError) {
        var instant = now
        var descriptor: Int32
        repeat {
            descriptor = unsafe open(
                folder.file(begunAtMilliseconds: instant), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            instant += 1
        } while descriptor < 0 && errno == EEXIST
        path = folder.file(begunAtMilliseconds: instant - 1)
        begunAt = now
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw .file(path, "cannot be made") }
        do throws(TapeError) {
            try append(bytes)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes, all or none: what was written of them when it failed is cut off.
    func append(_ bytes: [UInt8]) throws(TapeError) {
        var start = 0
        while start < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                let failure = TapeError.file(path, "cannot be written")
                isBroken = ftruncate(descriptor, byteCount) != 0 || lseek(descriptor, 0, SEEK_END) < 0
                throw failure
            }
            start += written
        }
        byteCount += bytes.count
    }
}

/// The files of a tape: a folder of them, named so that their order is that of their beginnings.
struct TapeFolder {
    private static let prefix = "tape-", suffix = ".jsonl.gz"

    let path: String

    /// The path of the file that was begun at a moment.
    func file(begunAtMilliseconds instant: Int64) -> String {
        let digits = String(max(0, instant))
        let zeros = String(repeating: "0", count: max(0, 13 - digits.count))
        return "\(path)/\(Self.prefix)\(zeros)\(digits)\(Self.suffix)"
    }

    /// The paths of all files, oldest first.
    func files() throws(TapeError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix) }.sorted().map { "\(path)/\($0)" }
        } catch { throw TapeError(.fileFailed, "the folder \(path) cannot be read: \(error)") }
    }

    /// Removes the oldest files until what is left has at most so many bytes, and those that were last written before
    /// a moment, in Unix seconds.
    func prune(keepingBytes limit: Int, writtenSince moment: Int64) throws(TapeError) {
        var kept = 0
        for file in try files().reversed() {
            var status = stat()
            guard unsafe stat(file, &status) == 0 else { continue }
            kept += status.st_size
            guard kept > limit || status.st_mtim.tv_sec < moment else { continue }
            guard unsafe unlink(file) == 0 || errno == ENOENT else { throw .file(file, "cannot be removed") }
        }
    }
}

extension TapeError {
    /// Something failed with a file; `errno` says why.
    static func file(_ path: String, _ what: String) -> TapeError {
        TapeError(.fileFailed, "\(path) \(what): \(unsafe String(cString: strerror(errno)))")
    }
}

/// Why a tape cannot be written or read.
public struct TapeError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// Another process records into the folder.
        case busy
        /// There is no tape at the path.
        case missing
        /// A file cannot be read or written.
        case fileFailed
        /// A file is no tape, or of a format that this program does not know.
        case notATape
        /// A key for pseudonyms is too short.
        case badKey
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
