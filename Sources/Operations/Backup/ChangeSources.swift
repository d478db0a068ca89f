import Basics
import Changes
import Model
import ModelStore

/// The changes of all journals of a backup, and of the one that has those of the streams.
struct ChangeSources: ChangeSource {
    private let journals: [ChangeJournal]

    init(_ journals: [ChangeJournal]) { self.journals = journals }

    func kept() throws(Failure) -> [String: SequenceRange] {
        var kept: [String: SequenceRange] = [:]
        for journal in journals {
            kept.merge(try journal.kept()) {
                SequenceRange(after: min($0.after, $1.after), last: max($0.last, $1.last))
            }
        }
        return kept
    }

    /// Returns changes of a journal after a number, from a source that has the next one.
    func changes(of origin: String, after sequence: Int64, limit: Int) throws(Failure) -> [JournaledChange] {
        let all = try journals.map { journal throws(Failure) in
            try journal.changes(of: origin, after: sequence, limit: limit)
        }
        return all.min { ($0.first?.sequence ?? .max) < ($1.first?.sequence ?? .max) } ?? []
    }

    /// Copies the changes of streams that are beyond others into a new journal, and counts them.
    ///
    /// Unlike other journals, it may have gaps where the streams had them.
    static func copy(_ channel: SharedChannel, beyond taken: AppliedChanges, to path: String, at now: Int64)
        throws(Failure) -> (journal: ChangeJournal, count: Int)
    {
        let copy = try ChangeJournal(path: path, mode: .recording)
        var streams = try channel.journals()
        var count = 0
        try streams.forEachBatch(beyond: taken) { changes throws(Failure) in
            try copy.keep(changes, at: now)
            count += changes.count
        }
        return (copy, count)
    }
}
