import Changes
import Model

/// The changes of all journals and streams of a backup.
struct ChangeSources {
    private let journals: [ChangeJournal]
    private let streams: StreamCopy?

    init(journals: [ChangeJournal], streams: StreamCopy?) {
        self.journals = journals
        self.streams = streams
    }

    /// The last change that there is of each journal.
    func last() throws(BackupError) -> [String: Int64] {
        var last: [String: Int64] = [:]
        var all = [try streams?.numbers() ?? [:]]
        for journal in journals { all.append(try journaled { () throws(ChangeError) in try journal.kept() }) }
        for (origin, numbers) in all.joined() { last[origin] = max(last[origin] ?? 0, numbers.last) }
        return last
    }

    /// Changes of a journal after a number, from whoever has the next one.
    func changes(of origin: String, after sequence: Int64, limit: Int) throws(BackupError) -> [JournaledChange] {
        var best = try streams?.changes(of: origin, after: sequence, limit: limit) ?? []
        for journal in journals {
            let found = try journaled { () throws(ChangeError) in
                try journal.changes(of: origin, after: sequence, limit: limit)
            }
            guard let first = found.first else { continue }
            if first.sequence < best.first?.sequence ?? .max { best = found }
        }
        return best
    }
}
