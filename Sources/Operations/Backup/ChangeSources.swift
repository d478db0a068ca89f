import Basics
import Changes
import Model
import ModelStore

/// The changes of all journals of a backup, and of the one that has those of the streams.
struct ChangeSources {
    private let journals: [ChangeJournal]

    init(_ journals: [ChangeJournal]) { self.journals = journals }

    /// Returns the last change of each journal.
    func last() throws(Failure) -> [String: Int64] {
        var last: [String: Int64] = [:]
        for journal in journals {
            let kept = try journal.kept()
            for (origin, numbers) in kept { last[origin] = max(last[origin] ?? 0, numbers.last) }
        }
        return last
    }

    /// Returns the number of changes about each member; members without changes are left out.
    func traces(of users: [String]) throws(Failure) -> [BytewiseString: Int] {
        var merge = ChangeMerge(try last().mapValues { SequenceRange(after: 0, last: $0) })
        var traces: [BytewiseString: Int] = [:]
        while true {
            let changes = try merge.next(limit: 1000) { origin, after, limit throws(Failure) in
                try self.changes(of: origin, after: after, limit: limit)
            }
            if changes.isEmpty { return traces }
            for change in changes {
                for user in users where change.tells(ofMember: user) { traces[BytewiseString(user), default: 0] += 1 }
            }
        }
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
