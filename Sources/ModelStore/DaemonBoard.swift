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
    ///   - report: the report, at most 65,536 bytes.
    ///   - id: the daemon's id: 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure)

    /// Removes a daemon's report.
    func withdraw(_ id: String) throws(Failure)

    /// Returns the daemons' reports that have not expired, in ascending order of the daemons' ids.
    func reports() throws(Failure) -> [[UInt8]]
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

    /// The time after which an entry expires; a running daemon posts its report several times within it.
    package var lifetimeSeconds: Int64 {
        switch self {
        case .daemons: 20
        case .senders, .lists: 35 * 86_400
        case .endings: 8 * 3600
        }
    }

    /// The length of the longest entry, in bytes.
    static let maximumByteCount = 1 << 16
}

/// A board of a store in a folder: a file for each entry, which expires by its modification time.
struct FolderBoard: DaemonBoard {
    let layout: FolderLayout
    let kind: BoardKind

    private var folder: String { layout.board(kind) }

    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure) {
        try FileTree.makeDirectory(folder)
        // Removes the reports of killed daemons.
        for name in try FileTree.names(in: folder) where !isRecent("\(folder)/\(name)") {
            try FileTree.remove("\(folder)/\(name)")
        }
        try FileTree.replace("\(folder)/\(id)", draft: "\(folder)/.\(id).new", content: report, .processEnd)
    }

    func withdraw(_ id: String) throws(Failure) { try FileTree.remove("\(folder)/\(id)") }

    func reports() throws(Failure) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        for name in try FileTree.names(in: folder).sorted() where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            guard isRecent(path) else { continue }
            guard let report = try FileTree.content(of: path, limit: BoardKind.maximumByteCount) else { continue }
            reports.append(report)
        }
        return reports
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

    func withdraw(_ id: String) throws(Failure) {
        let script = "redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('DEL', KEYS[2])"
        _ = try store.ask(
            RedisCommand("EVAL", script, "2", store.layout.board(kind), store.layout.entry(id, on: kind), id))
    }

    func reports() throws(Failure) -> [[UInt8]] {
        let damage = Failure(.corrupt, "\(store.location) did not answer with what daemons say")
        guard case .array(let members) = try store.ask(RedisCommand("SMEMBERS", store.layout.board(kind))) else {
            throw damage
        }
        let ids = members.compactMap(\.text).sorted()
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
            guard case .bytes(let bytes) = value, bytes.count <= BoardKind.maximumByteCount else { return nil }
            return bytes
        }
    }
}
