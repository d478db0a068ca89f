import HTTP
@testable import Service
import Synchronization
import TestSupport
import Testing

@Suite("Rate limits")
struct RateLimitTests {
    @Test("The limiter allows at most the burst, and the rate after it", arguments: 0..<20)
    func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let perSecond = Int.random(in: 1...50, using: &generator)
        let limit = RateLimit(perSecond: perSecond, burst: Int.random(in: 1...20, using: &generator))
        var pace = RateLimit.Pace()
        var now: UInt64 = 1 << 40
        // A bucket that fills by one token every interval, counted in nanoseconds of tokens.
        var bucket = limit.intervalNanoseconds * limit.burst
        for _ in 0..<2000 {
            let step = UInt64.random(in: 0...(2 * limit.intervalNanoseconds), using: &generator)
            now += step
            bucket = min(bucket + step, limit.intervalNanoseconds * limit.burst)
            let wait = pace.admit(limit, at: now)
            if bucket >= limit.intervalNanoseconds {
                #expect(wait == nil)
                bucket -= limit.intervalNanoseconds
            } else {
                #expect(wait == limit.intervalNanoseconds - bucket)
            }
        }
    }

    @Test("Every bearer has a limit of its own, and a role may have none")
    func bearers() {
        let limiter = RateLimiter(RateLimits(bearers: [.member: RateLimit(perSecond: 1, burst: 2)]))
        func claims(_ subject: String, _ role: Role) -> TokenClaims {
            TokenClaims(subject: subject, role: role, expiresAtMilliseconds: .max)
        }
        for subject in ["ann", "bob"] {
            #expect(
                (0..<4).map { _ in limiter.admit(claims(subject, .member), at: 0) == nil } == [
                    true, true, false, false,
                ])
        }
        for _ in 0..<10 { #expect(limiter.admit(claims("ann", .service), at: 0) == nil) }
        #expect(limiter.admit(claims("ann", .member), at: 1_000_000_000) == nil)
    }

    @Test("A caller over the limit is told how long to wait, for any route", arguments: [true, false])
    func answers(isAllowed: Bool) throws {
        let bearers = try Bearers()
        let time = Atomic<UInt64>(0)
        var service = Routes(store: FakeStore(try Community.version("v1")), access: bearers.policy())
        service.limits.bearers = [.member: RateLimit(perSecond: 1, burst: 3)]
        service.uptime = { time.load(ordering: .relaxed) }
        let router = service.router()
        let target = "/v1/users/\(isAllowed ? "ann" : "bob")/recommendations"
        // Two tokens of one bearer count together.
        let tokens = [try bearers.field("ann", seconds: 60), try bearers.field("ann", seconds: 61)]
        for number in 0..<3 {
            #expect(try router.answer(target, headers: [tokens[number % 2]]).status == (isAllowed ? 200 : 403))
        }
        let refused = try router.answer(target, headers: [tokens[0]])
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "1")
        #expect(try ProblemBody(refused).type == "urn:coterie:problem:too-many-requests")
        #expect(try router.answer("/v1/users/bob/recommendations", headers: [bearers.field("bob")]).status == 200)
        time.store(1_000_000_000, ordering: .relaxed)
        #expect(try router.answer(target, headers: [tokens[1]]).status == (isAllowed ? 200 : 403))
        #expect(try router.answer(target, headers: [tokens[1]]).status == 429)
    }

    @Test("A refusal is held back, and nothing else is")
    func heldBack() throws {
        let bearers = try Bearers()
        var service = Routes(store: FakeStore(try Community.version("v1")), access: bearers.policy())
        service.limits.bearers = [.member: RateLimit(perSecond: 1, burst: 1)]
        service.uptime = { 0 }
        let router = service.router()
        let target = "/v1/users/ann/recommendations"
        let token = try bearers.field("ann")
        guard case .now(let answer) = try router.reply(target, headers: [token]) else {
            Issue.record("an answer was held back")
            return
        }
        #expect(answer.status == .ok)
        let begin = ContinuousClock.now
        let refusal = try router.reply(target, headers: [token])
        guard case .later = refusal else {
            Issue.record("a refusal was not held back")
            return
        }
        #expect(refusal.awaited.status == .tooManyRequests)
        #expect(ContinuousClock.now - begin >= .milliseconds(100))
    }

    @Test("No more refusals are held back than the limit, and the next ones again when these are sent")
    func heldBackLimit() {
        let delayed = Mutex<[@Sendable () -> Void]>([])
        let refusals = RefusalDelay { send in delayed.withLock { $0.append(send) } }
        /// The reply to one more refused request, if it is held back.
        func heldBackReply() -> HTTPReply? {
            let reply = refusals.reply(HTTPResponse(status: .tooManyRequests, text: "no"))
            guard case .later = reply else { return nil }
            return reply
        }
        let held = (0..<RefusalDelay.limit).compactMap { _ in heldBackReply() }
        #expect(held.count == RefusalDelay.limit && heldBackReply() == nil)
        for send in delayed.withLock({ $0 }) { send() }
        for reply in held { #expect(reply.awaited.status == .tooManyRequests) }
        #expect(heldBackReply() != nil)
    }
}

@Suite("Rate limits in open areas")
struct OpenRateLimitTests {
    @Test("All callers of an open area share one rate limit, with or without a token; each area has its own")
    func areas() throws {
        let bearers = try Bearers()
        let time = Atomic<UInt64>(0)
        var service = Routes(
            store: FakeStore(try Community.version("v1")), access: bearers.policy(open: [.groups, .trending]))
        service.limits.openArea = RateLimit(perSecond: 2, burst: 2)
        service.uptime = { time.load(ordering: .relaxed) }
        let router = service.router()
        let similar = "/v1/groups/alps/similar"
        #expect(try router.answer(similar).status == 200)
        #expect(try router.answer(similar, headers: [bearers.field("web", .service)]).status == 200)
        for target in [similar, "/v1/groups/none/similar"] {
            let refused = try router.answer(target)
            #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
            #expect(try ProblemBody(refused).type == "urn:coterie:problem:too-many-requests")
        }
        #expect(try router.answer("/v1/trending").status == 200)
        // Routes that need a token, and open routes, are not affected.
        for _ in 0..<5 {
            #expect(try router.answer("/v1/photos/p1/groups", headers: [bearers.field("web", .service)]).status == 200)
            #expect(try router.answer("/healthz").status == 200)
        }
        time.store(500_000_000, ordering: .relaxed)
        #expect(try router.answer(similar).status == 200)
        #expect(try router.answer(similar).status == 429)
    }

    @Test("Without keys there is no rate limit")
    func withoutKeys() throws {
        var service = Routes(store: FakeStore(try Community.version("v1")), access: AccessPolicy(openAreas: [.groups]))
        service.limits.openArea = RateLimit(perSecond: 1, burst: 1)
        let router = service.router()
        for _ in 0..<5 { #expect(try router.answer("/v1/groups/alps/similar").status == 200) }
    }
}

@Suite("Tables of recent entries")
struct RecentTableTests {
    @Test("A table has the right values, never too many, and always the latest half", arguments: [2, 3, 10, 64])
    func property(limit: Int) {
        var generator = SeededGenerator(seed: UInt64(limit))
        var table = RecentTable<Int, Int>(limit: limit)
        var latest: [Int: Int] = [:]
        var uses: [Int] = []
        for round in 0..<5000 {
            let key = Int.random(in: 0..<(2 * limit), using: &generator)
            if Bool.random(using: &generator) {
                table.insert(round, for: key)
                latest[key] = round
                uses.append(key)
            } else if let value = table.value(of: key) {
                #expect(value == latest[key])
                uses.append(key)
            } else {
                // Then at least half of the limit of others were used since.
                let since = uses.reversed().prefix { $0 != key }
                #expect(latest[key] == nil || Set(since).count >= limit / 2)
            }
            #expect(table.count <= limit)
        }
        table.removeAll()
        #expect(table.count == 0)
    }

    @Test("For entries of any weight, the sum is right and never above the limit", arguments: [2, 10, 1000])
    func weights(limit: Int) {
        var generator = SeededGenerator(seed: UInt64(limit))
        var table = RecentTable<Int, Int>(limit: limit)
        var latest: [Int: (value: Int, weight: Int)] = [:]
        for round in 0..<5000 {
            let key = Int.random(in: 0..<20, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: #expect(table.value(of: key).map { $0 == latest[key]?.value } != false)
            case 1:
                table.removeValue(of: key)
                latest[key] = nil
                #expect(table.value(of: key) == nil)
            default:
                let weight = Int.random(in: 1...(limit / 2 + 1), using: &generator)
                table.insert(round, for: key, weight: weight)
                latest[key] = (round, weight)
                #expect((table.value(of: key) == round) == (weight <= limit / 2))
            }
            let kept = latest.filter { table.holds($0.key) }
            #expect(table.count == kept.count)
            #expect(table.weight == kept.values.reduce(0) { $0 + $1.weight })
            #expect(table.weight <= limit)
        }
    }
}

extension RecentTable {
    /// Whether there is a value, which does not count as a use.
    fileprivate func holds(_ key: Key) -> Bool {
        var copy = self
        return copy.value(of: key) != nil
    }
}
