import CatalogStore
import Model
import ModelStore

/// Reads the streams of all journals as one, in the order in which their changes apply.
///
/// Within a journal the stamps ascend, so that it is enough to compare the first change of each.
struct JournalMerge: ~Copyable {
    /// What is still to be read of one journal.
    private struct Source {
        let origin: String
        /// The last change to read: what is added later is for the next time.
        let end: Int64
        var read: ArraySlice<JournaledChange> = []
        var after: Int64
    }

    /// How many changes of a journal are read at a time.
    private static let batchSize = 1000

    private var streams: JournalStreams
    private var sources: [Source]

    /// Begins at the changes that are beyond those taken.
    init(_ streams: consuming JournalStreams, _ survey: [String: StreamedNumbers], beyond taken: TakenChanges) {
        self.streams = streams
        sources = survey.map { origin, numbers in
            Source(origin: origin, end: numbers.last, after: taken.last(of: origin))
        }
    }

    /// The next changes; none if that was all.
    mutating func next(limit: Int) throws(StoreError) -> [JournaledChange] {
        var changes: [JournaledChange] = []
        while changes.count < limit {
            for index in sources.indices { try refill(index) }
            sources.removeAll { $0.read.isEmpty }
            let first = sources.indices.min { one, other in
                guard let one = sources[one].read.first, let other = sources[other].read.first else { return false }
                return one.stamp < other.stamp
            }
            guard let first else { break }
            changes.append(sources[first].read.removeFirst())
        }
        return changes
    }

    private mutating func refill(_ index: Int) throws(StoreError) {
        let source = sources[index]
        guard source.read.isEmpty, source.after < source.end else { return }
        let found = try streams.changes(of: source.origin, after: source.after, limit: Self.batchSize)
        sources[index].read =
            found.filter { $0.sequence <= source.end }.map { change in
                JournaledChange(
                    origin: source.origin, sequence: change.sequence, stampMilliseconds: change.stampMilliseconds,
                    encoded: change.body)
            }[...]
        sources[index].after = found.last?.sequence ?? source.end
    }
}
