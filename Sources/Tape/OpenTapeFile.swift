import Glibc

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
