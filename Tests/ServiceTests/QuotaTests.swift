import CatalogStore
import Changes
import Model
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Quotas of members")
struct QuotaTests {
    /// A clock that is set, in Unix milliseconds.
    private final class Clock: Sendable {
        private let now = Atomic<Int64>(1_000_000_000_000)
        var milliseconds: Int64 { now.load(ordering: .relaxed) }
        func advance(seconds: Int64) { now.wrappingAdd(1000 * seconds, ordering: .relaxed) }
    }

    private let members: MemberCatalog
    private let clock = Clock()

    init() throws { members = try MemberCatalog() }

    private func router(_ quota: MemberQuota) throws -> Router {
        var routes = try members.routes()
        routes.quota = quota
        routes.clock = { [clock] in clock.milliseconds }
        return routes.router()
    }

    private func post(_ router: Router, _ ids: String..., of user: String = "ann") throws -> SocketClient.Response {
        let rows = ids.map { #"{"id":"\#($0)","kind":"click","groupId":"birds"}"# }.joined(separator: ",")
        return try router.answer(
            "/v1/users/\(user)/interactions", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(#"{"interactions":[\#(rows)]}"#.utf8))
    }

    private func retryAfter(_ response: SocketClient.Response) -> Int? {
        response.status == 429 ? response.headers["retry-after"].flatMap { Int($0) } : nil
    }

    @Test("A clock that was days ahead for a while blocks nobody when it is right again")
    func clockAhead() throws {
        let router = try router(MemberQuota(interactionsPerDay: 4))
        clock.advance(seconds: 2 * 86_400)
        #expect(try post(router, "1").status == 200)
        clock.advance(seconds: -2 * 86_400)
        #expect(try post(router, "2", "3", "4").status == 200)
        #expect(try post(router, "5", "6").status == 429)
    }

    @Test("Interactions of a day are limited, and the answer says when the next are taken")
    func perDay() throws {
        let router = try router(MemberQuota(interactionsPerDay: 4))
        #expect(try post(router, "1", "2", "3").status == 200)
        // What is repeated costs nothing.
        #expect(try post(router, "3").status == 200)
        let refusal = try post(router, "4", "5")
        #expect(retryAfter(refusal) == 86_400 / 4 + 1)
        #expect(refusal.text.contains("at most 4 interactions a day"))
        #expect(try post(router, "4", "5", of: "bob").status == 200, "others have quotas of their own")
        #expect(try post(router, "4").status == 200)
        #expect(try retryAfter(post(router, "5")) == 86_400 / 4 + 1)
        clock.advance(seconds: 86_400 / 4)
        #expect(try post(router, "5").status == 200)
        #expect(try retryAfter(post(router, "6")) != nil)
        clock.advance(seconds: 86_400)
        #expect(try post(router, "6", "7", "8", "9").status == 200)
    }

    @Test("What was recorded before a restart counts, as long as it is of the last day")
    func restart() throws {
        let quota = MemberQuota(interactionsPerDay: 2)
        #expect(try post(router(quota), "1", "2").status == 200)
        #expect(try retryAfter(post(router(quota), "3")) != nil)
        clock.advance(seconds: 86_401)
        #expect(try post(router(quota), "3", "4").status == 200)
    }

    @Test("What is kept is limited, and there is room again when something is forgotten", arguments: [true, false])
    func kept(isRestarted: Bool) throws {
        let quota = MemberQuota(keptBytes: 2 * (RecordedAmount.bytesOfInteraction + 1))
        let first = try router(quota)
        #expect(try post(first, "1", "2").status == 200)
        let next = try isRestarted ? router(quota) : first
        #expect(try retryAfter(post(next, "3")) == 86_400)
        clock.advance(seconds: 1_000_000)
        #expect(try retryAfter(post(next, "3")) == 86_400)
        let path = "/v1/users/ann/interactions/1"
        #expect(try next.answer(path, method: "DELETE").status == 200)
        #expect(try post(next, "3").status == 200)
    }

    @Test("What was forgotten counts for the day all the same")
    func forgotten() throws {
        let router = try router(MemberQuota(interactionsPerDay: 3))
        #expect(try post(router, "1", "2", "3").status == 200)
        #expect(try router.answer("/v1/users/ann/interactions", method: "DELETE").status == 200)
        #expect(try retryAfter(post(router, "4")) != nil)
        clock.advance(seconds: 86_401)
        #expect(try post(router, "4").status == 200)
    }

    @Test("Deletions and statements of interests of a day are limited together, whether or not they change anything")
    func otherChanges() throws {
        var quota = MemberQuota()
        quota.otherChangesPerDay = 4
        let router = try router(quota)
        func state(_ user: String) throws -> SocketClient.Response {
            try router.answer(
                "/v1/users/\(user)/interests", method: "PUT", headers: ["Content-Type: application/json"],
                body: Array(#"{"interests":["owls"]}"#.utf8))
        }
        func delete(_ path: String) throws -> SocketClient.Response {
            try router.answer("/v1/users/ann/interactions\(path)", method: "DELETE")
        }
        #expect(try state("ann").status == 200 && state("ann").status == 200)
        #expect(try delete("").status == 200 && delete("/none").status == 404)
        for refused in [try state("ann"), try delete(""), try delete("/none")] {
            #expect(retryAfter(refused) == 21_601)
        }
        #expect(try state("bob").status == 200 && post(router, "1").status == 200)
        clock.advance(seconds: 86_400 / 4 + 1)
        #expect(try state("ann").status == 200)
        #expect(try retryAfter(state("ann")) != nil)
    }

    @Test("The catalog counts as many bytes of a member as the journal")
    func amounts() throws {
        let source = try members.source()
        #expect(try source.recordedAmount(ofUser: "ann", recent: 0) == RecordedAmount())
        let interactions = (1...5).map { number in
            InteractionRecord(
                id: "é\(number)", .click, groupID: "birds", atMilliseconds: Int64(number),
                recommendationID: number > 2 ? "list" : nil, variant: number > 4 ? "b" : nil)
        }
        _ = try source.apply(MemberChange(ofUser: "ann", .record(interactions)))
        let amount = RecordedAmount(recent: 3, keptBytes: 5 * (RecordedAmount.bytesOfInteraction + 3) + 3 * 4 + 1)
        #expect(try source.recordedAmount(ofUser: "ann", recent: 3) == amount)
        try Catalog.applyLog(of: members.path)
        #expect(try Facts(path: members.path).keptBytes(ofUser: "ann") == amount.keptBytes)
    }
}
