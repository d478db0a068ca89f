public import Model

/// Reads the changes of several journals as one sequence, in the order in which they apply.
///
/// Within a journal the stamps ascend, so that it is enough to compare the first change of each.
public struct ChangeMerge {
    /// What is still to be read of one journal.
    private struct Source {
        let origin: String
        /// The last change to read: what is added later is for another time.
        let end: Int64
        var read: ArraySlice<JournaledChange> = []
        var after: Int64
    }

    /// How many changes of a journal are read at a time.
    private static let batchSize = 1000

    private var sources: [Source]

    /// - Parameter numbers: which changes to read, by journal.
    public init(_ numbers: [String: KeptNumbers]) {
        sources = numbers.map { Source(origin: $0, end: $1.last, after: $1.after) }
    }

    /// The next changes; none if that was all.
    ///
    /// - Parameter read: gives changes of a journal after a number, in the order of their numbers, so many at most.
    public mutating func next<Failure: Error>(
        limit: Int, _ read: (_ origin: String, _ after: Int64, _ limit: Int) throws(Failure) -> [JournaledChange]
    ) throws(Failure) -> [JournaledChange] {
        var changes: [JournaledChange] = []
        while changes.count < limit {
            for index in sources.indices { try refill(index, read) }
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

    private mutating func refill<Failure: Error>(
        _ index: Int, _ read: (String, Int64, Int) throws(Failure) -> [JournaledChange]
    ) throws(Failure) {
        let source = sources[index]
        guard source.read.isEmpty, source.after < source.end else { return }
        let found = try read(source.origin, source.after, Self.batchSize)
        sources[index].read = found.filter { $0.sequence <= source.end }[...]
        sources[index].after = found.last?.sequence ?? source.end
    }
}
