import Changes
import Foundation
import Model
import Redis
import TestSupport
import Testing

/// What a Redis server can lose while daemons stay connected to it.
@Suite(
    "Streams that are lost while daemons write", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct LostStreamTests {
    /// What is lost, again and again.
    enum Loss: String, CaseIterable, CustomTestStringConvertible {
        case everything, streams, list, entries, changedBytes, evicted
        var testDescription: String { rawValue }
    }

    private func daemons(_ workspace: Workspace) async throws -> [RunningDaemon] {
        try await workspace.publishSample()
        let daemons = [
            try await RunningDaemon.withoutCatalog(workspace, "a"),
            try await RunningDaemon.withoutCatalog(workspace, "b"),
        ]
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        return daemons
    }

    /// Has an interaction acknowledged.
    private func click(_ daemon: RunningDaemon, _ id: String) throws {
        let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("POST", "/v1/users/somebody/interactions", json: json)?.status == 200)
    }

    /// Has a group hidden.
    private func hide(_ daemon: RunningDaemon, _ group: String) throws {
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("PUT", "/v1/admin/groups/\(group)/hidden")?.status == 200)
    }

    private func isQuiet(_ daemon: RunningDaemon) -> Bool {
        guard let metrics = try? daemon.get("/metrics").text else { return false }
        return metrics.contains("coterie_outbox_changes 0\n") && metrics.contains("coterie_stream_connected 1\n")
    }

    private func lose(_ loss: Loss, _ server: TemporaryRedis) throws {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        guard case .array(let names) = try connection.command("SMEMBERS", "coterie:journals") else { return }
        let streams = names.compactMap(\.text).map { "coterie:journal:" + $0 }
        switch loss {
        case .everything: _ = try connection.command("FLUSHALL")
        case .list: _ = try connection.command("DEL", "coterie:journals")
        case .streams: for stream in streams { _ = try connection.command("DEL", stream) }
        case .entries:
            for stream in streams {
                guard case .array(let entries) = try connection.command("XRANGE", stream, "-", "+"),
                    case .array(let entry)? = entries.dropLast().last, let id = entry.first?.text
                else { continue }
                _ = try connection.command("XDEL", stream, id)
            }
        case .changedBytes:
            for stream in streams { _ = try connection.command("EVAL", Self.changingScript, "1", stream) }
        case .evicted:
            // Until next time there is no room for what there is.
            _ = try connection.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
            _ = try connection.command("CONFIG", "SET", "maxmemory", "1mb")
            _ = try connection.command("CONFIG", "SET", "maxmemory", "0")
            #expect(try connection.command("INFO", "stats").text?.contains("evicted_keys:0\r") == false)
        }
    }

    /// Changes a byte of the last change of a stream.
    private static let changingScript = """
        local entries = redis.call('XRANGE', KEYS[1], '-', '+')
        redis.call('DEL', KEYS[1])
        for index, entry in ipairs(entries) do
          local fields = entry[2]
          if index == #entries then fields[4] = fields[4]:gsub('click', 'clack'):gsub('hide', 'hint') end
          redis.call('XADD', KEYS[1], entry[1], unpack(fields))
        end
        """

    @Test("Every acknowledged change and hide is in the catalog after the next recompute", arguments: Loss.allCases)
    func losses(loss: Loss) async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        let daemons = try await daemons(workspace)
        let groups = ["night-walkers", "street-candid", "after-dark", "lone-trees"]
        var acknowledged: Set<String> = []
        for number in 0..<16 {
            let daemon = daemons[number % 2]
            try click(daemon, "\(number)")
            acknowledged.insert("\(number)")
            if number.isMultiple(of: 4) { try hide(daemon, groups[number / 4]) }
            if number % 3 == 1 { try lose(loss, server) }
            // Three a second, at which all was lost when a stream was taken for whole by its last entry.
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(await RunningDaemon.poll { daemons.allSatisfy(isQuiet) })
        // What has changed is noticed by whoever reads it first, and comes again.
        var kept: [String] = []
        for _ in 0..<(loss == .changedBytes ? 10 : 1) where kept.count < acknowledged.count {
            try await workspace.succeed("recompute")
            kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        }
        #expect(Set(kept) == acknowledged && kept.count == acknowledged.count)
        let hidden = try CatalogContent.texts(
            "SELECT group_id FROM hidden_groups JOIN groups USING (group_key)", workspace.catalog)
        #expect(Set(hidden) == Set(groups))
        for daemon in daemons {
            for group in groups {
                #expect(
                    await RunningDaemon.poll { (try? daemon.get("/v1/groups/\(group)/similar").status) == 404 })
            }
        }
    }

    @Test("What a daemon acknowledged before it was lost for good, another one sends again")
    func lostDaemon() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        let daemons = try await daemons(workspace)
        for number in 0..<5 { try click(daemons[0], "\(number)") }
        let target = "/v1/users/somebody/interactions"
        #expect(await RunningDaemon.poll { (try? daemons[1].get(target).text.contains(#""id":"4""#)) == true })
        _ = await daemons[0].end(with: SIGKILL)
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: workspace.path("journal-a" + end))
        }
        try lose(.everything, server)
        #expect(await RunningDaemon.poll { (try? numbers(server).count) == 5 })
        try await workspace.succeed("recompute")
        let kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        #expect(Set(kept) == ["0", "1", "2", "3", "4"])
    }

    /// The numbers of the changes in all streams.
    private func numbers(_ server: TemporaryRedis) throws -> [String] {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        guard case .array(let names) = try connection.command("SMEMBERS", "coterie:journals") else { return [] }
        return try names.flatMap { name in
            guard
                case .array(let entries) = try connection.command(
                    "XRANGE", "coterie:journal:\(name.text ?? "")", "-", "+")
            else { return [String]() }
            return entries.compactMap { if case .array(let entry) = $0 { entry.first?.text } else { nil } }
        }
    }

    @Test("What every version has by now is not sent again when a recompute has removed its stream")
    func removedStream() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        try await workspace.publishSample()
        let daemon = try await RunningDaemon.withoutCatalog(workspace, "a")
        try await daemon.wait { !$0.degraded }
        try click(daemon, "1")
        #expect(await RunningDaemon.poll { (try? numbers(server)) == ["1-0"] })
        for _ in 0..<2 {
            try await workspace.succeed("recompute", "--keep", "1", "--force")
            try await daemon.wait(forVersion: workspace.currentVersion())
        }
        #expect(try numbers(server) == [])
        try click(daemon, "2")
        #expect(await RunningDaemon.poll { (try? numbers(server)) == ["2-0"] })
    }

    @Test("A copy of a journal is a journal of its own: what both daemons acknowledge from then on is kept")
    func copiedJournal() async throws {
        let workspace = try Workspace(.redis)
        var daemons = try await daemons(workspace)
        for number in 0..<3 { try click(daemons[0], "\(number)") }
        _ = await daemons[0].end()
        try FileManager.default.copyItem(atPath: workspace.path("journal-a"), toPath: workspace.path("journal-c"))
        daemons[0] = try await RunningDaemon.withoutCatalog(workspace, "a")
        daemons.append(try await RunningDaemon.withoutCatalog(workspace, "c"))
        for daemon in daemons { try await daemon.wait { !$0.degraded } }
        for number in 3..<9 { try click(daemons[number % 3], "\(number)") }
        #expect(await RunningDaemon.poll { daemons.allSatisfy(isQuiet) })
        try await workspace.succeed("recompute")
        let kept = try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog)
        #expect(Set(kept) == Set((0..<9).map(String.init)) && kept.count == 9)
    }

    @Test("A recompute that meets a gap takes what is before it, says so, and takes the rest when told to skip it")
    func gap() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        try await workspace.publishSample()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        for number in [1, 2, 4, 5] as [Int64] {
            let click = InteractionRecord(id: "\(number)", .click, groupID: "macro-mondays", atMilliseconds: 1)
            let change = Change.member(MemberChange(ofUser: "ann", .record([click])))
            try Self.add("gone", number, change.encoded, &connection)
        }
        func kept() throws -> Set<String> {
            Set(try CatalogContent.texts("SELECT id FROM interactions", workspace.catalog))
        }
        for _ in 0..<2 {
            let run = try await workspace.succeed("recompute")
            #expect(run.errors.contains("change 3 of the journal gone is missing"), "\(run.errors)")
            #expect(try kept() == ["1", "2"])
            #expect(try connection.command("XLEN", "coterie:journal:gone") == .integer(4))
        }
        let run = try await workspace.succeed("recompute", "--skip-missing")
        #expect(run.errors.contains("change 3 of the journal gone given up for good"), "\(run.errors)")
        #expect(!run.errors.contains("is missing"))
        #expect(try kept() == ["1", "2", "4", "5"])
    }

    /// Adds a change to the stream of a journal, as a daemon does.
    private static func add(
        _ origin: String, _ sequence: Int64, _ bytes: [UInt8], _ connection: inout RedisConnection
    ) throws {
        let change = JournaledChange(
            origin: origin, sequence: sequence, stampMilliseconds: sequence, encoded: bytes)
        _ = try connection.command("SADD", "coterie:journals", origin)
        var command = RedisCommand(
            "XADD", "coterie:journal:\(origin)", "\(sequence)-0", "stamp", String(sequence), "change")
        command.append(bytes)
        command.append("seal")
        command.append(change.sealText)
        _ = try connection.command(command)
    }

    @Test("A change of a newer program stops its journal and no other, is told of, and goes with its member")
    func newer() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        try await workspace.publishSample()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        func add(_ origin: String, _ sequence: Int64, _ text: String) throws {
            try Self.add(origin, sequence, Array(text.utf8), &connection)
        }
        func hidden() throws -> [String] {
            try CatalogContent.texts(
                "SELECT group_id FROM hidden_groups JOIN groups USING (group_key) ORDER BY group_id", workspace.catalog)
        }
        try add("odd", 1, #"{"v":2,"kind":1,"user":"laura-100","group":"night-walkers"}"#)
        try add("odd", 2, #"{"v":1,"kind":10,"group":"lone-trees","at":1}"#)
        try add("other", 1, #"{"v":1,"kind":10,"group":"night-walkers","at":1}"#)
        for _ in 0..<2 {
            let run = try await workspace.succeed("recompute", "--keep", "1")
            #expect(run.errors.contains("change 1 of the journal odd needs a newer program"), "\(run.errors)")
            #expect(try hidden() == ["night-walkers"])
            #expect(try connection.command("XLEN", "coterie:journal:odd") == .integer(2))
        }
        // A daemon keeps it, shows what follows, and says what it needs.
        let daemon = try await RunningDaemon(
            workspace, "--store", server.url, "--journal", workspace.path("journal.sqlite"),
            settings: ["COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache")])
        let isTold = await RunningDaemon.poll {
            (try? daemon.get("/readyz").text.contains("change 1 of the journal odd needs a newer program")) == true
                && (try? daemon.get("/v1/groups/lone-trees/similar").status) == 404
        }
        #expect(isTold, "\(daemon.command.errors)")
        let check = try await workspace.run("check", "--journal", workspace.path("journal.sqlite"))
        #expect(check.text.contains("change 1 of the journal odd needs a newer program"), "\(check.text)")
        // Forgetting finds it, and erases it where it can.
        let journal = workspace.path("journal.sqlite")
        let left = try await workspace.run("forget", "laura-100", "--check", "--journal", journal)
        #expect(left.text.contains("stream odd: 1"), "\(left.text)")
        #expect(left.text.contains("journal \(journal): 1"), "\(left.text)")
        try await workspace.succeed("forget", "laura-100")
        let isErased = await RunningDaemon.poll {
            (try? ChangeJournal(path: journal, mode: .reading).traces(of: ["laura-100"])) == [:]
        }
        #expect(isErased)
        // Given up, what follows it is applied.
        try await workspace.succeed("recompute", "--skip-missing")
        #expect(try hidden() == ["lone-trees", "night-walkers"])
    }

    @Test("What a daemon that was away has of a member who was forgotten long ago is erased, and reaches nobody")
    func awayWhileForgotten() async throws {
        let workspace = try Workspace(.redis)
        let server = try #require(workspace.server)
        try await workspace.publishSample()
        let path = workspace.path("journal.sqlite")
        let journal = try ChangeJournal(path: path, mode: .recording)
        let click = InteractionRecord(id: "away-1", .click, groupID: "lone-trees", atMilliseconds: 5)
        for user in ["laura-100", "somebody"] {
            _ = try journal.record(
                [
                    .member(MemberChange(ofUser: user, .record([click]))),
                    .member(MemberChange(ofUser: user, .state(interests: ["away-topic"]))),
                ], at: 1000)
        }
        try await workspace.succeed("forget", "laura-100")
        // No version and no stream says any more who was forgotten.
        for _ in 0..<3 { try await workspace.succeed("recompute", "--keep", "1") }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        #expect(try connection.command("SCARD", "coterie:journals") == .integer(0))
        let daemon = try await RunningDaemon(
            workspace, "--store", server.url, "--journal", path,
            settings: ["COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache")])
        let isSent = await RunningDaemon.poll {
            (try? daemon.get("/metrics").text.contains("\ncoterie_outbox_changes 0\n")) == true
                && (try? connection.command("XLEN", "coterie:journal:\(journal.origin)")) == .integer(4)
        }
        #expect(isSent, "\(daemon.command.errors)")
        #expect(try !daemon.get("/v1/users/laura-100/interactions").text.contains("away-1"))
        #expect(try !daemon.get("/v1/users/laura-100/interests").text.contains("away-topic"))
        #expect(try daemon.get("/v1/users/somebody/interactions").text.contains("away-1"))
        let left = try await workspace.succeed("forget", "laura-100", "--check")
        #expect(left.text.contains("nothing is left"), "\(left.text)")
    }
}
