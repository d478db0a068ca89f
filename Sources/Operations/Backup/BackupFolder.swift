import CivilTime
import Files
import FoundationEssentials
import Glibc

/// A folder of backups that are named by their times, of which the newest stay.
public struct BackupFolder {
    private let path: String

    /// Creates a folder, which must exist before a backup is written to it.
    public init(_ path: String) { self.path = path }

    /// Returns the path for a backup that begins at a time in Unix seconds: `…/coterie-20261126T003000Z.tar`.
    public func file(at seconds: Int64) -> String {
        let time = UnixTime(seconds: seconds)?.description ?? "\(seconds)"
        return "\(path)/coterie-\(time.filter { $0 != "-" && $0 != ":" }).tar"
    }

    /// Removes the oldest backups; files with other names stay.
    ///
    /// - Parameter count: the number of backups that stay, 1 or more.
    /// - Returns: the paths of the removed files, oldest first.
    public func prune(keeping count: Int) throws(BackupError) -> [String] {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw BackupError(.fileFailed, "cannot list the folder \(path): \(SystemWords.sentence(error))")
        }
        let backups = names.filter(Self.isName).sorted()
        let removed = backups.dropLast(max(count, 1)).map { "\(path)/\($0)" }
        for file in removed where unsafe unlink(file) != 0 && errno != ENOENT {
            throw BackupError(.fileFailed, "cannot remove \(file): \(SystemWords.words(ofError: errno))")
        }
        return removed
    }

    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /coterie-[0-9]{8}T[0-9]{6}Z\.tar/) != nil }
}
