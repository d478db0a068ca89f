package import Basics
import FoundationEssentials
import Glibc

/// A folder of backups that are named by their times, of which the newest stay.
package struct BackupFolder {
    private let path: String

    /// Creates a folder, which must exist before a backup is written to it.
    package init(_ path: String) { self.path = path }

    /// Returns the path for a backup that begins at a time in Unix seconds: `…/coterie-20261126T003000Z.tar`.
    package func file(at seconds: Int64) -> String { "\(path)/\(Self.name(at: seconds))" }

    private static func name(at seconds: Int64) -> String {
        let time = UnixTime(seconds: seconds)?.description ?? "\(seconds)"
        return "coterie-\(time.filter { $0 != "-" && $0 != ":" }).tar"
    }

    /// Removes the oldest backups; files with other names stay.
    ///
    /// Backups that are named after a time in the future stay, and do not count: a clock was ahead.
    ///
    /// - Parameters:
    ///   - count: the number of backups that stay, 1 or more.
    ///   - seconds: the present, in Unix seconds.
    /// - Returns: the paths of the removed files, and of those from the future, each oldest first.
    package func prune(keeping count: Int, at seconds: Int64) throws(Failure) -> (
        removed: [String], ahead: [String]
    ) {
        // Such names are in the order of their times.
        let present = Self.name(at: seconds)
        let backups = try names().filter(Self.isName).sorted()
        let removed = backups.filter { $0 <= present }.dropLast(max(count, 1)).map { "\(path)/\($0)" }
        for file in removed { try FileTree.remove(file) }
        return (removed, backups.filter { $0 > present }.map { "\(path)/\($0)" })
    }

    private func names() throws(Failure) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw Failure(.fileFailed, "cannot list the folder \(path): \(SystemWords.sentence(error))")
        }
    }

    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /coterie-[0-9]{8}T[0-9]{6}Z\.tar/) != nil }
}

extension BackupFolder {
    /// A file of the folder that is a backup, or has the name of one.
    struct Entry {
        let path: String
        let byteCount: Int
        let state: State

        enum State {
            /// The backup is complete, by its manifest, and began at a time in Unix milliseconds.
            case complete(startedAt: Int64)
            /// This user may not read the file, which was changed last at a time in Unix milliseconds.
            case closed(changedAt: Int64, reason: String)
            /// The file is damaged, incomplete or no backup.
            case damaged(String)
        }

        /// The time of the backup, in Unix milliseconds, or `nil` if it is damaged.
        var milliseconds: Int64? {
            switch state {
            case .complete(let time), .closed(let time, _): time
            case .damaged: nil
            }
        }
    }

    /// Returns the backups in the folder, oldest first, with damaged ones before all others.
    ///
    /// A backup may have any name that ends with `.tar`. Files that are no backups are left out, unless they have the
    /// name of one in such a folder. The contents of backups are not read: only the names and lengths of the files in
    /// them, and the manifest, which comes last.
    func entries() throws(Failure) -> [Entry] {
        let entries = try names().filter { $0.hasSuffix(".tar") }.compactMap { Self.entry("\(path)/\($0)", $0) }
        return entries.sorted { ($0.milliseconds ?? .min, $0.path) < ($1.milliseconds ?? .min, $1.path) }
    }

    private static func entry(_ path: String, _ name: String) -> Entry? {
        guard let status = FileTree.status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        let byteCount = Int(status.st_size)
        if let reason = FileAccess.refusal(toRead: path) {
            let changedAt = Int64(status.st_mtim.tv_sec) * 1000
            return Entry(path: path, byteCount: byteCount, state: .closed(changedAt: changedAt, reason: reason))
        }
        do throws(Failure) {
            if !isName(name), try !ArchiveReader.seemsBackup(path) { return nil }
            let startedAt = try ArchiveReader(path).manifest.startedAtMilliseconds
            return Entry(path: path, byteCount: byteCount, state: .complete(startedAt: startedAt))
        } catch { return Entry(path: path, byteCount: byteCount, state: .damaged(error.description)) }
    }
}
