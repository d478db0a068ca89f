import ModelStore

/// The site's experiments of a backup, for a store.
struct RestoredExperiments {
    private let text: [UInt8]
    private let store: any VersionStore
    /// What the store has now.
    private let known: [UInt8]?

    /// - Throws: `BackupError.Code.occupied` if the store has others that must stay.
    init(_ text: [UInt8], in store: any VersionStore, isReplacing: Bool) throws(BackupError) {
        let known = try stored { () throws(StoreError) in try store.experiments() }
        guard isReplacing || known == nil || known == text else {
            throw BackupError(
                .occupied,
                "\(store.location) has other experiments: name another store, or give --replace, which replaces them")
        }
        self.text = text
        self.store = store
        self.known = known
    }

    /// Gives them to the store, in one step.
    func putInPlace() throws(BackupError) {
        let isDone = try stored { () throws(StoreError) in try store.setExperiments(text, replacing: known) }
        guard isDone else {
            throw BackupError(.occupied, "somebody changed the experiments of \(store.location) just now: try again")
        }
    }
}
