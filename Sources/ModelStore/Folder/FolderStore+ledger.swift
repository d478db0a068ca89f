package import Basics
package import Changes

extension FolderStore {
    package func ledger() throws(Failure) -> Ledger? {
        guard let bytes = try FileTree.content(of: layout.ledger, limit: Self.siteByteLimit) else { return nil }
        do throws(Failure) { return try Ledger(text: String(decoding: bytes, as: UTF8.self)) } catch {
            throw Failure(.corrupt, "\(layout.ledger) is damaged: remove it, and \"coterie apply\" writes it anew")
        }
    }

    package func add(_ ledger: Ledger) throws(Failure) -> Bool {
        guard !ledger.times.isEmpty else { return true }
        try FileTree.makeDirectory(layout.directory)
        return try FolderLock.whileSwitching(in: layout) { () throws(Failure) in
            var all = try self.ledger() ?? Ledger(key: ledger.key)
            guard all.key == ledger.key else { return false }
            all.merge(ledger)
            try FileTree.replace(layout.ledger, content: Array(all.text.utf8), durability, for: .creatingPrivate)
            return true
        }
    }
}
