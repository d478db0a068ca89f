import Basics
import CatalogStore
import Changes
import Dispatch
import Experiments
import ModelStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("What waits in memory when a daemon stops")
struct StopTests {
    private let members: MemberCatalog
    private let store: FakeStore

    init() throws {
        members = try MemberCatalog()
        store = FakeStore(try Community.version("v1"))
        var register = try #require(ExperimentRegister(encoded: try store.experiments()))
        let definition = ExperimentDefinition(
            "tried", arms: [.init("control", weight: 1e-9, settings: [:]), .init("other", weight: 1, settings: [:])],
            plan: ExperimentPlan(decides: .joins, memberCount: 1000, effect: 0.05))
        #expect(register.start(definition, atMilliseconds: 0) == nil)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
    }

    private func daemon(_ lines: Lines, stopLimit: Duration) throws -> Daemon {
        var configuration = Daemon.Configuration(.catalog(store, path: members.path), log: lines.log)
        configuration.pollInterval = .milliseconds(10)
        configuration.stopLimit = stopLimit
        return try Daemon(configuration)
    }

    /// Asks for lists of ann that differ in their filters, so that each is an exposure of its own.
    private func show(_ count: Int, by daemon: Daemon) async throws {
        while SocketClient(port: daemon.port)?.request("GET", "/readyz")?.status != 200 {
            try await Task.sleep(for: .milliseconds(5))
        }
        let client = try #require(SocketClient(port: daemon.port))
        for number in 0..<count {
            let target = "/v1/users/ann/recommendations?minimumMembers=\(number)"
            #expect(client.request("GET", target)?.status == 200)
        }
    }

    private func exposureCount() throws -> Int64? { try members.count("SELECT sum(times) FROM exposures") }

    @Test("Every exposure is written, and the log says how many were")
    func written() async throws {
        let lines = Lines()
        let daemon = try daemon(lines, stopLimit: .seconds(60))
        try await show(40, by: daemon)
        daemon.stop()
        #expect(try exposureCount() == 40)
        let last = try #require(lines.all.last)
        #expect(last == "stopped" || last.contains("exposures of experiments were written at the end"), "\(last)")
    }

    @Test("A stop closes all files, so that SQLite leaves nothing beside them")
    func closed() async throws {
        let daemon = try daemon(Lines(), stopLimit: .seconds(60))
        try await show(3, by: daemon)
        let journal = Catalog.journalPath(beside: members.path)
        #expect(FileTree.exists(journal + "-wal"))
        daemon.stop()
        for path in [journal, members.path, members.path + "-sessions"] {
            #expect(
                FileTree.exists(path) && !FileTree.exists(path + "-wal") && !FileTree.exists(path + "-shm"), "\(path)")
        }
        // The daemon itself is still there.
        daemon.stop()
    }

    @Test("The log says how many exposures are lost when the journal stays locked")
    func lost() async throws {
        let lines = Lines()
        let daemon = try daemon(lines, stopLimit: .milliseconds(300))
        let other = try Database(path: Catalog.journalPath(beside: members.path), mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        try await show(5, by: daemon)
        daemon.stop()
        #expect(
            lines.all.last
                == "stopped; 0 exposures of experiments were written at the end, and 5 were not: "
                + "a report of experiments lacks them")
        #expect(lines.raw.last?.contains(#""level":"error""#) == true)
        try other.execute("ROLLBACK")
    }

    @Test("Writes are tried again until they succeed")
    func triedAgain() throws {
        let log = ExposureLog(ExposureLog.condition(nil))
        for number in 1...3 {
            log.add(
                ExposureRecord(
                    experiment: "tried", arm: "other", recommendationID: "l", firstPosition: number, shownCount: 1,
                    filters: "", atMilliseconds: 5), ofUser: "ann")
        }
        let community = try JournalSource(catalog: members.path, patience: .milliseconds(50))
        let other = try Database(path: Catalog.journalPath(beside: members.path), mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        log.finish(to: community, before: .now)
        #expect(log.waitingCount == 3)
        try other.execute("ROLLBACK")
        log.finish(to: community, before: .now + .seconds(60))
        #expect(try log.waitingCount == 0 && exposureCount() ?? 0 >= 3)
    }

    @Test("A timer that has finished runs no more, and a run under way has ended")
    func timer() {
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let endedCount = Mutex(0)
        let timer = RepeatingTimer(label: "test", interval: .milliseconds(1)) {
            hasBegun.signal()
            mayEnd.wait()
            endedCount.withLock { $0 += 1 }
        }
        hasBegun.wait()
        DispatchQueue(label: "later").asyncAfter(deadline: .now() + .milliseconds(20)) { mayEnd.signal() }
        timer.finish()
        #expect(endedCount.withLock { $0 } == 1)
        timer.finish()
    }
}
