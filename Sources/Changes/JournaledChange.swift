package import Basics
package import Model

/// A change in a journal or a stream: its bytes, with the name of the journal and a number.
///
/// The bytes are never encoded anew, and a program therefore passes on changes that it cannot read.
package struct JournaledChange: Sendable, Equatable {
    /// The meaning of the bytes.
    package enum Content: Sendable, Equatable {
        case change(Change)
        /// Nothing: the change was erased, or replaced by a later one.
        case nothing
        /// A change that needs a newer program.
        case newer
    }

    /// The name of the journal that recorded the change first.
    package let origin: String
    /// The number of the change in its journal, from 1 on without a gap.
    package let sequence: Int64
    /// The place among the changes of all journals: the milliseconds of `ChangeStamp`.
    package let stampMilliseconds: Int64
    /// The change as `Change.encoded` or another program wrote it.
    package let encoded: [UInt8]
    /// The meaning of the bytes.
    package let content: Content

    package init(origin: String, sequence: Int64, stampMilliseconds: Int64, change: Change) {
        self.init(origin: origin, sequence: sequence, stampMilliseconds: stampMilliseconds, encoded: change.encoded)
    }

    package init(origin: String, sequence: Int64, stampMilliseconds: Int64, encoded: [UInt8]) {
        self.origin = origin
        self.sequence = sequence
        self.stampMilliseconds = stampMilliseconds
        self.encoded = encoded
        content = Change.read(encoded)
    }

    /// The position of the change in the order in which changes apply.
    package var stamp: ChangeStamp {
        ChangeStamp(milliseconds: stampMilliseconds, origin: origin, sequence: sequence)
    }

    package var name: ChangeName { ChangeName(origin: origin, sequence: sequence) }

    /// The change, or nil if it is nothing or this program cannot read it.
    package var change: Change? {
        guard case .change(let change) = content else { return nil }
        return change
    }

    /// Whether it needs a newer program.
    package var isNewer: Bool { content == .newer }

    /// The change without its content; its number and its stamp stay.
    package var erased: JournaledChange { replacing(with: Change.nothing) }

    /// Returns the same change with other bytes.
    func replacing(with encoded: [UInt8]) -> JournaledChange {
        JournaledChange(origin: origin, sequence: sequence, stampMilliseconds: stampMilliseconds, encoded: encoded)
    }

    /// The checksum of name, stamp and bytes, which reveals damage.
    package var seal: UInt64 {
        Checksum.number(of: Array("\(origin)\n\(sequence)\n\(stampMilliseconds)\n".utf8) + encoded)
    }

    /// The checksum as streams have it: 16 hexadecimal digits.
    package var sealText: String { Checksum.text(ofNumber: seal) }

    /// Whether the bytes name a member by an external id; a change of a newer program is searched as JSON.
    package func names(user id: String) -> Bool {
        switch content {
        case .change(let change): change.names(user: id)
        case .nothing: false
        case .newer: JSONText.texts(in: encoded).contains { $0.hasSameBytes(as: id) }
        }
    }

    /// Returns whether the change tells something of a member, beside the removal by the site.
    package func tells(ofMember id: String) -> Bool {
        if case .change(let change) = content, change.userID == nil || change.removedUserID != nil { return false }
        return names(user: id)
    }
}

/// The name of a change: its journal, and its number there.
package struct ChangeName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name of the journal.
    package var origin: String
    /// The number of the change in the journal.
    package var sequence: Int64

    package init(origin: String, sequence: Int64) {
        self.origin = origin
        self.sequence = sequence
    }

    /// Whether one name comes before another: by journal, then by number.
    package static func < (one: ChangeName, other: ChangeName) -> Bool {
        (one.origin, one.sequence) < (other.origin, other.sequence)
    }

    package var description: String { "change \(sequence) of the journal \(origin)" }
}

/// A place with the changes of journals: a journal, or the streams of a store.
package protocol ChangeSource: ~Copyable {
    /// Returns the ranges of changes that are here, by the journal that recorded them first.
    mutating func kept() throws(Failure) -> [String: SequenceRange]

    /// Returns at most `limit` changes of a journal after a number, in the order of their numbers.
    mutating func changes(of origin: String, after sequence: Int64, limit: Int) throws(Failure) -> [JournaledChange]
}

extension ChangeSource where Self: ~Copyable {
    /// Returns the number of changes beyond those taken, and the stamp of the first, in milliseconds; nil for none.
    ///
    /// The stamps of a journal ascend. A first change that is missing has the stamp 0, as nothing is known of it.
    package mutating func waiting(beyond taken: AppliedChanges) throws(Failure)
        -> (count: Int, firstStamp: Int64)?
    {
        var (count, first): (Int, Int64) = (0, .max)
        for (origin, numbers) in try kept() where taken.last(of: origin) < numbers.last {
            let last = taken.last(of: origin)
            count += Int(numbers.last - last)
            first = min(first, try changes(of: origin, after: last, limit: 1).first?.stampMilliseconds ?? 0)
        }
        return count == 0 ? nil : (count, first)
    }

    /// Calls `body` with batches of all changes beyond others, journal after journal.
    ///
    /// Changes that are added meanwhile are left out.
    ///
    /// - Parameter taken: the changes to leave out.
    package mutating func forEachBatch(
        beyond taken: AppliedChanges, _ body: ([JournaledChange]) throws(Failure) -> Void
    ) throws(Failure) {
        for (origin, numbers) in try kept().sorted(by: { $0.key < $1.key }) {
            var last = max(numbers.after, taken.last(of: origin))
            while last < numbers.last {
                let found = try changes(of: origin, after: last, limit: ChangeMerge.batchSize)
                try body(found.filter { $0.sequence <= numbers.last })
                last = found.last?.sequence ?? numbers.last
            }
        }
    }

    /// Returns the number of changes about each member, by member and by journal; members without any are left out.
    ///
    /// Erased changes do not count, nor do changes that only say that a member is forgotten. Changes that need a newer
    /// program count if they name a member.
    package mutating func traceCounts(of users: [String]) throws(Failure) -> [BytewiseString: [String: Int]] {
        var counts: [BytewiseString: [String: Int]] = [:]
        try forEachBatch(beyond: .none) { changes throws(Failure) in
            for change in changes {
                for user in users where change.tells(ofMember: user) {
                    counts[BytewiseString(user), default: [:]][change.origin, default: 0] += 1
                }
            }
        }
        return counts
    }
}

/// Reads the changes of several journals as one sequence, in the order in which they apply.
///
/// Within a journal the stamps ascend, so that it is enough to compare the first change of each.
package struct ChangeMerge {
    /// The unread changes of one journal.
    private struct Source {
        let origin: String
        /// The last change to read; changes that are added later are ignored.
        let end: Int64
        var read: ArraySlice<JournaledChange> = []
        var after: Int64
    }

    /// The number of changes that are read from a journal at a time.
    static let batchSize = 1000

    private var sources: [Source]

    /// - Parameter numbers: the changes to read, by journal.
    package init(_ numbers: [String: SequenceRange]) {
        sources = numbers.map { Source(origin: $0, end: $1.last, after: $1.after) }
    }

    /// Returns the next changes, or none after the last.
    ///
    /// - Parameters:
    ///   - limit: the largest number of changes.
    ///   - read: returns at most `limit` changes of a journal after a number, in the order of their numbers.
    package mutating func next<Failure: Error>(
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
