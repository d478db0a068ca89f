import FoundationEssentials
import Glibc

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
