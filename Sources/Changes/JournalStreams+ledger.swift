package import Basics
import Model
import Redis

/// The ledger of a store, which every program that shares it knows.
extension JournalStreams {
    /// Returns the ledger, or nil if the store has no key yet: nobody has published to it.
    package mutating func ledger() throws(Failure) -> Ledger? {
        guard case .bytes(let bytes) = try ask(RedisCommand("GET", keys.ledgerKey)) else { return nil }
        guard bytes.count == Ledger.keyByteCount else { throw damaged("another key") }
        var ledger = Ledger(key: bytes)
        for (digest, milliseconds) in try ledgerTimes(keys.forgotten) {
            ledger.note(Ledger.Times(forgotten: milliseconds), of: digest)
        }
        for (digest, milliseconds) in try ledgerTimes(keys.readmitted) {
            ledger.note(Ledger.Times(readmitted: milliseconds), of: digest)
        }
        return ledger
    }

    /// Returns a text that is another whenever somebody has added to the ledger, also after the store has lost it.
    package mutating func ledgerRevision() throws(Failure) -> String {
        try ask(RedisCommand("GET", keys.ledgerRevision)).text ?? ""
    }

    private mutating func ledgerTimes(_ key: String) throws(Failure) -> [(Ledger.Digest, Int64)] {
        guard case .array(let parts) = try ask(RedisCommand("ZRANGE", key, "0", "-1", "WITHSCORES")) else {
            throw damaged("an unexpected reply")
        }
        return stride(from: 0, to: parts.count - 1, by: 2).compactMap { place in
            guard let digest = parts[place].text.flatMap({ Ledger.Digest($0) }),
                let milliseconds = parts[place + 1].text.flatMap({ Double($0) }).flatMap({ Int64(exactly: $0) })
            else { return nil }
            return (digest, milliseconds)
        }
    }

    /// Adds entries to the ledger; the first one gives the store its key.
    ///
    /// - Returns: false if the store has another key; then nothing was added.
    package mutating func add(_ ledger: Ledger) throws(Failure) -> Bool {
        var set = RedisCommand("SET", keys.ledgerKey)
        set.append(ledger.key)
        set.append("NX")
        _ = try ask(set)
        guard try ask(RedisCommand("GET", keys.ledgerKey)) == .bytes(ledger.key) else { return false }
        try add(ledger.times.map { ($0.key, $0.value.forgotten) }, to: keys.forgotten)
        try add(ledger.times.map { ($0.key, $0.value.readmitted) }, to: keys.readmitted)
        _ = try ask(RedisCommand("SET", keys.ledgerRevision, String(UInt64.random(in: .min ... .max), radix: 36)))
        return true
    }

    private mutating func add(_ times: [(Ledger.Digest, Int64)], to key: String) throws(Failure) {
        let times = times.filter { $0.1 > 0 }
        for first in stride(from: 0, to: times.count, by: 1000) {
            var command = RedisCommand("ZADD", key, "GT")
            for (digest, milliseconds) in times[first..<min(first + 1000, times.count)] {
                command.append(String(milliseconds))
                command.append(digest.text)
            }
            _ = try ask(command)
        }
    }

    /// Adds to the ledger the members whom changes remove.
    ///
    /// Whoever is removed until a return counts as readmitted at once: journals erase what is older.
    ///
    /// - Parameters:
    ///   - changes: any changes.
    ///   - key: the key of the site.
    /// - Returns: the entries that were added.
    @discardableResult
    package mutating func noteForgotten(by changes: [JournaledChange], key: [UInt8]) throws(Failure) -> Ledger {
        var ledger = Ledger(key: key)
        for change in changes {
            guard let content = change.change, let id = content.removedUserID else { continue }
            let isForGood = content.forgottenUserID != nil
            let times = Ledger.Times(
                forgotten: change.stampMilliseconds, readmitted: isForGood ? 0 : change.stampMilliseconds)
            ledger.note(times, of: ledger.digest(of: id))
        }
        if !ledger.times.isEmpty { _ = try add(ledger) }
        return ledger
    }

    /// Returns the latest stamp of the streams, in milliseconds, or 0 if they are empty.
    package mutating func latestStampMilliseconds() throws(Failure) -> Int64 {
        var latest: Int64 = 0
        for (origin, numbers) in try survey() where numbers.count > 0 {
            let last = try changes(of: origin, after: numbers.last - 1, limit: 1).first
            latest = max(latest, last?.stampMilliseconds ?? 0)
        }
        return latest
    }

    /// Returns the changes about a member that the streams still have, by the rules of `traceCounts`.
    package mutating func changes(about user: String) throws(Failure) -> [JournaledChange] {
        var found: [JournaledChange] = []
        try forEachBatch(beyond: .none) { changes throws(Failure) in
            found += changes.filter { $0.tells(ofMember: user) }
        }
        return found
    }
}
