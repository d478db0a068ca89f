import Basics
import Changes
import Model
import ModelStore

/// The changes that wait in a journal on this machine, whether or not its daemon runs.
struct JournalOutbox: Encodable {
    var file: String
    /// Whether a running daemon on this machine reports this journal.
    var daemonRuns: Bool
    /// Whether the changes wait for the catalog beside the journal, and not for the store.
    var isOfCatalog: Bool
    /// The number of changes that wait, or nil if the journal cannot be read.
    var changes: Int?
    /// The time since which the first of them waits, in Unix milliseconds.
    var sinceMilliseconds: Int64?
    /// The reason why the journal cannot be read.
    var problem: String?

    /// - Parameters:
    ///   - path: the path of the journal.
    ///   - exchange: the contents of the store's streams.
    ///   - taken: the changes that the catalog has, if these wait for it.
    init(_ path: String, in exchange: ChangeExchange, daemonRuns: Bool, beyond taken: AppliedChanges? = nil) {
        file = path
        self.daemonRuns = daemonRuns
        isOfCatalog = taken != nil
        do throws(Failure) {
            let journal = try ChangeJournal(path: path, mode: .reading)
            let backlog = try journal.backlog(in: exchange)
            try journal.verify()
            (changes, sinceMilliseconds) = (backlog.count, backlog.since)
            if let taken {
                problem = try journal.stoppingChange(beyond: taken)
                return
            }
            let (damaged, newer) = (try journal.damagedChanges().first, try journal.newerChanges().first)
            problem = damaged.map { "\($0) is damaged" } ?? newer.map { "\($0) needs a newer program" }
        } catch { problem = error.message }
    }
}
