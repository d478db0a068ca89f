package import Basics
package import Model
package import Redis

/// A connection to the streams through which the daemons of a store exchange changes.
///
/// There is one stream for each journal, and its entries have the journal's numbers. A stream is a copy: every journal
/// with these changes can make it again, and the server may lose it. Adding never leaves a gap, because the
/// contents are compared in the same atomic step. Readers remove damaged entries; the stream then has a gap, and is
/// made anew. The connection has one owner; after an error, a new one must be made.
package struct JournalStreams: ~Copyable, ChangeSource {
    /// The content of an entry.
    enum Entry: Equatable {
        case change(JournaledChange)
        /// The entry differs from what was added.
        case damaged(id: String)
    }

    /// The keys of a store for changes; all begin with its prefix.
    struct Keys {
        let prefix: String

        /// The names of the journals that have a stream.
        var journals: String { prefix + "journals" }
        /// Returns the key of a journal's stream.
        func journal(_ origin: String) -> String { "\(prefix)journal:\(origin)" }
        /// The digests of the ledger by the times of forgetting, and by those of readmission; the key of the digests.
        var forgotten: String { prefix + "ledger:forgotten" }
        var readmitted: String { prefix + "ledger:readmitted" }
        var ledgerKey: String { prefix + "ledger:key" }
        /// A text that every addition to the ledger replaces by another.
        var ledgerRevision: String { prefix + "ledger:revision" }
    }

    private var connection: RedisConnection
    /// The ids of the last entries that were read, by journal.
    private var readableEnds: [String: String] = [:]
    let keys: Keys
    private let location: String

    /// Creates a connection to the streams.
    ///
    /// - Parameters:
    ///   - connection: a connection to the server.
    ///   - prefix: the prefix of the store's keys.
    ///   - location: the name of the store in messages.
    package init(
        _ connection: consuming RedisConnection, prefix: String, location: String
    ) throws(Failure) {
        self.connection = connection
        keys = Keys(prefix: prefix)
        self.location = location
    }

    mutating func ask(_ command: RedisCommand) throws(Failure) -> RedisReply {
        do throws(RedisError) { return try connection.command(command) } catch {
            throw Failure(error, at: connection.address)
        }
    }

    /// Returns the contents of the streams, by journal.
    ///
    /// The numbers are those of entries that can be read. An unreadable entry at the end of a stream is removed, and
    /// the stream is made anew, as one is whose key has something else.
    package mutating func survey() throws(Failure) -> [String: StreamedNumbers] {
        guard case .array(let members) = try ask(RedisCommand("SMEMBERS", keys.journals)) else {
            throw damaged("an unexpected reply")
        }
        let origins = members.compactMap(\.text).filter(AppliedChanges.isJournalName)
        while true {
            var command = RedisCommand("EVAL", Self.surveyScript, String(origins.count))
            for origin in origins { command.append(keys.journal(origin)) }
            for origin in origins { command.append(origin) }
            guard case .array(let rows) = try ask(command) else { throw damaged("an unexpected reply") }
            var streams: [String: StreamedNumbers] = [:]
            var isReadable = true
            for row in rows {
                guard case .array(let parts) = row, parts.count == 5, let origin = parts[0].text,
                    case .integer(let count) = parts[1], let end = parts[2].text
                else { throw damaged("an unexpected reply") }
                if count > 0, readableEnds[origin] != end, try !readEnd(of: origin) { isReadable = false }
                let last = count > 0 ? Self.number(parts[2]) ?? 0 : 0
                streams[origin] = StreamedNumbers(
                    after: count > 0 ? (Self.number(parts[3]) ?? 1) - 1 : last, last: last, count: Int(count),
                    isOpen: count > 0 && parts[4].text == end)
            }
            if isReadable { return streams }
        }
    }

    /// Reads the last entry of a stream, and removes it if it is no change.
    ///
    /// - Returns: whether it is one.
    private mutating func readEnd(of origin: String) throws(Failure) -> Bool {
        let reply = try ask(RedisCommand("XREVRANGE", keys.journal(origin), "+", "-", "COUNT", "1"))
        guard case .array(let entries) = reply, let last = entries.first, case .array(let parts) = last,
            let id = parts.first?.text
        else { return true }
        if case .change? = Self.entry(last, of: origin) {
            readableEnds[origin] = id
            return true
        }
        _ = try ask(RedisCommand("XDEL", keys.journal(origin), id))
        return false
    }

    /// Returns the ranges of changes that the streams have, by journal.
    package mutating func kept() throws(Failure) -> [String: SequenceRange] {
        try survey().mapValues { SequenceRange(after: $0.after, last: $0.last) }
    }

    /// Returns the changes of a journal after a number, in the order of their numbers.
    ///
    /// Entries with other ids are left out, and damaged entries are removed from the stream.
    ///
    /// - Parameter limit: the largest number of changes.
    package mutating func changes(of origin: String, after sequence: Int64, limit: Int) throws(Failure)
        -> [JournaledChange]
    {
        let reply = try ask(
            RedisCommand("XRANGE", keys.journal(origin), "\(sequence + 1)-0", "+", "COUNT", String(limit)))
        guard case .array(let entries) = reply else { throw damaged("an unexpected reply") }
        var (changes, damaged): ([JournaledChange], [String]) = ([], [])
        for entry in entries.compactMap({ Self.entry($0, of: origin) }) {
            switch entry {
            case .change(let change): changes.append(change)
            case .damaged(let id): damaged.append(id)
            }
        }
        if !damaged.isEmpty {
            var command = RedisCommand("XDEL", keys.journal(origin))
            for id in damaged { command.append(id) }
            _ = try ask(command)
        }
        return changes
    }

    /// Adds changes to the end of a journal's stream, or makes the stream anew from them.
    ///
    /// - Parameters:
    ///   - changes: at least one change, without a gap.
    ///   - origin: the journal.
    ///   - expected: the known contents of the stream, or nil if there is none. If the contents differ, nothing is
    ///     done.
    ///   - isRemade: whether the earlier contents are removed.
    /// - Returns: whether the changes were added.
    package mutating func add(
        _ changes: [JournaledChange], to origin: String, expecting expected: StreamedNumbers?, isRemade: Bool
    ) throws(Failure) -> Bool {
        var command = RedisCommand(
            "EVAL", Self.addScript, "2", keys.journals, keys.journal(origin), origin,
            expected.map { "\($0.count):\($0.last)-0" } ?? "none", isRemade ? "remade" : "")
        for change in changes {
            command.append("\(change.sequence)-0")
            command.append(String(change.stampMilliseconds))
            command.append(change.encoded)
            command.append(change.sealText)
        }
        return try ask(command) == .integer(1)
    }

    /// Removes the changes up to the given numbers from all streams, and then the streams that are empty.
    package mutating func trim(through taken: AppliedChanges) throws(Failure) {
        for origin in try survey().keys.sorted() where taken.last(of: origin) > 0 {
            _ = try ask(
                RedisCommand(
                    "EVAL", Self.trimScript, "2", keys.journals, keys.journal(origin), origin,
                    "\(taken.last(of: origin) + 1)-0"))
        }
    }

    private static func number(_ reply: RedisReply) -> Int64? {
        reply.text.flatMap { $0.split(separator: "-").first }.flatMap { Int64($0) }
    }

    /// Returns the content of a stream's entry, or nil if its id is no number.
    static func entry(_ entry: RedisReply, of origin: String) -> Entry? {
        guard case .array(let parts) = entry, parts.count == 2, let id = parts[0].text, id.hasSuffix("-0"),
            let sequence = number(parts[0]), sequence > 0, case .array(let fields) = parts[1]
        else { return nil }
        guard fields.count == 6, fields[0].text == "stamp", fields[2].text == "change",
            let stamp = fields[1].text.flatMap({ Int64($0) }), ChangeStamp.bounds.contains(stamp),
            case .bytes(let body) = fields[3]
        else { return .damaged(id: id) }
        let change = JournaledChange(
            origin: origin, sequence: sequence, stampMilliseconds: stamp, encoded: body)
        let isWhole = fields[4].text == "seal" && fields[5].text == change.sealText
        return isWhole ? .change(change) : .damaged(id: id)
    }

    func damaged(_ what: String) -> Failure {
        Failure(.corrupt, "\(location) has \(what) under \(keys.journals)")
    }
}

extension JournalStreams {
    /// A Lua function that returns four facts of a stream.
    ///
    /// They are the number of its entries, the ids of the last and the first, and the id that new ones must exceed.
    /// A key with something else passes for an empty stream.
    private static let numbersFunction = """
        local function numbers(key)
          local count, last, first, greatest = 0, '0-0', '0-0', ''
          if redis.call('TYPE', key).ok ~= 'stream' then return count, last, first, greatest end
          local info = redis.call('XINFO', 'STREAM', key)
          for index = 1, #info, 2 do
            if info[index] == 'length' then count = info[index + 1] end
            if info[index] == 'last-generated-id' then greatest = info[index + 1] end
            if info[index] == 'first-entry' and info[index + 1] then first = info[index + 1][1] end
            if info[index] == 'last-entry' and info[index + 1] then last = info[index + 1][1] end
          end
          return count, last, first, greatest
        end
        """

    private static let surveyScript = """
        \(numbersFunction)
        local found = {}
        for place, key in ipairs(KEYS) do
          if redis.call('EXISTS', key) == 1 then table.insert(found, {ARGV[place], numbers(key)}) end
        end
        return found
        """

    private static let addScript = """
        \(numbersFunction)
        redis.call('SADD', KEYS[1], ARGV[1])
        local state, isOpen = 'none', true
        if redis.call('EXISTS', KEYS[2]) == 1 then
          local count, last, first, greatest = numbers(KEYS[2])
          state = string.format('%d', count) .. ':' .. last
          isOpen = last == greatest
        end
        if state ~= ARGV[2] then return 0 end
        if ARGV[3] == 'remade' then redis.call('DEL', KEYS[2]) elseif not isOpen then return 0 end
        for index = 4, #ARGV, 4 do
          redis.call('XADD', KEYS[2], ARGV[index], 'stamp', ARGV[index + 1], 'change', ARGV[index + 2],
            'seal', ARGV[index + 3])
        end
        return 1
        """

    private static let trimScript = """
        if redis.call('TYPE', KEYS[2]).ok ~= 'stream' then return 0 end
        redis.call('XTRIM', KEYS[2], 'MINID', '=', ARGV[2])
        if redis.call('XLEN', KEYS[2]) == 0 then
          redis.call('DEL', KEYS[2])
          redis.call('SREM', KEYS[1], ARGV[1])
        end
        return 1
        """
}
