import Basics
import Foundation
import SQLite
import TestSupport
import Testing

@Suite(
    "Daemons whose disk is full or can only be read", .aFewAtATime, .drill,
    .enabled(if: SmallDisk.isAvailable, "mounting a small disk takes root"))
struct FullDiskTests {
    private func post(_ daemon: RunningDaemon, _ id: Int) throws -> SocketClient.Response {
        let json = #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"macro-mondays"}]}"#
        let client = try #require(SocketClient(port: daemon.port))
        return try #require(client.request("POST", "/v1/users/laura-100/interactions", json: json))
    }

    /// How often the daemon has logged a text.
    private func count(_ text: String, in daemon: RunningDaemon) -> Int {
        daemon.command.errors.split(separator: "\n").count { $0.contains(text) }
    }

    /// A workspace with a published sample, and a disk that has its catalog and a little room.
    private func scene() async throws -> (workspace: Workspace, disk: SmallDisk, catalog: String) {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let disk = try SmallDisk(kibibytes: 32 << 10)
        let catalog = disk.path + "/catalog.sqlite"
        try FileManager.default.moveItem(atPath: workspace.catalog, toPath: catalog)
        return (workspace, disk, catalog)
    }

    @Test("A full disk is logged once and told at /readyz; lists are served, and recovery needs no restart")
    func full() async throws {
        let (workspace, disk, catalog) = try await scene()
        let daemon = try await RunningDaemon(workspace, settings: ["COTERIE_CATALOG": catalog])
        try await daemon.wait { !$0.degraded }
        #expect(try post(daemon, 0).status == 200)
        try disk.fill()
        var refused: SocketClient.Response?
        for number in 1...500 {
            let answer = try post(daemon, number)
            #expect(try daemon.get("/v1/users/laura-100/recommendations?session=\(number)").status == 200)
            // A few small changes may still find room.
            if answer.status != 200 { refused = answer }
            if number > 100, refused != nil { break }
        }
        let problem = try #require(refused)
        #expect(problem.status == 503 && problem.text.contains("the disk is full"), "\(problem.text)")
        #expect(!problem.text.contains("SQL") && !problem.text.contains("INSERT"), "\(problem.text)")
        let readiness = try await daemon.wait { $0.degraded }
        #expect(readiness.reason?.contains("changes cannot be recorded: the disk is full") == true, "\(readiness)")
        let metrics = try daemon.get("/metrics").text
        #expect(metrics.contains("coterie_recording_up 0\n") && metrics.contains("coterie_sessions_up 0\n"))
        try disk.makeRoom()
        try await daemon.wait { !$0.degraded }
        #expect(try post(daemon, 1000).status == 200)
        for text in [
            "changes cannot be recorded", "changes can be recorded again", "sessions cannot be kept",
            "sessions can be kept again",
        ] {
            // A line of the log may come after the answer that tells the same.
            #expect(
                await RunningDaemon.poll { count(text, in: daemon) == 1 }, "\(text): \(daemon.command.errors)")
        }
        let run = await daemon.end()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
    }

    @Test("A daemon starts on a full disk after a clean stop, serves, says why, and writes once there is room")
    func startsFull() async throws {
        let (workspace, disk, catalog) = try await scene()
        let first = try await RunningDaemon(workspace, settings: ["COTERIE_CATALOG": catalog])
        try await first.wait { !$0.degraded }
        #expect(try post(first, 1).status == 200)
        #expect(await first.end().exitCode == CommandRun.ExitCode.success)
        try disk.fill()
        let daemon = try await RunningDaemon(workspace, settings: ["COTERIE_CATALOG": catalog])
        #expect(await RunningDaemon.poll { (try? daemon.get("/v1/users/laura-100/recommendations").status) == 200 })
        // A process that ends does not wait for all its connections, and a log that is left has room for some changes.
        var answer = try post(daemon, 100)
        for number in 101...600 where answer.status == 200 { answer = try post(daemon, number) }
        #expect(answer.status == 503 && answer.text.contains("the disk is full"), "\(answer.text)")
        let readiness = try await daemon.wait { $0.degraded }
        #expect(readiness.reason?.contains("the disk is full") == true, "\(readiness)")
        #expect(!daemon.command.errors.contains("code "), "\(daemon.command.errors)")
        try disk.makeRoom()
        try await daemon.wait { !$0.degraded }
        #expect(try post(daemon, 3).status == 200)
        #expect(try daemon.get("/v1/users/laura-100/interactions").text.contains(#""id":"3""#))
        let run = await daemon.end()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
    }

    @Test(
        "A daemon with a journal starts on a full disk after a clean stop, after a kill, or with no journal yet",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"), arguments: [SIGTERM, SIGKILL, nil])
    func startsFullWithJournal(signal: Int32?) async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let disk = try SmallDisk(kibibytes: 4 << 10)
        func start() async throws -> RunningDaemon {
            try await RunningDaemon(
                workspace, "--journal", disk.path + "/journal",
                settings: [
                    "COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache-full"),
                ])
        }
        if let signal {
            let first = try await start()
            try await first.wait { !$0.degraded }
            #expect(try post(first, 1).status == 200)
            _ = await first.end(with: signal)
        }
        try disk.fill()
        let daemon = try await start()
        #expect(await RunningDaemon.poll { (try? daemon.get("/v1/users/laura-100/recommendations").status) == 200 })
        // A log that a kill has left may still have room for a few changes.
        var answer = try post(daemon, 100)
        for number in 101...600 where answer.status == 200 { answer = try post(daemon, number) }
        #expect(answer.status == 503 && answer.text.contains("the disk is full"), "\(answer.text)")
        let readiness = try await daemon.wait { $0.degraded && $0.reason?.contains("the disk is full") == true }
        #expect(readiness.reason?.contains("changes cannot be recorded: the disk is full") == true, "\(readiness)")
        #expect(!daemon.command.errors.contains("code "), "\(daemon.command.errors)")
        // A hide of another daemon is obeyed all the same.
        let other = try await RunningDaemon.withoutCatalog(workspace, "other")
        try await other.wait { !$0.degraded }
        let client = try #require(SocketClient(port: other.port))
        #expect(client.request("PUT", "/v1/admin/groups/night-walkers/hidden")?.status == 200)
        #expect(await RunningDaemon.poll { (try? daemon.get("/v1/groups/night-walkers/similar").status) == 404 })
        try disk.makeRoom()
        try await daemon.wait { !$0.degraded }
        #expect(try post(daemon, 3).status == 200)
        #expect(try daemon.get("/v1/users/laura-100/interactions").text.contains(#""id":"3""#))
        #expect(try daemon.get("/v1/users/laura-100/interactions").text.contains(#""id":"1""#) == (signal != nil))
        let isSent = await RunningDaemon.poll {
            (try? other.get("/v1/users/laura-100/interactions").text.contains(#""id":"3""#)) == true
        }
        #expect(isSent)
        let run = await daemon.end()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
    }

    @Test("A temporary folder of SQLite's that is full is named, with the variable that names another")
    func temporaryFolder() async {
        // In a process of its own: SQLite reads the variable once.
        await #expect(processExitsWith: .success) {
            let (small, folder) = (try SmallDisk(kibibytes: 64), try TemporaryDirectory())
            #expect(unsafe setenv("SQLITE_TMPDIR", small.path, 1) == 0)
            let database = try Database(path: folder.path + "/database", mode: .create)
            try database.execute("PRAGMA temp_store = FILE; PRAGMA cache_size = 10; CREATE TABLE rows (text)")
            try database.execute(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
                INSERT INTO rows SELECT hex(randomblob(20)) FROM numbers
                """)
            let error = #expect(throws: Failure.self) {
                try database.execute("CREATE INDEX sorted ON rows (text)")
            }
            #expect(
                error?.message == """
                    SQLite's temporary folder \(small.path) is full: make room, or name another with SQLITE_TMPDIR
                    """)
        }
    }

    @Test("A daemon that was started on a disk that can only be read begins to write when it can")
    func readOnly() async throws {
        let (workspace, disk, catalog) = try await scene()
        try disk.mount(readOnly: true)
        let daemon = try await RunningDaemon(workspace, settings: ["COTERIE_CATALOG": catalog])
        let readiness = try await daemon.wait { $0.degraded }
        #expect(readiness.reason?.contains("can only be read") == true, "\(readiness)")
        #expect(try daemon.get("/v1/users/laura-100/recommendations").status == 200)
        #expect(try post(daemon, 1).status == 503)
        try disk.mount(readOnly: false)
        try await daemon.wait { !$0.degraded }
        #expect(try post(daemon, 2).status == 200)
        #expect(try daemon.get("/v1/users/laura-100/interactions").text.contains(#""id":"2""#))
        #expect(await daemon.logs("changes can be recorded again"))
        #expect(count("changes cannot be recorded", in: daemon) == 1, "\(daemon.command.errors)")
    }

    @Test(
        "With a full disk, what another daemon hides is hidden, and what it unhides is shown",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func hiding() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let disk = try SmallDisk(kibibytes: 4 << 10)
        let full = try await RunningDaemon(
            workspace, "--journal", disk.path + "/journal",
            settings: [
                "COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache-full"),
            ])
        let other = try await RunningDaemon.withoutCatalog(workspace, "other")
        for daemon in [full, other] { try await daemon.wait { !$0.degraded } }
        try disk.fill()
        func set(_ group: String, hidden: Bool) async throws {
            let client = try #require(SocketClient(port: other.port))
            let method = hidden ? "PUT" : "DELETE"
            #expect(client.request(method, "/v1/admin/groups/\(group)/hidden")?.status == 200)
            let isDone = await RunningDaemon.poll {
                (try? full.get("/v1/groups/\(group)/similar").status) == (hidden ? 404 : 200)
            }
            #expect(isDone, "\(group) is still \(hidden ? "shown" : "hidden"): \(full.command.errors)")
        }
        try await set("night-walkers", hidden: true)
        try await set("macro-mondays", hidden: true)
        try await set("night-walkers", hidden: false)
        try await full.wait { $0.degraded && $0.reason?.contains("the disk is full") == true }
        try disk.makeRoom()
        try await full.wait { !$0.degraded }
        #expect(try full.get("/v1/groups/macro-mondays/similar").status == 404)
        #expect(try full.get("/v1/groups/night-walkers/similar").status == 200)
        #expect(await full.logs("changes can be recorded again"))
        #expect(count("changes cannot be recorded", in: full) == 1, "\(full.command.errors)")
    }
}
