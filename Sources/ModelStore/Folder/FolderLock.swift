/// The locks in the folder of a store; the system releases them when their holder ends, however that happens.
enum FolderLock {
    /// Does something that only one publisher at a time may do; does not wait, as publishing takes long.
    ///
    /// - Throws: `StoreError.busy` if another has the lock.
    static func whilePublishing<Result>(in layout: FolderLayout, _ body: () throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let file = try OpenFile(layout.publisherLock, for: .locking)
        guard try file.lock(waiting: false) else {
            throw StoreError(
                .busy, "another process publishes to \(layout.directory) or prunes it: wait for it, then try again")
        }
        defer { file.unlock() }
        return try body()
    }

    /// Changes which version is current, or which may become it; waits, as that is quick.
    static func whileSwitching<Result>(in layout: FolderLayout, _ body: () throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let file = try OpenFile(layout.currentLock, for: .locking)
        _ = try file.lock(waiting: true)
        defer { file.unlock() }
        return try body()
    }
}
