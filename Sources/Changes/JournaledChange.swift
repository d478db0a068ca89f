import CXXHash
import Model

/// A change as it is in a journal, in a stream and on the way: its bytes, named by the journal and a number.
///
/// The bytes are never made anew on the way, so that a program passes on what it cannot read.
public struct JournaledChange: Sendable, Equatable {
    /// What the bytes say.
    public enum Content: Sendable, Equatable {
        /// A change.
        case change(Change)
        /// Nothing: it was erased, or replaced by a later change.
        case nothing
        /// A change that needs a newer program.
        case newer
    }

    /// The journal.
    public let origin: String
    /// Numbers the changes of the journal, from 1 on without a gap.
    public let sequence: Int64
    /// When, among the changes of all journals: the milliseconds of `ChangeStamp`.
    public let stampMilliseconds: Int64
    /// The change as `Change.encoded` gives it, or another program.
    public let encoded: [UInt8]
    /// What the bytes say.
    public let content: Content

    /// A change.
    public init(origin: String, sequence: Int64, stampMilliseconds: Int64, change: Change) {
        self.init(origin: origin, sequence: sequence, stampMilliseconds: stampMilliseconds, encoded: change.encoded)
    }

    /// A change as it was kept or received.
    public init(origin: String, sequence: Int64, stampMilliseconds: Int64, encoded: [UInt8]) {
        self.origin = origin
        self.sequence = sequence
        self.stampMilliseconds = stampMilliseconds
        self.encoded = encoded
        content =
            switch Change.read(encoded) {
            case .change(let change): .change(change)
            case .nothing: .nothing
            case .newer: .newer
            }
    }

    /// The order in which changes apply.
    public var stamp: ChangeStamp {
        ChangeStamp(milliseconds: stampMilliseconds, origin: origin, sequence: sequence)
    }

    /// Its name.
    public var name: ChangeName { ChangeName(origin: origin, sequence: sequence) }

    /// What was changed; nil if that is nothing, or this program cannot read it.
    public var change: Change? {
        guard case .change(let change) = content else { return nil }
        return change
    }

    /// Whether it needs a newer program.
    public var isNewer: Bool { content == .newer }

    /// What is left of it when its content is erased: its number and its stamp.
    var erased: JournaledChange { replacing(with: Change.nothing) }

    /// The same with other bytes.
    func replacing(with encoded: [UInt8]) -> JournaledChange {
        JournaledChange(origin: origin, sequence: sequence, stampMilliseconds: stampMilliseconds, encoded: encoded)
    }

    /// The checksum of all of it, which reveals damage.
    public var seal: UInt64 {
        let bytes = Array("\(origin)\n\(sequence)\n\(stampMilliseconds)\n".utf8) + encoded
        return unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }

    /// The checksum as streams have it: 16 hexadecimal digits.
    public var sealText: String {
        let digits = String(seal, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether the bytes name a member by an external id; also in a change of a newer program, if that is JSON.
    public func names(user id: String) -> Bool {
        switch content {
        case .change(let change): change.userID?.hasSameBytes(as: id) == true
        case .nothing: false
        case .newer: ChangeJSON.has(id, in: encoded)
        }
    }

    /// Whether it tells more of its member than that the site has removed them.
    public var tellsOfMember: Bool {
        switch content {
        case .change(let change): change.userID != nil && change.forgottenUserID == nil
        case .nothing: false
        case .newer: true
        }
    }
}

/// The name of a change: its journal, and its number there.
public struct ChangeName: Sendable, Hashable, Comparable {
    /// The journal.
    public var origin: String
    /// The number.
    public var sequence: Int64

    /// A name.
    public init(origin: String, sequence: Int64) {
        self.origin = origin
        self.sequence = sequence
    }

    /// Whether one comes before another.
    public static func < (one: ChangeName, other: ChangeName) -> Bool {
        (one.origin, one.sequence) < (other.origin, other.sequence)
    }
}

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
