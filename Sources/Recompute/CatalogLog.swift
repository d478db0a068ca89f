import CatalogStore
package import Changes
package import Basics
package import Model
package import ModelStore

/// The journal beside a catalog, as commands use it: they record decisions of the site, and apply all changes.
///
/// Daemons of this machine write to the same journal if their store is a folder. A command records a decision here
/// before it does anything else. Whatever dies then, the next command or recompute sends it to a shared store and
/// applies it.
package final class CatalogLog {
    package let journal: ChangeJournal
    private let store: any VersionStore
    private let catalogPath: String
    /// Whether what recorded decisions forget is gone from the write-ahead log, too; false while somebody reads it.
    package private(set) var isErased = true

    /// Opens the log, or creates it with the owner and the permissions of the catalog.
    package init(besideCatalog catalog: String, _ store: any VersionStore) throws(Failure) {
        let path = Catalog.journalPath(beside: catalog)
        PrivateFile.createEmpty(path, as: catalog)
        journal = try ChangeJournal(path: path, mode: .recording)
        self.store = store
        catalogPath = catalog
    }

    /// Whether there may be changes to apply: there is a log, or the store is shared.
    package static func isThere(besideCatalog catalog: String, _ store: any VersionStore) -> Bool {
        store.shared != nil || Catalog.existingJournal(beside: catalog) != nil
    }

    /// Opens the log if there is one.
    convenience init?(existingBesideCatalog catalog: String, _ store: any VersionStore) throws(Failure) {
        guard Catalog.existingJournal(beside: catalog) != nil else { return nil }
        try self.init(besideCatalog: catalog, store)
    }

    private var channel: SharedChannel? { store.shared?.channel }

    /// Records decisions; they are durable when this returns.
    ///
    /// - Parameter now: a time at or after those of all changes that the decisions are to overrule, in Unix
    ///   milliseconds.
    package func record(_ decisions: [Change], at now: Int64) throws(Failure) {
        _ = try journal.record(decisions, at: now)
        if decisions.contains(where: { $0.erasedUserID != nil }) {
            isErased = (try? journal.eraseForgotten()) ?? false
        }
    }

    /// Sends the decisions that the streams of a shared store lack, and removes the lists of members whom they remove.
    ///
    /// - Returns: the number of decisions sent; 0 if the store is not shared.
    package func send() throws(Failure) -> Int {
        guard let channel else { return 0 }
        var streams = try channel.journals()
        var count = 0
        let here = try journal.kept()
        let there = try streams.survey().filter { here[$0.key] != nil }
        for step in ChangeExchange(here: here, streams: there, prunable: .none).steps {
            guard case .add(let origin, var last, var isRemade) = step else { continue }
            var expected = there[origin]
            while true {
                let changes = try journal.changes(of: origin, after: last, limit: Self.batchSize)
                guard let end = changes.last?.sequence else { break }
                if changes.contains(where: { $0.change?.removedUserID != nil }) {
                    let key = try Facts(path: catalogPath).ledgerKey()
                    try streams.noteForgotten(by: changes, key: key)
                }
                // Another command may be sending the same decisions.
                guard try streams.add(changes, to: origin, expecting: expected, isRemade: isRemade) else { break }
                let before = isRemade ? nil : expected
                expected = StreamedNumbers(
                    after: before?.after ?? last, last: end, count: (before?.count ?? 0) + changes.count)
                (last, isRemade, count) = (end, false, count + changes.count)
                for user in changes.compactMap({ $0.change?.erasedUserID }) {
                    try channel.forgetSessions(ofUser: user)
                }
            }
        }
        return count
    }

    private static let batchSize = 500

    /// Removes the changes that the catalog has, and that are in the streams, or in all versions for a day.
    package func prune(_ taken: AppliedChanges, at now: Int64) throws(Failure) {
        var streams = try channel?.journals()
        let versions = try store.versions()
        if let there = try streams?.survey() {
            let done = try journal.kept().keys.map { ($0, min(taken.last(of: $0), there[$0]?.last ?? 0)) }
            try journal.prune(AppliedChanges(Dictionary(uniqueKeysWithValues: done)))
        } else if !versions.isEmpty {
            let inAll = AppliedChanges.inAll(versions.map(\.taken) + [taken])
            try journal.prune(inAll, recordedBefore: now - ChangeJournal.keptMilliseconds)
        }
        // The ledger tells the rest; without streams, nobody else needs the ids.
        if streams == nil { try journal.eraseForgettings(taken, at: now) }
        _ = try journal.eraseForgotten(waits: false)
    }
}
