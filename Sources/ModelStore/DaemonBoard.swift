package import Basics
import Glibc
import Redis

/// The reports of a store's daemons about themselves.
///
/// A report expires a while after it was posted. So a killed daemon disappears by itself.
package protocol DaemonBoard: Sendable {
    /// Posts a daemon's report, in place of its earlier one.
    ///
    /// - Parameters:
    ///   - report: the report, of at most as many bytes as the kind of the board says.
    ///   - id: the daemon's id: 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure)

    /// Adds bytes at the end of an entry, as several processes may do.
    ///
    /// - Parameter limit: the most bytes that the entry then has.
    /// - Throws: `Failure.general` if it has no room for them.
    func append(_ bytes: [UInt8], to id: String, limit: Int) throws(Failure)

    /// Removes a daemon's report.
    func withdraw(_ id: String) throws(Failure)

    /// Returns the reports of daemons with some ids that have not expired, in ascending order of the ids.
    func reports(_ isWanted: (_ id: String) -> Bool) throws(Failure) -> [[UInt8]]
}

extension DaemonBoard {
    /// Returns all daemons' reports that have not expired, in ascending order of the daemons' ids.
    package func reports() throws(Failure) -> [[UInt8]] { try reports { _ in true } }
}

/// The boards of a store; a raw value is the name of one entry.
package enum BoardKind: String, Sendable {
    /// The reports of daemons about themselves.
    case daemons = "daemon"
    /// The latest report of each daemon with a journal of its own, also of one that cannot reach the store any more.
    case senders = "sender"
    /// The sums of what members did with lists, day by day.
    case lists = "list"
    /// The sessions of the pages that were signed out.
    case endings = "ending"
    /// The decisions of operators, week by week.
    case decisions = "decision"

    /// The time after which an entry expires; a running daemon posts its report several times within it.
    package var lifetimeSeconds: Int64 {
        switch self {
        case .daemons: 20
        case .senders, .lists: 35 * 86_400
        case .endings: 8 * 3600
        // The last decision of a week stays a year.
        case .decisions: 366 * 86_400
        }
    }

    /// The length of the longest entry, in bytes.
    var byteLimit: Int { self == .decisions ? 1 << 20 : 1 << 16 }

    /// The error of an entry that has no room for more.
    var isFull: Failure { Failure(.general, "there is no room for more \(rawValue)s of this time in the store") }
}

/// A board of a store in a folder: a file for each entry, which expires by its modification time.
struct FolderBoard: DaemonBoard {
    let layout: FolderLayout
    let kind: BoardKind

    private var folder: String { layout.board(kind) }

    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure) {
        try makeReady()
        try FileTree.replace("\(folder)/\(id)", content: report, .processEnd)
    }

    /// Makes the folder, and removes what has expired, such as the reports of killed daemons.
    private func makeReady() throws(Failure) {
        try FileTree.makeSharedDirectory(folder)
        for name in try FileTree.names(in: folder) where !isRecent("\(folder)/\(name)") {
            try FileTree.remove("\(folder)/\(name)")
        }
    }

    func append(_ bytes: [UInt8], to id: String, limit: Int) throws(Failure) {
        try makeReady()
        let file = try OpenFile("\(folder)/\(id)", for: .appending)
        _ = try file.lock(waiting: true)
        guard try file.byteCount() + bytes.count <= limit else { throw kind.isFull }
        try file.append(bytes)
        try file.synchronize()
    }

    func withdraw(_ id: String) throws(Failure) { try FileTree.remove("\(folder)/\(id)") }

    func reports(_ isWanted: (String) -> Bool) throws(Failure) -> [[UInt8]] {
        let names = try FileTree.names(in: folder).filter { !$0.hasPrefix(".") && isWanted($0) }.sorted()
        let paths = names.map { "\(folder)/\($0)" }.filter(isRecent)
        return try paths.map { path throws(Failure) in try FileTree.content(of: path, limit: kind.byteLimit) }
            .compactMap(\.self)
    }

    private func isRecent(_ path: String) -> Bool {
        guard let milliseconds = FileTree.changeTimeMilliseconds(of: path) else { return false }
        return abs(Int64(time(nil)) - milliseconds / 1000) <= kind.lifetimeSeconds
    }
}

/// A board of a store in Redis: an expiring key for each entry, and a set of the ids.
struct RedisBoard: DaemonBoard {
    let store: RedisStore
    let kind: BoardKind

    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure) {
        let script = """
            redis.call('SADD', KEYS[1], ARGV[1])
            redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[2])
            return 1
            """
        var command = RedisCommand(
            "EVAL", script, "2", store.layout.board(kind), store.layout.entry(id, on: kind), id,
            String(kind.lifetimeSeconds))
        command.append(report)
        _ = try store.ask(command)
    }

    func append(_ bytes: [UInt8], to id: String, limit: Int) throws(Failure) {
        let script = """
            if redis.call('STRLEN', KEYS[2]) + #ARGV[4] > tonumber(ARGV[3]) then return 0 end
            redis.call('SADD', KEYS[1], ARGV[1])
            redis.call('APPEND', KEYS[2], ARGV[4])
            return redis.call('EXPIRE', KEYS[2], ARGV[2])
            """
        var command = RedisCommand(
            "EVAL", script, "2", store.layout.board(kind), store.layout.entry(id, on: kind), id,
            String(kind.lifetimeSeconds), String(limit))
        command.append(bytes)
        guard try store.ask(command) == .integer(1) else { throw kind.isFull }
    }

    func withdraw(_ id: String) throws(Failure) {
        let script = "redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('DEL', KEYS[2])"
        _ = try store.ask(
            RedisCommand("EVAL", script, "2", store.layout.board(kind), store.layout.entry(id, on: kind), id))
    }

    func reports(_ isWanted: (String) -> Bool) throws(Failure) -> [[UInt8]] {
        let damage = Failure(.corrupt, "\(store.location) did not answer with what daemons say")
        guard case .array(let members) = try store.ask(RedisCommand("SMEMBERS", store.layout.board(kind))) else {
            throw damage
        }
        let ids = members.compactMap(\.text).filter(isWanted).sorted()
        let script = """
            local reports = {}
            for place, id in ipairs(ARGV) do
              local report = redis.call('GET', KEYS[place + 1])
              if report then table.insert(reports, report) else redis.call('SREM', KEYS[1], id) end
            end
            return reports
            """
        var command = RedisCommand("EVAL", script, String(ids.count + 1), store.layout.board(kind))
        for id in ids { command.append(store.layout.entry(id, on: kind)) }
        for id in ids { command.append(id) }
        guard case .array(let values) = try store.ask(command) else { throw damage }
        return values.compactMap { value in
            guard case .bytes(let bytes) = value, bytes.count <= kind.byteLimit else { return nil }
            return bytes
        }
    }
}
