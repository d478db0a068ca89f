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

/// The limits on reports.
enum DaemonReports {
    /// The time after which a report expires; daemons post several times within it.
    static let lifetimeSeconds = 20
    /// The length of the longest report, in bytes.
    static let maximumByteCount = 1 << 16
}

/// The board of a store in a folder: a file for each daemon, which expires by its modification time.
struct FolderBoard: DaemonBoard {
    let layout: FolderLayout

    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure) {
        try FileTree.makeDirectory(layout.daemons)
        // Removes the reports of killed daemons.
        for name in try FileTree.names(in: layout.daemons) where !Self.isRecent(layout.daemon(name)) {
            try FileTree.remove(layout.daemon(name))
        }
        let draft = "\(layout.daemons)/.\(id).new"
        try FileTree.remove(draft)
        let file = try OpenFile(draft, for: .creating)
        try file.write(unsafe report.span.bytes, at: 0)
        try FileTree.move(draft, to: layout.daemon(id))
    }

    func withdraw(_ id: String) throws(Failure) { try FileTree.remove(layout.daemon(id)) }

    func reports() throws(Failure) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        for name in try FileTree.names(in: layout.daemons).sorted() where !name.hasPrefix(".") {
            let path = layout.daemon(name)
            guard Self.isRecent(path) else { continue }
            guard let report = try FileTree.content(of: path, limit: DaemonReports.maximumByteCount) else { continue }
            reports.append(report)
        }
        return reports
    }

    private static func isRecent(_ path: String) -> Bool {
        guard let milliseconds = FileTree.changeTimeMilliseconds(of: path) else { return false }
        return abs(Int64(time(nil)) - milliseconds / 1000) <= Int64(DaemonReports.lifetimeSeconds)
    }
}

/// The board of a store in Redis: an expiring key for each daemon, and a set of the daemons' ids.
struct RedisBoard: DaemonBoard {
    let store: RedisStore

    func post(_ report: [UInt8], ofDaemon id: String) throws(Failure) {
        let script = """
            redis.call('SADD', KEYS[1], ARGV[1])
            redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[2])
            return 1
            """
        var command = RedisCommand(
            "EVAL", script, "2", store.layout.daemons, store.layout.daemon(id), id,
            String(DaemonReports.lifetimeSeconds))
        command.append(report)
        _ = try store.ask(command)
    }

    func withdraw(_ id: String) throws(Failure) {
        let script = "redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('DEL', KEYS[2])"
        _ = try store.ask(RedisCommand("EVAL", script, "2", store.layout.daemons, store.layout.daemon(id), id))
    }

    func reports() throws(Failure) -> [[UInt8]] {
        let damage = Failure(.corrupt, "\(store.location) did not answer with what daemons say")
        guard case .array(let members) = try store.ask(RedisCommand("SMEMBERS", store.layout.daemons)) else {
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
        var command = RedisCommand("EVAL", script, String(ids.count + 1), store.layout.daemons)
        for id in ids { command.append(store.layout.daemon(id)) }
        for id in ids { command.append(id) }
        guard case .array(let values) = try store.ask(command) else { throw damage }
        return values.compactMap { value in
            guard case .bytes(let bytes) = value, bytes.count <= DaemonReports.maximumByteCount else { return nil }
            return bytes
        }
    }
}
