import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("A recompute while others write")
struct ConstantWritesTests {
    /// Commits again and again: user k joins "twin-members" when photo k comes into the pool of "twin-photos", and
    /// "flicker" is hidden whenever this number is odd.
    private final class Writer: Sendable {
        private struct State {
            var commits = 0
            var failure: String?
            var isStopped = false
            var isDone = false
        }

        private let state = Mutex(State())
        private let path: String

        var commits: Int { state.withLock { $0.commits } }
        var failure: String? { state.withLock { $0.failure } }

        init(_ path: String) { self.path = path }

        func run() {
            defer { state.withLock { $0.isDone = true } }
            do {
                let database = try Database(path: path, mode: .readWrite, busyTimeoutSeconds: 60)
                try database.execute("PRAGMA synchronous = NORMAL")
                var key = 1_000_000
                while !state.withLock({ $0.isStopped }) {
                    key += 1
                    let toggle =
                        key.isMultiple(of: 2)
                        ? "DELETE FROM hidden_groups"
                        : "INSERT INTO hidden_groups SELECT group_key, 1, 1 FROM groups WHERE group_id = 'flicker'"
                    try database.execute(
                        """
                        BEGIN IMMEDIATE;
                        INSERT INTO users (user_key, user_id) VALUES (\(key), 'late-\(key)');
                        INSERT INTO photos (photo_key, photo_id) VALUES (\(key), 'late-\(key)');
                        INSERT INTO memberships
                        SELECT group_key, \(key), \(key) FROM groups WHERE group_id = 'twin-members';
                        INSERT INTO pools
                        SELECT group_key, \(key), \(key) FROM groups WHERE group_id = 'twin-photos';
                        \(toggle);
                        UPDATE catalog_state SET value = value + 1 WHERE name = 'changes';
                        COMMIT
                        """)
                    state.withLock { $0.commits += 1 }
                }
            } catch { state.withLock { $0.failure = "\(error)" } }
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            while !state.withLock({ $0.isDone }) { usleep(500) }
        }
    }

    /// Waits before some steps until there were further writes.
    private struct SlowObserver: RecomputeObserver {
        let writer: Writer

        func stepBegan(_ name: String) {
            let before = writer.commits
            while writer.commits < before + 3, writer.failure == nil { usleep(100) }
        }
        func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {}
        func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) {}
        func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {}
        func warn(_ message: String) {}
    }

    @Test("always succeeds, and every part of the version is of the same moment", arguments: 1...3)
    func oneMoment(threads: Int) throws {
        let community = try SmallCommunity.random(seed: 70)
        try community.importing(.groups, "group_id\ntwin-members\ntwin-photos\nflicker\n")
        let writer = Writer(community.catalogPath)
        Thread.detachNewThread(writer.run)
        defer { writer.stop() }
        var moments: [UInt32] = []
        for run in 0..<4 {
            var parameters = RecomputeParameters(threads: threads)
            parameters.versionsKept = 10
            let job = RecomputeJob(
                catalogPath: community.catalogPath, store: community.store, parameters: parameters,
                startedAtMilliseconds: 1_795_000_000_000 + Int64(run) * 1000)
            let outcome = try job.run(observer: SlowObserver(writer: writer))
            let model = try community.store.load(outcome.manifest.version).model
            func index(_ id: String) -> Int? { (0..<model.groupCount).first { model.id(of: $0) == id } }
            let members = model.size(of: try #require(index("twin-members")), in: .members)
            let photos = model.size(of: try #require(index("twin-photos")), in: .photos)
            #expect(members == photos)
            #expect((index("flicker") == nil) == !members.isMultiple(of: 2))
            #expect(try #require(try community.store.site()).hidden.isEmpty == members.isMultiple(of: 2))
            moments.append(members)
        }
        #expect(writer.failure == nil)
        // Each run saw a later state than the one before, so there were writes all the time.
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 < $1 })
    }
}
