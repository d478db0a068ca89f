public import Changes
import Redis

/// What daemons of one Redis server tell one another: changes, in streams, and the lists of sessions.
///
/// The lists of a user are in one hash: field `p:SESSION` has a list, field `u:SESSION` the Unix milliseconds when it
/// was used last.
public final class SharedChannel: Sendable {
    /// How many sessions of a user are kept: a new one takes the place of the one that was used longest ago.
    ///
    /// It bounds what a request costs all who share the server.
    public static let sessionsOfUser = 32

    /// A request waits for the answer, and can do without it.
    private static let timeout = Duration.milliseconds(250)

    private let store: RedisStore
    private let link: RedisLink

    /// The store, for messages.
    public var location: String { store.location }

    init(_ store: RedisStore) {
        self.store = store
        link = RedisLink(to: store.address, timeout: Self.timeout)
    }

    /// Connects to the streams of changes.
    ///
    /// - Parameter timeout: the longest wait for any reply.
    /// - Throws: `StoreError.corrupt` if the store has changes of an earlier program.
    public func journals(timeout: Duration = .seconds(30)) throws(StoreError) -> JournalStreams {
        let address = store.address
        let connection: RedisConnection
        do throws(RedisError) { connection = try RedisConnection(to: address, replyTimeout: timeout) } catch {
            throw StoreError(error, at: address)
        }
        do throws(ChangeError) {
            return try JournalStreams(connection, prefix: store.layout.prefix, location: store.location) {
                StoreError($0, at: address).message
            }
        } catch { throw StoreError(error) }
    }

    /// The list of a session, and when it was used last, in Unix milliseconds; nil if there is none.
    public func list(ofUser user: String, session: String) throws(StoreError) -> (bytes: [UInt8], usedAt: Int64)? {
        let reply = try link.ask(
            RedisCommand("HMGET", store.layout.sessions(ofUser: user), "p:" + session, "u:" + session))
        guard case .array(let values) = reply, values.count == 2, case .bytes(let bytes) = values[0],
            let usedAt = values[1].text.flatMap({ Int64($0) })
        else { return nil }
        return (bytes, usedAt)
    }

    /// Keeps the list of a session unless another daemon has kept one that has not ended.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - lastUse: when a session that has not ended was used last, in Unix milliseconds.
    ///   - lifetime: after which no session of the user can still go on.
    /// - Returns: the list that the session has had; nil if it has the given one now.
    public func keep(
        _ bytes: [UInt8], ofUser user: String, session: String, at now: Int64, lastUse: ClosedRange<Int64>,
        lifetime: Duration
    ) throws(StoreError) -> [UInt8]? {
        let script = """
            local used = tonumber(redis.call('HGET', KEYS[1], 'u:' .. ARGV[1]))
            redis.call('PEXPIRE', KEYS[1], ARGV[4])
            if used and used >= tonumber(ARGV[3]) and used <= tonumber(ARGV[7]) then
              local list = redis.call('HGET', KEYS[1], 'p:' .. ARGV[1])
              if list then return list end
            end
            if not used and redis.call('HLEN', KEYS[1]) >= 2 * tonumber(ARGV[6]) then
              local sessions = {}
              for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                if field:sub(1, 2) == 'u:' then
                  table.insert(sessions, {field:sub(3), tonumber(redis.call('HGET', KEYS[1], field)) or 0})
                end
              end
              table.sort(sessions, function(one, other) return one[2] < other[2] end)
              for place = 1, #sessions - tonumber(ARGV[6]) + 1 do
                redis.call('HDEL', KEYS[1], 'u:' .. sessions[place][1], 'p:' .. sessions[place][1])
              end
            end
            redis.call('HSET', KEYS[1], 'p:' .. ARGV[1], ARGV[5], 'u:' .. ARGV[1], ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[4])
            return false
            """
        var command = RedisCommand(
            "EVAL", script, "1", store.layout.sessions(ofUser: user), session, String(now),
            String(lastUse.lowerBound), String(Int(lifetime / .milliseconds(1))))
        command.append(bytes)
        command.append(Self.sessionsOfUser)
        command.append(String(lastUse.upperBound))
        switch try link.ask(command) {
        case .bytes(let kept): return kept
        case .null: return nil
        default: throw StoreError(.corrupt, "\(store.location) did not answer with a list of \(user)")
        }
    }

    /// Notes that a session was used, if it has a list.
    public func touch(ofUser user: String, session: String, at now: Int64, lifetime: Duration) throws(StoreError) {
        let script = """
            if redis.call('HEXISTS', KEYS[1], 'p:' .. ARGV[1]) == 0 then return 0 end
            redis.call('HSET', KEYS[1], 'u:' .. ARGV[1], ARGV[2])
            return redis.call('PEXPIRE', KEYS[1], ARGV[3])
            """
        _ = try link.ask(
            RedisCommand(
                "EVAL", script, "1", store.layout.sessions(ofUser: user), session, String(now),
                String(Int(lifetime / .milliseconds(1)))))
    }

    /// Removes the list of a session if it is the given one.
    public func remove(_ bytes: [UInt8], ofUser user: String, session: String) throws(StoreError) {
        let script = """
            if redis.call('HGET', KEYS[1], 'p:' .. ARGV[1]) ~= ARGV[2] then return 0 end
            return redis.call('HDEL', KEYS[1], 'p:' .. ARGV[1], 'u:' .. ARGV[1])
            """
        var command = RedisCommand("EVAL", script, "1", store.layout.sessions(ofUser: user), session)
        command.append(bytes)
        _ = try link.ask(command)
    }

    /// Forgets the lists of all sessions of a user.
    public func forgetSessions(ofUser user: String) throws(StoreError) {
        _ = try link.ask(RedisCommand("UNLINK", store.layout.sessions(ofUser: user)))
    }
}

extension StoreError {
    /// What an error of the streams of changes means for their store.
    public init(_ error: ChangeError) {
        self.init(error.code == .badStreams ? .corrupt : .unavailable, error.message)
    }
}
