import Answers
import Basics
import Changes
import Model

/// The changes that wait in a journal on this machine, whether or not its daemon runs.
struct JournalOutbox: Answer {
    var file: String
    var daemonRuns: Bool
    var isOfCatalog: Bool
    var changes: Int?
    var sinceMilliseconds: Int64?
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
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("file", \.file, "Its path")
        fields.always("daemonRuns", \.daemonRuns, "Whether a running daemon of this machine has it")
        fields.always("isOfCatalog", \.isOfCatalog, "Whether its changes wait for the catalog beside it")
        fields.sometimes("changes", \.changes, "Changes that wait; if it can be read")
        fields.sometimes("sinceMilliseconds", \.sinceMilliseconds, "Since when the first of them waits")
        fields.sometimes("problem", \.problem, "Why it cannot be read")
    }
}
