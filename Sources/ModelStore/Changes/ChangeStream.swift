public import Model
import Redis

/// A connection to the stream of changes that all daemons of a store follow.
///
/// It has one owner; after an error it must be made anew.
public struct ChangeStream: ~Copyable {
    /// A change as it is in the stream: the fields `origin`, `sequence` and `change`.
    public struct Change: Sendable, Equatable {
        /// The journal that the change was made in.
        public var origin: String
        /// Numbers the changes of that journal, from 1 on: a change that comes twice is recognized by it.
        public var sequence: Int64
        /// What was changed; the stream does not look into it.
        public var body: [UInt8]

        /// A change.
        public init(origin: String, sequence: Int64, body: [UInt8]) {
            self.origin = origin
            self.sequence = sequence
            self.body = body
        }
    }

    private static let fieldNames = ["origin", "sequence", "change"]
    /// Replies outstanding while entries are added.
    private static let window = 128

    private var connection: StoreConnection
    private let key: String
    private let location: String

    init(_ connection: consuming StoreConnection, key: String, location: String) {
        self.connection = connection
        self.key = key
        self.location = location
    }

    /// Adds changes to the end, in their order.
    public mutating func append(_ changes: [Change]) throws(StoreError) {
        for change in changes {
            var command = RedisCommand("XADD", key, "*")
            command.append(Self.fieldNames[0])
            command.append(change.origin)
            command.append(Self.fieldNames[1])
            command.append(String(change.sequence))
            command.append(Self.fieldNames[2])
            command.append(change.body)
            try connection.push(command, window: Self.window) { _ in }
        }
        try connection.finish { _ in }
    }

    /// The changes after a position, the earliest first.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - patience: how long to wait if there is none yet, less than the timeout of the connection; nil: not at all.
    public mutating func read(after position: StreamPosition, limit: Int, waitingAtMost patience: Duration? = nil)
        throws(StoreError) -> [(position: StreamPosition, change: Change)]
    {
        var command = RedisCommand("XREAD", "COUNT", String(limit))
        if let patience {
            command.append("BLOCK")
            command.append(max(1, Int(patience / .milliseconds(1))))
        }
        for word in ["STREAMS", key, position.description] { command.append(word) }
        let reply = try connection.ask(command)
        if reply == .null { return [] }
        guard case .array(let streams) = reply, case .array(let stream)? = streams.first, stream.count == 2,
            case .array(let entries) = stream[1]
        else { throw damaged("an unexpected reply") }
        var changes: [(position: StreamPosition, change: Change)] = []
        for entry in entries { changes.append(try Self.entry(entry, orThrow: damaged)) }
        return changes
    }

    /// The position of the last entry that was ever added; nil if there is no stream.
    public mutating func lastPosition() throws(StoreError) -> StreamPosition? {
        guard try connection.ask("EXISTS", key) == .integer(1) else { return nil }
        guard case .array(let fields) = try connection.ask("XINFO", "STREAM", key),
            let place = fields.firstIndex(where: { $0.text == "last-generated-id" }), place + 1 < fields.count,
            let position = fields[place + 1].text.flatMap({ StreamPosition($0) })
        else { throw damaged("no last position") }
        return position
    }

    /// Whether a change is in the stream at a position.
    public mutating func has(_ sequence: Int64, of origin: String, at position: StreamPosition) throws(StoreError)
        -> Bool
    {
        let reply = try connection.ask("XRANGE", key, position.description, position.description)
        guard case .array(let entries) = reply, let entry = entries.first else { return false }
        let change = try Self.entry(entry, orThrow: damaged).change
        return change.sequence == sequence && change.origin == origin
    }

    /// Removes the changes at some positions.
    public mutating func remove(_ positions: [StreamPosition]) throws(StoreError) {
        guard !positions.isEmpty else { return }
        var command = RedisCommand("XDEL", key)
        for position in positions { command.append(position.description) }
        _ = try connection.ask(command)
    }

    private static func entry(_ entry: RedisReply, orThrow damaged: (String) -> StoreError) throws(StoreError)
        -> (position: StreamPosition, change: Change)
    {
        guard case .array(let parts) = entry, parts.count == 2,
            let position = parts[0].text.flatMap({ StreamPosition($0) })
        else { throw damaged("an entry without a position") }
        guard case .array(let fields) = parts[1], fields.count == 2 * fieldNames.count,
            fieldNames.indices.allSatisfy({ fields[2 * $0].text == fieldNames[$0] }),
            let origin = fields[1].text, let sequence = fields[3].text.flatMap({ Int64($0) }), sequence > 0,
            case .bytes(let body) = fields[5]
        else { throw damaged("an entry at \(position) that is not a change: remove it with XDEL") }
        return (position, Change(origin: origin, sequence: sequence, body: body))
    }

    private var damaged: (String) -> StoreError {
        { [key, location] what in StoreError(.corrupt, "the stream \(key) in \(location) has \(what)") }
    }
}
