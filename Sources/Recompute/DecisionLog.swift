package import Changes
import Files
import Glibc
package import Model
package import ModelStore

/// The decisions of commands beside a catalog, until the streams of a shared store have them.
///
/// A command records a decision here before it does anything else, then sends it, then applies it to the catalog.
/// Whatever dies in between, the next command or recompute sends what is left, and a recompute applies what the catalog
/// lacks.
package final class DecisionLog {
    private let journal: ChangeJournal
    private let channel: SharedChannel

    /// The path of the file.
    package static func path(besideCatalog path: String) -> String { path + "-decisions" }

    /// Opens the log, or creates it with the owner of its folder.
    package init(besideCatalog catalog: String, for channel: SharedChannel) throws(ChangeError) {
        let path = Self.path(besideCatalog: catalog)
        _ = PrivateFile.createEmpty(path)
        journal = try ChangeJournal(path: path, mode: .recording)
        self.channel = channel
    }

    /// Opens the log if there is one that this user may write to.
    convenience init?(existingBesideCatalog catalog: String, for channel: SharedChannel) {
        guard unsafe access(Self.path(besideCatalog: catalog), F_OK) == 0 else { return nil }
        try? self.init(besideCatalog: catalog, for: channel)
    }

    /// Records decisions; they are durable when this returns.
    ///
    /// - Parameter now: a time at or after those of all changes that the decisions are to overrule, in Unix
    ///   milliseconds.
    /// - Returns: the name under which they are recorded, and the last number.
    package func record(_ decisions: [Change], at now: Int64) throws(ChangeError) -> ChangeName {
        _ = try journal.record(decisions, at: now)
        return ChangeName(origin: journal.origin, sequence: try journal.kept()[journal.origin]?.last ?? 0)
    }

    /// Sends the decisions that the streams lack, and removes the lists of members whom they remove.
    ///
    /// - Returns: the number of decisions sent.
    package func send() throws(StoreError) -> Int {
        var streams = try channel.journals()
        var count = 0
        do throws(ChangeError) {
            let here = try journal.kept()
            let there = try streams.survey().filter { here[$0.key] != nil }
            for step in ChangeExchange(here: here, streams: there, prunable: .none).steps {
                guard case .add(let origin, var last) = step.asAdding else { continue }
                var expected = there[origin]
                while true {
                    let changes = try journal.changes(of: origin, after: last, limit: Self.batchSize)
                    guard let end = changes.last?.sequence else { break }
                    try streams.noteForgotten(by: changes)
                    // Another command may be sending the same decisions.
                    guard try streams.add(changes, to: origin, expecting: expected, isRemade: expected == nil) else {
                        break
                    }
                    expected = StreamedNumbers(
                        after: expected?.after ?? last, last: end, count: (expected?.count ?? 0) + changes.count)
                    (last, count) = (end, count + changes.count)
                    for user in changes.compactMap({ $0.change?.erasedUserID }) { try forgetSessions(ofUser: user) }
                }
            }
        } catch { throw StoreError(error) }
        return count
    }

    /// Removes the decisions that the catalog has and the streams carry on.
    ///
    /// - Parameter taken: the changes that the catalog has.
    package func prune(_ taken: AppliedChanges) throws(StoreError) {
        var streams = try channel.journals()
        do throws(ChangeError) {
            let there = try streams.survey()
            let done = try journal.kept().keys.map { ($0, min(taken.last(of: $0), there[$0]?.last ?? 0)) }
            try journal.prune(AppliedChanges(Dictionary(uniqueKeysWithValues: done)))
        } catch { throw StoreError(error) }
    }

    private static let batchSize = 500

    private func forgetSessions(ofUser id: String) throws(ChangeError) {
        do throws(StoreError) { try channel.forgetSessions(ofUser: id) } catch {
            throw ChangeError(.serverFailed, error.message)
        }
    }
}

extension ChangeExchange.Step {
    /// The step that sends changes, whether the stream is there or is made anew.
    fileprivate var asAdding: Self {
        if case .remake(let origin, let last) = self { .add(origin, after: last) } else { self }
    }
}
