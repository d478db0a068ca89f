import Glibc

/// Explains why this user has no access to a file, with the file's owner and mode.
package enum FileAccess {
    /// Returns the reason why this user may not read a file, or list a folder; `nil` if this user may.
    ///
    /// A path with nothing at its end has no reason either, unless a folder on the way is closed to this user.
    package static func refusal(toRead path: String) -> String? {
        if let folder = closedFolder(above: path) {
            return "\(user) may not enter the folder \(folder), which \(ownership(of: folder))"
        }
        guard let status = FileTree.status(of: path) else { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        guard unsafe access(path, isFolder ? R_OK | X_OK : R_OK) != 0, errno == EACCES else { return nil }
        return "\(user) may not read \(path), which \(ownership(of: path))"
    }

    /// Returns the reason why this user may not write to one of some files, with what mends it; `nil` if this user may.
    ///
    /// Files that do not exist have no reason.
    package static func refusal(toWrite paths: [String]) -> String? {
        for path in paths where unsafe access(path, W_OK) != 0 && (errno == EACCES || errno == EPERM) {
            guard FileTree.status(of: path) != nil else { continue }
            return """
                \(user) may not write to \(path), which \(ownership(of: path)): run "chown \(name(ofUser: geteuid())) \
                \(paths.filter { FileTree.status(of: $0) != nil }.map(ShellWords.file).joined(separator: " "))"
                """
        }
        return nil
    }

    /// Returns the paths of a SQLite database and of the files that SQLite keeps beside it.
    package static func database(_ path: String) -> [String] { ["", "-wal", "-shm"].map { path + $0 } }

    /// Returns the owner and the mode of a file or folder: "belongs to root:root and has mode 0600".
    package static func ownership(of path: String) -> String {
        guard let status = FileTree.status(of: path) else { return "does not exist" }
        return "belongs to \(name(ofUser: status.st_uid)):\(name(ofGroup: status.st_gid)) and has mode "
            + mode(status.st_mode)
    }

    /// Returns the number of the user to whom a file or folder belongs, or `nil` if there is none.
    package static func owner(of path: String) -> UInt32? { FileTree.status(of: path)?.st_uid }

    /// Returns the name of a user, or the number if the system has no name for it.
    package static func name(ofUser number: UInt32) -> String {
        guard let entry = unsafe getpwuid(number) else { return "\(number)" }
        return unsafe String(cString: entry.pointee.pw_name)
    }

    /// This user, for a sentence: "the user coterie".
    package static var user: String { "the user \(name(ofUser: geteuid()))" }

    private static func name(ofGroup number: UInt32) -> String {
        guard let entry = unsafe getgrgid(number) else { return "\(number)" }
        return unsafe String(cString: entry.pointee.gr_name)
    }

    private static func mode(_ mode: mode_t) -> String {
        padded(mode & 0o7777, to: 4, radix: 8)
    }

    /// Returns the first folder on the way to a path that this user may not enter, or `nil` if there is none.
    private static func closedFolder(above path: String) -> String? {
        var folder = path.hasPrefix("/") ? "/" : "."
        for name in path.split(separator: "/").dropLast() {
            folder += folder == "/" ? "\(name)" : "/\(name)"
            guard unsafe access(folder, X_OK) == 0 else { return errno == EACCES ? folder : nil }
        }
        return nil
    }
}
