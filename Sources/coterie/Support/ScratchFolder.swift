import Basics
import FoundationEssentials

/// A folder for temporary files that no other user can read, such as copies of the catalog.
///
/// A process holds a lock on a file of its folder. So a new folder removes those beside it that killed processes left.
final class ScratchFolder: Sendable {
    private static let prefix = "coterie-scratch-"

    let path: String
    private let lock: OpenFile

    init(in parent: String = FileManager.default.temporaryDirectory.path) throws(Failure) {
        for name in try FileTree.names(in: parent) where name.hasPrefix(Self.prefix) {
            let other = "\(parent)/\(name)"
            if OpenFile.isAbandoned(other + "/lock") { try? FileManager.default.removeItem(atPath: other) }
        }
        path = "\(parent)/\(Self.prefix)\(UUID().uuidString)"
        try FileTree.makeDirectory(path, mode: 0o700)
        lock = try OpenFile(path + "/locking", for: .rewriting)
        try FileTree.move(lock.path, to: path + "/lock")
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
