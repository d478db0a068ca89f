package import Basics
package import Glibc
import RecordReading

/// A file or standard input, read from beginning to end.
///
/// Gzip is unpacked.
@safe
package final class InputFile {
    /// The name in messages.
    let name: String
    /// The size as stored (compressed), in bytes; nil for a pipe or a terminal.
    let byteCount: Int?
    /// The number of stored (compressed) bytes that were read so far.
    private(set) var bytesRead = 0
    /// The identity of the file, whatever its path.
    let identity: FileIdentity
    private let descriptor: Int32
    /// The bytes that were read but not yet returned.
    private var waiting: ArraySlice<UInt8> = []
    /// The bytes that were returned, and are to be returned once more.
    private var returned: ArraySlice<UInt8> = []
    private var isOpened = false
    private var unpacker: GzipDecompressor?
    private var isAtEndOfMember = false
    private static let chunkBytes = 256 << 10

    /// Opens a file.
    ///
    /// - Parameter path: The path of a file, or `-` for standard input.
    package init(path: String) throws(Failure) {
        if path == "-" {
            descriptor = STDIN_FILENO
            name = "standard input"
        } else {
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            name = path
        }
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
            throw Failure(.fileFailed, "cannot read \(path): \(SystemWords.lastError)")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw Failure(.badData, "cannot read \(path): it is a folder; name the files in it")
        }
        byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        identity = FileIdentity(status)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Reads into the beginning of a buffer.
    ///
    /// - Returns: The number of bytes, or 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        guard returned.isEmpty else {
            let count = min(returned.count, buffer.count)
            unsafe buffer.copyBytes(from: returned.prefix(count))
            returned = returned.dropFirst(count)
            return count
        }
        if !isOpened { try findFormat() }
        if let unpacker { return try unsafe unpack(unpacker, into: buffer) }
        guard !waiting.isEmpty else { return try unsafe readStored(into: buffer) }
        let count = min(waiting.count, buffer.count)
        unsafe buffer.copyBytes(from: waiting.prefix(count))
        waiting = waiting.dropFirst(count)
        return count
    }

    /// Reads into the beginning of an array, and returns the number of bytes, or 0 at the end.
    func read(into buffer: inout [UInt8]) throws(Failure) -> Int {
        let result = unsafe buffer.withUnsafeMutableBytes { buffer -> Result<Int, Failure> in
            do throws(Failure) { return .success(try unsafe read(into: buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Puts back all bytes that were read, so that the next read returns them again.
    func putBack(_ bytes: some Sequence<UInt8>) { returned = ArraySlice(bytes) }

    /// Reads the first bytes, and detects whether the file is gzip.
    private func findFormat() throws(Failure) {
        isOpened = true
        var beginning: [UInt8] = []
        while beginning.count < 2, try readMore() { beginning += waiting }
        waiting = beginning[...]
        guard GzipDecompressor.isGzip(beginning) else { return }
        unpacker = GzipDecompressor()
        guard unpacker != nil else { throw Failure(.fileFailed, "cannot read \(name): there is no memory") }
    }

    private func unpack(_ unpacker: GzipDecompressor, into buffer: UnsafeMutableRawBufferPointer) throws(Failure)
        -> Int
    {
        while true {
            if waiting.isEmpty, try !readMore() {
                guard isAtEndOfMember else { throw damage("the compressed file is cut off") }
                return 0
            }
            // Tapes and some programs pad the end with zeros.
            if isAtEndOfMember, waiting.allSatisfy({ $0 == 0 }) {
                waiting = []
                continue
            }
            let progress: GzipDecompressor.Progress
            do {
                progress = try unsafe unpacker.unpack(waiting, into: buffer)
            } catch { throw damage("the compressed file is damaged, or something follows it that is not gzip") }
            waiting = waiting.dropFirst(progress.consumed)
            isAtEndOfMember = progress.isAtEndOfMember
            if progress.produced > 0 { return progress.produced }
        }
    }

    private func damage(_ reason: String) -> Failure {
        Failure(.badData, "cannot unpack \(name): \(reason)")
    }

    /// Reads the next bytes into `waiting`; returns false at the end.
    private func readMore() throws(Failure) -> Bool {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe Descriptor.read(descriptor, into: $0) }
        waiting = chunk.prefix(try checked(count))
        return count > 0
    }

    private func readStored(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        try checked(unsafe Descriptor.read(descriptor, into: buffer))
    }

    private func checked(_ count: Int) throws(Failure) -> Int {
        guard count >= 0 else { throw Failure(.fileFailed, "cannot read \(name): \(SystemWords.lastError)") }
        bytesRead += count
        return count
    }
}

extension InputFile {
    /// Returns the ids of a list, one a line; an empty line within it is an empty id.
    ///
    /// - Parameter path: The path of a file, or `-` for standard input.
    /// - Throws: `Failure` with the first line that is no id.
    package static func ids(in path: String) throws(Failure) -> [String] {
        let input = try InputFile(path: path)
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: chunkBytes))
        while case let count = try input.read(into: &chunk), count > 0 { bytes += chunk.prefix(count) }
        return try IDList.ids(in: bytes, source: input.name)
    }
}

/// The device and inode of a file, which are the same for all its names.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let node: UInt64

    package init(_ status: stat) {
        device = UInt64(status.st_dev)
        node = UInt64(status.st_ino)
    }

    /// Creates the identity of the file at a path; nil if there is no such file.
    package init?(path: String) {
        guard let status = FileTree.status(of: path) else { return nil }
        self.init(status)
    }
}
