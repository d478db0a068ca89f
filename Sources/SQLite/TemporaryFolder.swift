import Basics
import Glibc

/// SQLite's folder for temporary files, such as rows that it sorts.
package enum TemporaryFolder {
    /// The free room below which the folder counts as full, in bytes.
    private static let leastBytes: UInt64 = 1 << 20

    /// The variable that names the folder.
    package static let variable = "SQLITE_TMPDIR"

    /// The folder: the first that exists and that this user may write to, of those that SQLite tries.
    package static var path: String {
        let names: [String] = [variable, "TMPDIR"]
        let named = names.compactMap { (name: String) -> String? in
            guard let value = unsafe getenv(name) else { return nil }
            return unsafe String(cString: value)
        }
        return (named + ["/var/tmp", "/usr/tmp", "/tmp"]).first(where: isUsable) ?? "."
    }

    /// Returns the free room of a folder's disk for this user, in bytes, or nil if there is no such folder.
    package static func freeBytes(in folder: String) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// Returns the folder if it is full, and the disk of a database is not.
    static func full(besides database: String) -> String? {
        let (path, folder) = (path, FileTree.folder(of: database))
        guard let temporary = freeBytes(in: path), let own = freeBytes(in: folder), temporary < leastBytes,
            own >= leastBytes
        else { return nil }
        return path
    }

    private static func isUsable(_ folder: String) -> Bool {
        guard let status = FileTree.status(of: folder) else { return false }
        return unsafe status.st_mode & S_IFMT == S_IFDIR && access(folder, W_OK | X_OK) == 0
    }
}
