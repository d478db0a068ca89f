import Changes
import Model
import ModelStore

/// What waits in a journal on this machine, whether or not its daemon runs.
struct JournalOutbox: Encodable {
    /// The journal's file.
    var file: String
    /// Whether a daemon on this machine says that it has it.
    var daemonRuns: Bool
    /// Changes that are not in the store; nil if the journal cannot be read.
    var changes: Int?
    /// Since when the first of them waits, in Unix milliseconds.
    var sinceMilliseconds: Int64?
    /// Why it cannot be read.
    var problem: String?

    /// - Parameters:
    ///   - path: the journal's.
    ///   - exchange: what the streams of the store have.
    init(_ path: String, in exchange: ChangeExchange, daemonRuns: Bool) {
        file = path
        self.daemonRuns = daemonRuns
        do throws(ChangeError) {
            let journal = try ChangeJournal(path: path, mode: .reading)
            let backlog = try journal.backlog(in: exchange)
            (changes, sinceMilliseconds) = (backlog.count, backlog.since)
            problem = try journal.newerChanges().first.map {
                "change \($0.sequence) of the journal \($0.origin) needs a newer program"
            }
        } catch { problem = error.message }
    }
}
