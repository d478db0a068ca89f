package import Basics
package import Changes
import Redis

/// The data that daemons of one Redis server exchange: changes, in streams, and the lists of sessions.
///
/// The lists of a user are in one hash. Field `p:SESSION` has a list, and field `u:SESSION` the time of its last use,
/// in Unix milliseconds.
package final class SharedChannel: Sendable {
    /// The largest number of sessions kept for a user; a new session replaces the least recently used one.
    ///
    /// This limit bounds the cost of a request for all daemons that share the server.
    package static let sessionsOfUser = 32

    private let store: RedisStore
    private let link: RedisLink

    /// The name of the store in messages.
    package var location: String { store.location }

    /// - Parameter timeout: the longest wait for a list; short because a request waits for it and can do without it.
    package init(_ store: RedisStore, timeout: Duration = .milliseconds(250)) {
        self.store = store
        link = RedisLink(to: store.address, timeout: timeout)
    }

    /// Connects to the streams of changes.
    ///
    /// - Parameter timeout: the longest wait for any reply. A command asks a few times, and what it decides is kept and
    ///   sent later if nobody answers.
    package func journals(timeout: Duration = .seconds(5)) throws(Failure) -> JournalStreams {
        let address = store.address
        let connection: RedisConnection
        do throws(RedisError) {
            connection = try store.silence.asking(timeout) { () throws(RedisError) in
                try RedisConnection(to: address, replyTimeout: timeout)
            }
        } catch {
            throw Failure(error, at: address)
        }
        return try JournalStreams(connection, prefix: store.layout.prefix, location: store.location)
    }

    /// Returns the list of a session and the time of its last use, in Unix milliseconds, or nil if there is none.
    package func list(ofUser user: String, session: String) throws(Failure) -> (bytes: [UInt8], usedAt: Int64)? {
        let reply = try link.ask(
            RedisCommand("HMGET", store.layout.sessions(ofUser: user), "p:" + session, "u:" + session))
        guard case .array(let values) = reply, values.count == 2, case .bytes(let bytes) = values[0],
            let usedAt = values[1].text.flatMap({ Int64($0) })
        else { return nil }
        return (bytes, usedAt)
    }

    /// Stores the list of a session unless another daemon has stored one for a session that has not ended.
    ///
    /// - Parameters:
    ///   - now: the current time, in Unix milliseconds.
    ///   - lastUse: the possible times of the last use of a session that has not ended, in Unix milliseconds.
    ///   - lifetime: the time after which every session of the user has ended.
    /// - Returns: the list that the session already has, or nil if the given one was stored.
    package func keep(
        _ bytes: [UInt8], ofUser user: String, session: String, at now: Int64, lastUse: ClosedRange<Int64>,
        lifetime: Duration
    ) throws(Failure) -> [UInt8]? {
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
        default: throw Failure(.corrupt, "\(store.location) did not answer with a list of \(user)")
        }
    }

    /// Updates the time of the last use of a session, if the session has a list.
    package func touch(ofUser user: String, session: String, at now: Int64, lifetime: Duration) throws(Failure) {
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

    /// Removes the list of a session if it equals the given one.
    package func remove(_ bytes: [UInt8], ofUser user: String, session: String) throws(Failure) {
        let script = """
            if redis.call('HGET', KEYS[1], 'p:' .. ARGV[1]) ~= ARGV[2] then return 0 end
            return redis.call('HDEL', KEYS[1], 'p:' .. ARGV[1], 'u:' .. ARGV[1])
            """
        var command = RedisCommand("EVAL", script, "1", store.layout.sessions(ofUser: user), session)
        command.append(bytes)
        _ = try link.ask(command)
    }

    /// Removes the lists of all sessions of a user.
    package func forgetSessions(ofUser user: String) throws(Failure) {
        _ = try link.ask(RedisCommand("UNLINK", store.layout.sessions(ofUser: user)))
    }
}
