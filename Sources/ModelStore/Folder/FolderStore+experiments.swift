extension FolderStore {
    /// The text of the site's experiments.
    public func experiments() throws(StoreError) -> [UInt8]? {
        try FileTree.content(of: layout.experiments, limit: Self.experimentsByteLimit)
    }

    /// Replaces the text of the site's experiments, in one step that survives a loss of power.
    public func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(StoreError) -> Bool {
        try FileTree.makeDirectory(layout.directory)
        return try FolderLock.whileSwitching(in: layout) { () throws(StoreError) in
            guard try experiments() == known else { return false }
            // A draft is left only by a process that was killed; the lock says that it is dead.
            try FileTree.remove(layout.experimentsDraft)
            try FileTree.create(layout.experimentsDraft, content: text, durability)
            try FileTree.move(layout.experimentsDraft, to: layout.experiments)
            try FileTree.synchronizeDirectory(layout.directory, durability)
            return true
        }
    }
}
