import Model
import Synchronization
import Testing

@testable import Service

@Suite("Sessions that cannot be stored")
struct LoggedSessionsTests {
    /// Sessions that can be told to fail.
    private final class Failing: SessionStore {
        let isFailing = Mutex(true)

        private func check() throws(ServiceError) {
            guard isFailing.withLock({ $0 }) else { return }
            throw ServiceError(.sessionsFailed, "the disk is full")
        }

        func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan? {
            try check()
            return nil
        }

        func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
            -> FrozenPlan
        {
            try check()
            return plan
        }

        func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError) { try check() }

        func forgetAll(ofUser user: String) throws(ServiceError) { try check() }
    }

    @Test("Lists are served without them, which is logged once; forgetting reports a failure")
    func failing() throws {
        let (failing, lines) = (Failing(), Lines())
        let sessions = LoggedSessions(failing, log: lines.log)
        let plan = FrozenPlan(
            recommendationID: "a", version: "v", bucket: 0, interests: [], items: [], joined: [], dismissed: [],
            topics: [],
            ids: PackedTexts())
        for _ in 0..<3 {
            #expect(sessions.plan(ofUser: "ann", session: nil, at: 0) == nil)
            #expect(sessions.keep(plan, ofUser: "ann", session: nil, at: 0) == plan)
        }
        #expect(throws: ServiceError.self) { try sessions.forgetAll(ofUser: "ann") }
        failing.isFailing.withLock { $0 = false }
        #expect(sessions.keep(plan, ofUser: "ann", session: nil, at: 0) == plan)
        #expect(
            lines.all == [
                "the disk is full; lists are made anew for each request", "sessions can be kept again",
            ])
    }
}
