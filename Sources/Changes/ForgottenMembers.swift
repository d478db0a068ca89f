import CXXHash
package import Model
import Redis

/// The removed members and the times of their removal, which a store keeps for journals that were away.
///
/// A member is named by a salted hash of the id. The hash hides ids at first sight, but it is not secret: anyone who
/// has an id can look for it. The store keeps the latest `limit` members.
package struct ForgottenMembers: Sendable {
    /// The largest number of members that a store names; beyond it, those forgotten first are dropped.
    package static let limit = 100_000

    let salt: [UInt8]
    /// The times of forgetting, in the milliseconds of stamps, by hash.
    var milliseconds: [String: Int64] = [:]

    /// Returns the time at which a member was forgotten, in the milliseconds of stamps, or nil if it is unknown.
    package func time(ofUser id: String) -> Int64? { milliseconds.isEmpty ? nil : milliseconds[hash(ofUser: id)] }

    func hash(ofUser id: String) -> String {
        let bytes = salt + Array(id.utf8)
        return String(unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }, radix: 36)
    }
}

extension JournalStreams {
    /// Reads the forgotten members from the store.
    package mutating func forgottenMembers() throws(ChangeError) -> ForgottenMembers {
        var members = ForgottenMembers(salt: try salt())
        guard case .array(let parts) = try ask(RedisCommand("ZRANGE", keys.forgotten, "0", "-1", "WITHSCORES")) else {
            throw damaged("an unexpected reply")
        }
        for place in stride(from: 0, to: parts.count - 1, by: 2) {
            guard let hash = parts[place].text, let score = parts[place + 1].text.flatMap({ Double($0) }),
                let milliseconds = Int64(exactly: score.rounded())
            else { continue }
            members.milliseconds[hash] = milliseconds
        }
        return members
    }

    /// Adds members to those whose earlier changes journals erase.
    ///
    /// - Parameter changes: any changes; only those that remove a member have an effect.
    package mutating func noteForgotten(by changes: [JournaledChange]) throws(ChangeError) {
        let forgotten = changes.compactMap { change in
            change.change?.removedUserID.map { (id: $0, milliseconds: change.stampMilliseconds) }
        }
        guard !forgotten.isEmpty else { return }
        let members = ForgottenMembers(salt: try salt())
        var command = RedisCommand("ZADD", keys.forgotten, "GT")
        for (id, milliseconds) in forgotten {
            command.append(String(milliseconds))
            command.append(members.hash(ofUser: id))
        }
        _ = try ask(command)
        _ = try ask(RedisCommand("ZREMRANGEBYRANK", keys.forgotten, "0", String(-ForgottenMembers.limit - 1)))
    }

    /// Returns the latest stamp of the streams, in milliseconds, or 0 if they are empty.
    package mutating func latestStampMilliseconds() throws(ChangeError) -> Int64 {
        var latest: Int64 = 0
        for (origin, numbers) in try survey() where numbers.count > 0 {
            let last = try changes(of: origin, after: numbers.last - 1, limit: 1).first
            latest = max(latest, last?.stampMilliseconds ?? 0)
        }
        return latest
    }

    /// Returns the salt, which the first program that needs it chooses.
    private mutating func salt() throws(ChangeError) -> [UInt8] {
        let own = String(UInt64.random(in: .min ... .max), radix: 36)
        _ = try ask(RedisCommand("SET", keys.forgottenSalt, own, "NX"))
        guard case .bytes(let salt) = try ask(RedisCommand("GET", keys.forgottenSalt)) else {
            throw damaged("no salt")
        }
        return salt
    }

    /// Returns the number of changes about each member that the streams still have, by member and by stream.
    ///
    /// Erased changes do not count, nor do changes that only say that a member is forgotten. Changes that need a newer
    /// program count if they name a member.
    package mutating func traces(of users: [String]) throws(ChangeError) -> [BytewiseString: [String: Int]] {
        var traces: [BytewiseString: [String: Int]] = [:]
        try forEachBatch(beyond: .none, wrap: { $0 }) { changes throws(ChangeError) in
            for change in changes where change.tellsOfMember {
                for user in users where change.names(user: user) {
                    traces[BytewiseString(user), default: [:]][change.origin, default: 0] += 1
                }
            }
        }
        return traces
    }
}
