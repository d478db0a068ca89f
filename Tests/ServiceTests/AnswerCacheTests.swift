import Foundation
import HTTP
import ModelStore
import SQLite
@testable import Service
import Synchronization
import TestSupport
import Testing

@Suite("The answer cache")
struct AnswerCacheTests {
    private func get(_ target: String, headers: HTTPHeaders = [:], method: HTTPMethod = .get) throws -> HTTPRequest {
        try HTTPRequest(method: method, target: target, headers: headers)
    }

    /// A cache, and how often it had an answer made.
    private struct Counted: ~Copyable {
        let changes = ChangeClock()
        let made = Atomic(0)
        let cache: AnswerCache

        init(limitBytes: Int = 1 << 20, time: @escaping @Sendable () -> Int64) {
            cache = AnswerCache(limitBytes: limitBytes, changes: changes, now: time)
        }

        /// The number of the answer, counted from 1 as they are made.
        func ask(
            _ request: HTTPRequest, about subject: AnswerCache.Subject = .everybody, takesGzip: Bool = false,
            hasBearer: Bool = true, status: HTTPStatus = .ok, meanwhile: () -> Void = {}
        ) throws -> Int {
            let key = AnswerKey(request, takesGzip: takesGzip, hasBearer: hasBearer)
            let answer = try cache.answer(to: key, about: subject) { () throws(Problem) in
                meanwhile()
                let number = made.wrappingAdd(1, ordering: .relaxed).newValue
                return .init(response: HTTPResponse(status: status, text: "\(number)"))
            }
            return try #require(Int(String(decoding: answer.response.body.dropLast(), as: UTF8.self)))
        }
    }

    @Test("An answer is reused until something changes that it depends on")
    func changes() throws {
        let counted = Counted { 1_000_000 }
        let (site, member) = (try get("/site"), try get("/member"))
        func ask() throws -> [Int] {
            [try counted.ask(site), try counted.ask(member, about: .member("ann"))]
        }
        #expect(try ask() == [1, 2])
        #expect(try ask() == [1, 2])
        counted.changes.memberChanged("ann")
        #expect(try ask() == [1, 3])
        counted.changes.everythingChanged()
        #expect(try ask() == [4, 5])
        #expect(try ask() == [4, 5])
    }

    @Test("An answer is not cached if something changes while it is made")
    func changeMeanwhile() throws {
        let counted = Counted { 1_000_000 }
        let request = try get("/member")
        for expected in 1...3 {
            let number = try counted.ask(request, about: .member("ann")) { counted.changes.memberChanged("ann") }
            #expect(number == expected)
        }
        #expect(try counted.ask(request, about: .member("ann")) == 4)
        #expect(try counted.ask(request, about: .member("ann")) == 4)
    }

    @Test("An answer is cached for a minute, even if the clock is set back")
    func lifetime() throws {
        let time = Mutex<Int64>(1_000_000)
        let counted = Counted { time.withLock { $0 } }
        let request = try get("/")
        for (instant, expected) in [
            (0, 1), (60_000, 1), (60_001, 2), (120_001, 2), (0, 3), (-60_000, 3), (-120_001, 4), (-60_001, 4),
        ] {
            time.withLock { $0 = 1_000_000 + Int64(instant) }
            #expect(try counted.ask(request) == expected)
        }
    }

    @Test("Requests with different answers do not share one, and failures are not cached")
    func keys() throws {
        let counted = Counted { 1_000_000 }
        // The two last look the same, and are equal as texts.
        let requests = [
            try get("/a"), try get("/a?b"), try get("/a", method: .head), try get("/%C3%A9"), try get("/\u{E9}"),
            try get("/e\u{301}"),
        ]
        var numbers: [Int] = []
        for _ in 0..<2 {
            for request in requests {
                numbers.append(try counted.ask(request))
                numbers.append(try counted.ask(request, takesGzip: true))
                numbers.append(try counted.ask(request, hasBearer: false))
            }
        }
        let count = 3 * requests.count
        #expect(numbers == Array(1...count) + Array(1...count))
        for number in 1...2 {
            #expect(try counted.ask(get("/failing"), status: .serviceUnavailable) == count + number)
        }
    }

    @Test("The cache never uses more memory than its limit", arguments: [2, 5_000, 40_000])
    func bound(limitBytes: Int) throws {
        let cache = AnswerCache(limitBytes: limitBytes, changes: ChangeClock(), now: { 0 })
        for number in 0..<500 {
            let key = AnswerKey(try get("/\(number)"), takesGzip: false, hasBearer: false)
            let body = [UInt8](repeating: 0, count: 40 * number)
            _ = try cache.answer(to: key, about: .everybody) { .init(response: HTTPResponse(status: .ok, body: body)) }
            #expect(cache.size.bytes <= limitBytes)
            #expect(cache.size.bytes >= (number > 0 && number < 10 && limitBytes > 20_000 ? 256 * number : 0))
        }
    }
}

@Suite("Cached answers and access")
struct AnswerCacheAccessTests {
    private let bearers: Bearers
    private let members: MemberCatalog

    init() throws {
        bearers = try Bearers()
        members = try MemberCatalog()
    }

    private func routes(open: Set<Area> = []) throws -> Routes {
        var routes = try members.routes()
        routes.sessions = try SessionFile(path: members.path + "-sessions")
        routes.access = bearers.policy(open: open)
        routes.cacheBytes = 1 << 20
        return routes
    }

    private func figure(_ name: String, _ cache: AnswerCache?) throws -> Int {
        var text = MetricsText()
        try #require(cache).write(to: &text)
        let line = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return try #require(line.flatMap { Int($0.dropFirst(name.utf8.count + 1)) })
    }

    @Test("A second request is a hit with the same bytes, its own request id, and its own metrics")
    func hit() throws {
        let (router, _, cache) = try routes(open: [.metrics]).parts()
        let target = "/v1/users/ann/recommendations?limit=3"
        let answers = try (0..<3).map { _ in
            try router.answer(target, headers: [bearers.field("ann"), "Accept-Encoding: gzip"])
        }
        for answer in answers { #expect(answer.status == 200 && answer.body == answers[0].body) }
        var named = answers.map(\.headers)
        #expect(Set(named.map { $0["x-request-id"] }).count == 3)
        for index in named.indices { named[index]["x-request-id"] = nil }
        #expect(named[1] == named[0] && named[2] == named[0])
        #expect(named[0]["cache-control"] == "private, no-cache")
        #expect(try figure("coterie_answer_cache_hits_total", cache) == 2)
        #expect(try figure("coterie_answer_cache_misses_total", cache) == 1)
        #expect(try figure("coterie_answer_cache_entries", cache) == 1)
        #expect(try figure("coterie_answer_cache_bytes", cache) > answers[0].body.count)
        let count = #"_count{method="GET",route="/v1/users/{id}/recommendations",status="2xx"} 3"#
        #expect(try router.answer("/metrics").text.contains(count))
    }

    @Test("An answer cached for one bearer is refused to all others, and counts against the rate limit")
    func refusal() throws {
        var routes = try routes()
        routes.limits.bearers = [.member: RateLimit(perSecond: 1, burst: 3)]
        let (router, _, cache) = routes.parts()
        let target = "/v1/users/ann/recommendations"
        let ann = try bearers.field("ann")
        for _ in 0..<2 { #expect(try router.answer(target, headers: [ann]).status == 200) }
        let others = [
            ([], 401), ([try bearers.field("bob")], 403), ([try bearers.field("site", .service)], 403),
            ([try bearers.field("root", .admin)], 403), ([try bearers.field("ann", seconds: 0)], 401),
            ([try bearers.field("ann", audience: "another")], 401), ([ann + "x"], 401), ([ann, ann], 401),
        ]
        for (headers, status) in others {
            let answer = try router.answer(target, headers: headers)
            #expect(answer.status == status && !answer.text.contains("recommendationId"))
        }
        #expect(try router.answer(target, headers: [ann]).status == 200)
        #expect(try router.answer(target, headers: [ann]).status == 429)
        #expect(try figure("coterie_answer_cache_hits_total", cache) == 2)
        try bearers.replaceKeys()
        _ = try bearers.ring.refresh()
        #expect(try router.answer(target, headers: [ann]).status == 401)
    }

    @Test("An open answer may be stored by shared caches, one for bearers may not")
    func openness() throws {
        for (open, expected) in [([Area.groups], "public, max-age=60"), ([], "private, max-age=60")] {
            let router = try routes(open: Set(open)).router()
            for _ in 0..<2 {
                let answer = try router.answer(
                    "/v1/groups/alps/similar", headers: [bearers.field("site", .service)])
                #expect(answer.headers["cache-control"] == expected)
            }
        }
    }

    @Test("Without sessions no list is cached")
    func withoutSessions() throws {
        var routes = try routes()
        routes.sessions = nil
        let (router, _, cache) = routes.parts()
        for _ in 0..<2 {
            #expect(try router.answer("/v1/users/ann/recommendations", headers: [bearers.field("ann")]).status == 200)
        }
        #expect(try #require(cache).size.count == 0)
    }
}
