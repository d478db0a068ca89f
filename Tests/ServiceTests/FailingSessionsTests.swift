import Basics
import Model
import Synchronization
import Testing

@testable import Service

@Suite("Sessions that cannot be stored")
struct FailingSessionsTests {
    /// Sessions that can be told to fail.
    private final class Failing: SessionStore {
        let isFailing = Mutex(true)

        private func check() throws(Failure) {
            guard isFailing.withLock({ $0 }) else { return }
            throw Failure(.databaseFailed, "the disk is full")
        }

        func plan(ofUser user: String, session: String?, at now: Int64) throws(Failure) -> FrozenPlan? {
            try check()
            return nil
        }

        func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
            -> FrozenPlan
        {
            try check()
            return plan
        }

        func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure) { try check() }

        func forgetAll(ofUser user: String) throws(Failure) { try check() }

        func probeWriting() throws(Failure) { try check() }
    }

    /// A clock that is set.
    private final class Clock: Sendable {
        let nanoseconds = Atomic<UInt64>(0)
    }

    @Test("Lists are served without them, which is logged once; forgetting reports a failure")
    func failing() throws {
        let (failing, lines, clock) = (Failing(), Lines(), Clock())
        let condition = HealthCondition.sessions(lines.log, uptime: { clock.nanoseconds.load(ordering: .relaxed) })
        let sessions = Sessions(failing, condition)
        let plan = FrozenPlan(
            recommendationID: "a", version: "v", bucket: 0, interests: [], items: [], joined: [], dismissed: [],
            topics: [], ids: PackedTexts())
        func keep() -> FrozenPlan {
            sessions.keep(plan, ofUser: "ann", session: nil, at: 0, madeAfter: sessions.removals(ofUser: "ann"))
        }
        for _ in 0..<3 {
            #expect(sessions.plan(ofUser: "ann", session: nil, at: 0) == nil)
            #expect(keep() == plan)
        }
        #expect(throws: Failure.self) { try sessions.forgetAll(ofUser: "ann") }
        #expect(condition.problem == "the disk is full; lists are made anew for each request")
        failing.isFailing.withLock { $0 = false }
        // On a full disk something small is written now and then: that is not the end of it.
        #expect(keep() == plan)
        #expect(condition.isFailing)
        clock.nanoseconds.store(5_000_000_000, ordering: .relaxed)
        sessions.probeWriting()
        #expect(condition.problem == nil)
        #expect(
            lines.all == [
                "the disk is full; lists are made anew for each request", "sessions can be kept again",
            ])
    }
}
