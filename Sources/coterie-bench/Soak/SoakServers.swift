import Foundation
import Glibc
import Redis
import Synchronization

/// A Redis server and two daemons that share it; used by one thread.
final class SoakServers {
    let daemons: [Child]
    let ports: [UInt16]
    let store: String
    let hidden = RecentlyHiddenGroups()
    private var redis: Child
    private let redisPort: UInt16
    private let folder: String
    /// The number of the current folder of Redis; each new folder is empty.
    private var redisFolders = 0

    init(_ community: SoakCommunity) throws {
        folder = community.folder
        redisPort = try ServersUnderTest.freePort()
        store = "redis://127.0.0.1:\(redisPort)"
        redis = try Self.startRedis(port: redisPort, in: folder + "/redis-0")
        try SoakCommunity.coterie(["recompute", "--catalog", community.catalog, "--store", store])
        var daemons: [Child] = []
        var ports: [UInt16] = []
        for number in 0..<2 {
            let place = "\(folder)/daemon-\(number)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let daemon = try Child(
                [
                    try ServersUnderTest.daemonPath(), "serve", "--port", "0", "--store", store, "--catalog",
                    community.catalog,
                    "--journal", place + "/journal", "--cache", place + "/cache", "--open-rate", "0",
                ], processor: number, folder: place)
            daemons.append(daemon)
            ports.append(try ServersUnderTest.port(of: daemon))
        }
        (self.daemons, self.ports) = (daemons, ports)
    }

    private static func startRedis(port: UInt16, in folder: String) throws -> Child {
        try Child.redis(
            ["--port", "\(port)", "--bind", "127.0.0.1"], at: RedisAddress("redis://127.0.0.1:\(port)"), folder: folder,
            keepsChanges: true)
    }

    /// Stops Redis, and starts it again a second later.
    func restartRedis(keepingData isKept: Bool) throws {
        redis.stop()
        Thread.sleep(forTimeInterval: 1)
        if !isKept { redisFolders += 1 }
        redis = try Self.startRedis(port: redisPort, in: "\(folder)/redis-\(redisFolders)")
        hidden.noteRedisIsThere()
    }

    /// Returns whether the daemons answer requests for several members at once.
    func answersBatches() throws -> Bool {
        let answer = try ClientConnection(port: ports[0]).answer(to: ClientConnection.request("/openapi.json"))
        return String(decoding: answer.body, as: UTF8.self).contains("\"/v1/recommendations\"")
    }

    /// Hides a group through one of the daemons, and shows the groups whose time is over.
    func hideAnother(of community: SoakCommunity, showingAgainAfter seconds: Int, _ findings: SoakFindings) throws {
        let daemon = Int.random(in: 0..<ports.count)
        let group = community.groups.randomElement() ?? ""
        if !hidden.all.contains(group) {
            // A version that was made while a group was hidden lacks the group.
            let status = try decide("PUT", group, daemon)
            if status == 200 { hidden.add(group, by: daemon) }
            findings.note("hide", status)
        }
        for (group, daemon) in hidden.takeOlder(thanSeconds: seconds) {
            findings.note("show", try decide("DELETE", group, daemon))
        }
    }

    private func decide(_ method: String, _ group: String, _ daemon: Int) throws -> Int {
        let request = ClientConnection.request("/v1/admin/groups/\(group)/hidden", method: method, json: "")
        return try ClientConnection(port: ports[daemon]).answer(to: request).status
    }
}

/// A synthetic community whose titles identify the import they came from.
///
/// The folder is deleted when the community is released.
final class SoakCommunity: Sendable {
    let folder: String
    /// The ids of public groups.
    let groups: [String]
    let users: [String]
    let photos: [String]
    private let groupLines: [[Substring]]

    init() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/coterie-bench-soak-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let sizes = ["--groups", "300", "--users", "1500", "--photos", "3000"]
        try Self.run(CommandLine.arguments[0], ["generate", "--output", folder] + sizes)
        self.folder = folder
        groupLines = try Self.rows(of: "\(folder)/groups.tsv")
        groups = groupLines.dropFirst().filter { $0[3] == "public" }.map { String($0[0]) }
        users = try Self.rows(of: "\(folder)/users.tsv").dropFirst().map { String($0[0]) }
        photos = try Self.rows(of: "\(folder)/photos.tsv").dropFirst().map { String($0[0]) }
        for kind in ["users", "photos"] { try importing(kind) }
        try importGroups(mark: 0)
        for kind in ["memberships", "pools"] { try importing(kind) }
    }

    private static func rows(of file: String) throws -> [[Substring]] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var catalog: String { folder + "/catalog.sqlite" }

    /// Returns the mark of the import in a title, or nil if there is none.
    static func mark(of title: String) -> Int? {
        title.split(separator: " ").first.flatMap { $0.hasPrefix("#") ? Int($0.dropFirst()) : nil }
    }

    /// Imports all groups, with titles that begin with a mark.
    func importGroups(mark: Int) throws {
        let lines = groupLines.enumerated().map { number, fields in
            var fields = fields
            if number > 0 { fields[1] = "#\(mark) \(fields[1])" }
            return fields.joined(separator: "\t")
        }
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: "\(folder)/groups.tsv", atomically: false, encoding: .utf8)
        try importing("groups")
    }

    private func importing(_ kind: String) throws {
        try Self.coterie(["import", kind, "\(folder)/\(kind).tsv", "--catalog", catalog])
    }

    /// Runs the `coterie` program beside this one to its end.
    static func coterie(_ arguments: [String]) throws { try run(ServersUnderTest.daemonPath(), arguments) }

    private static func run(_ program: String, _ arguments: [String]) throws {
        _ = try Child.output(of: [program] + arguments, processor: ServersUnderTest.loadProcessor, isQuiet: true)
    }
}

/// A background job that repeatedly imports groups with new titles and publishes a version.
final class SoakPublisher: Sendable {
    private let community: SoakCommunity
    private let store: String
    private let findings: SoakFindings
    private let queue = DispatchQueue(label: "publisher")
    private let isOver = Atomic(false)
    private let mark = Atomic(0)

    init(_ community: SoakCommunity, store: String, _ findings: SoakFindings) {
        self.community = community
        self.store = store
        self.findings = findings
    }

    /// Publishes a version once the one before has been published.
    ///
    /// Publishing is retried until it succeeds. Failure is expected without Redis, and while Redis keeps the lease of a
    /// publisher that was cut off.
    func publish() {
        queue.async { [self] in
            while !isOver.load(ordering: .relaxed) {
                do {
                    try community.importGroups(mark: mark.add(1, ordering: .relaxed).newValue)
                    try SoakCommunity.coterie(["recompute", "--catalog", community.catalog, "--store", store])
                    return findings.notePublication()
                } catch { Thread.sleep(forTimeInterval: 2) }
            }
        }
    }

    /// Waits until nothing is being published.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        queue.sync {}
    }
}
