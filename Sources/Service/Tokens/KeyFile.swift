import Basics
import CatalogStore
import Glibc

/// A JSON file of keys; users outside its owner and group must have no access to it.
package struct KeyFile: Sendable {
    /// The longest file that is read, in bytes, inclusive.
    static let maximumByteCount = 64 * 1024

    package let path: String

    /// Creates a reference to a file, which need not exist yet.
    package init(path: String) { self.path = path }

    /// Reads the keys in the file.
    ///
    /// - Throws: `TokenError.keyFileFailed` if the file cannot be read. `badKeyFile` if other users have access to it,
    ///   or it has no usable keys.
    package func read() throws(TokenError) -> KeySet { try readWithStamp().keys }

    func readWithStamp() throws(TokenError) -> (keys: KeySet, stamp: FileStamp) {
        let contents: RegularFile.Contents
        do { contents = try RegularFile.read(path, limitBytes: Self.maximumByteCount) } catch {
            throw TokenError(.keyFileFailed, "the key file \(error.message)")
        }
        guard contents.status.st_mode & S_IRWXO == 0 else {
            throw TokenError(
                .badKeyFile, "the key file \(path) can be read by everybody: run chmod 600 on it, and make new keys")
        }
        guard contents.bytes.count <= Self.maximumByteCount else {
            throw TokenError(.badKeyFile, "the key file \(path) is longer than \(Self.maximumByteCount) bytes")
        }
        do throws(TokenError) {
            return (try KeySet(json: contents.bytes), FileStamp(contents.status))
        } catch {
            throw TokenError(error.code, "the key file \(path): \(error.message)")
        }
    }

    /// Adds a new key of 32 random bytes before the others, and creates the file (mode 0600) if there is none.
    ///
    /// The file is replaced atomically: a reader sees the old keys or the new ones. Its owner, its group and their
    /// permissions stay if this user may set the owner.
    ///
    /// - Returns: the new key.
    package func addKey(id: String) throws(TokenError) -> SigningKey {
        let key = try SigningKey.random(id: id)
        let before = FileTree.status(of: path)
        let contents = try KeySet([key] + (before == nil ? [] : read().keys)).json()
        try replace(with: contents, keepingAccessOf: before)
        return key
    }

    private func replace(with contents: [UInt8], keepingAccessOf before: stat?) throws(TokenError) {
        // A link stays: the secrets of a site often stand elsewhere, and daemons may know them by that place.
        let place = Catalog.resolved(path) ?? path
        let draft = "\(place).new"
        do throws(Failure) {
            let file = OpenFile(owning: try PrivateFile.created(draft), draft)
            // The owner is set before the mode: otherwise the wrong group could read the file for a moment.
            if let before, fchown(file.descriptor, before.st_uid, before.st_gid) == 0 {
                fchmod(file.descriptor, before.st_mode & 0o770)
            }
            try file.append(contents)
            try file.synchronize()
            try FileTree.move(draft, to: place)
        } catch {
            try? FileTree.remove(draft)
            throw TokenError(.keyFileFailed, "the key file \(path) cannot be written: \(error.message)")
        }
    }
}
