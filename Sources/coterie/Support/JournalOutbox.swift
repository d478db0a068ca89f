import Changes
import Model
import ModelStore

/// The changes that wait in a journal on this machine, whether or not its daemon runs.
struct JournalOutbox: Encodable {
    var file: String
    /// Whether a running daemon on this machine reports this journal.
    var daemonRuns: Bool
    /// The number of changes that are not in the store, or nil if the journal cannot be read.
    var changes: Int?
    /// The time since which the first of them waits, in Unix milliseconds.
    var sinceMilliseconds: Int64?
    /// The reason why the journal cannot be read.
    var problem: String?

    /// - Parameters:
    ///   - path: the path of the journal.
    ///   - exchange: the contents of the store's streams.
    init(_ path: String, in exchange: ChangeExchange, daemonRuns: Bool) {
        file = path
        self.daemonRuns = daemonRuns
        do throws(ChangeError) {
            let journal = try ChangeJournal(path: path, mode: .reading)
            let backlog = try journal.backlog(in: exchange)
            try journal.verify()
            (changes, sinceMilliseconds) = (backlog.count, backlog.since)
            let (damaged, newer) = (try journal.damagedChanges().first, try journal.newerChanges().first)
            problem =
                damaged.map { "change \($0.sequence) of the journal \($0.origin) is damaged" }
                ?? newer.map { "change \($0.sequence) of the journal \($0.origin) needs a newer program" }
        } catch { problem = error.message }
    }
}
