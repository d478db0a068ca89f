package import Basics
import Glibc

/// A place where a catalog's write-ahead log cannot be trusted.
package enum CatalogPlace: Sendable, Equatable {
    /// The file itself is a mount point; its log stays outside, and is missing when the file is mounted again.
    case mountedFile
    /// A file system of this type; the shared memory of the log does not work across machines, or not at all.
    case shared(type: String)

    /// Creates the place of an existing or new catalog, or nil if the place has no problem.
    package init?(of path: String) {
        // An unnamed catalog has no place.
        guard !path.isEmpty, let table = RegularFile.text("/proc/self/mountinfo") else { return nil }
        let folder = FileTree.folder(of: path)
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let real = Catalog.resolved(path) ?? Catalog.resolved(folder).map({ "\($0)/\(name)" }) else { return nil }
        self.init(of: real, mounts: table)
    }

    /// Creates the place of a path without links, from the text of `/proc/self/mountinfo`.
    package init?(of path: String, mounts: String) {
        var found: (point: String, type: String)?
        for line in mounts.split(separator: "\n") {
            // 36 35 98:0 /root /point options … - type source options
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields[6...].firstIndex(of: "-"), dash + 1 < fields.count else {
                continue
            }
            let point = Self.unescaped(fields[4])
            let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
            // Only the last of several mounts on one point is visible.
            guard isAbove, point.utf8.count >= found?.point.utf8.count ?? 0 else { continue }
            found = (point, String(fields[dash + 1]))
        }
        guard let found else { return nil }
        if found.point == path, path != "/" {
            self = .mountedFile
        } else if Self.sharedTypes.contains(found.type) || found.type.hasPrefix("fuse.") {
            self = .shared(type: found.type)
        } else {
            return nil
        }
    }

    private static let sharedTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "lustre", "9p", "fuse", "virtiofs",
    ]

    /// Returns a path with its octal escapes decoded, such as `\040` for a blank.
    private static func unescaped(_ field: Substring) -> String {
        let escapes = [(#"\040"#, " "), (#"\011"#, "\t"), (#"\012"#, "\n"), (#"\134"#, #"\"#)]
        return escapes.reduce(String(field)) { $0.replacing($1.0, with: $1.1) }
    }

    /// Returns a sentence about the problem.
    package func problem(ofCatalog path: String) -> String {
        switch self {
        case .mountedFile:
            "the catalog \(path) is mounted as a single file: its write-ahead log, \(path)-wal, would stay outside and "
                + "be lost with all that is in it"
        case .shared(let type):
            "the catalog \(path) is on \(type), where a write-ahead log is not safe: what another machine, or a "
                + "restart, sees of it is left to chance"
        }
    }

    package var advice: String {
        switch self {
        case .mountedFile: "mount its folder instead"
        case .shared: "move it to a disk of this machine"
        }
    }
}

extension FileStamp {
    /// Returns the stamps of a catalog's file and of its log, which change with every write.
    package static func ofCatalog(_ path: String) -> [FileStamp?] { [path, path + "-wal"].map(FileStamp.init(path:)) }
}
