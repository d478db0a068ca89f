import Basics
import CatalogStore
import Changes
import Foundation
import HTTP
import Model
import ModelStore
import Recommendation
@testable import Service
import Synchronization
import TestSupport

/// A small community whose lists can be worked out by hand.
enum Community {
    static let groups = [
        GroupFacts(id: "alps", title: "Alps"),
        GroupFacts(id: "birds", title: "Birds \"of\" a\\feather\n\u{1}"),
        GroupFacts(id: "cats 🐈", title: "Cats 🐈‍⬛", joinPolicy: .approval),
        GroupFacts(id: "dogs & wolves", title: "", joinPolicy: .invite),
        GroupFacts(id: "élan", title: "Élan"),
    ]

    static let sizes: [Relation: [UInt32]] = [.photos: [10, 11, 12, 13, 14], .members: [20, 21, 22, 23, 24]]

    /// Two regions, and a group beside the map.
    static let places: [MapPlace?] = [
        MapPlace(x: 0, y: 10, region: 0), MapPlace(x: 700_000, y: 20, region: 1),
        MapPlace(x: 800_000, y: 30, region: 1), MapPlace(x: 999_999, y: 999_999, region: 1), nil,
    ]

    static let reach: [GroupReach] = [
        .init(joins: 3, offered: 10, opened: 4), .init(offered: 2), .init(), .init(joins: 7), .init(),
    ]

    /// The mean of the best scores is ½ + ½ + ¼ over 3.
    static let photos = table([
        [(1, 4, 0.5), (2, 2, 0.25)], [(0, 4, 0.5)], [(0, 2, 0.25)], [], [],
    ])
    /// The mean of the best scores is ½ + ½ + ¼ + ⅛ over 4.
    static let members = table([
        [(1, 6, 0.5), (3, 3, 0.25)], [(0, 6, 0.5)], [], [(0, 3, 0.25), (4, 1, 0.125)], [(3, 1, 0.125)],
    ])

    private static func table(_ lists: [[(UInt32, UInt32, Float)]]) -> NeighbourTable {
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for list in lists {
            table.neighbours += list.map { Neighbour(index: $0.0, common: $0.1, score: $0.2) }
            table.offsets.append(table.neighbours.count)
        }
        return table
    }

    /// A version of the community; every title begins with `mark`.
    static func version(
        _ name: String, mark: String = "", createdAt: Int64 = 1_000_000, places: [MapPlace?]? = places,
        reach: [GroupReach] = reach
    ) throws -> LoadedVersion {
        let marked = groups.map { group in
            var group = group
            group.title = mark + group.title
            if !mark.isEmpty { group.topics = [mark] }
            return group
        }
        var signals = GroupSignals(
            trending: [
                TrendingGroup(group: 3, score: 3.5, joiners: 4, posters: 2, usualWeek: 1.5),
                TrendingGroup(group: 1, score: 2, joiners: 3, posters: 1, usualWeek: 1),
            ], tags: ["snow": [Posting(group: 4, weight: 0.5)]],
            reach: reach)
        if let cell = PlaceCell(latitude: 46.55, longitude: 8) {
            signals.places[cell] = [Posting(group: 0, weight: 0.5)]
        }
        var encoded = try EncodedModel(
            groups: marked, sizes: sizes, tables: [.photos: photos, .members: members], signals: signals)
        if let places { encoded = encoded.adding(places) }
        let manifest = Manifest(
            version: try VersionName(name), createdAtMilliseconds: createdAt,
            catalog: .init(schemaVersion: 1, changeCount: 1), groups: .init(included: 5, leftOutPrivate: 0),
            relations: [], steps: [], sections: [])
        return LoadedVersion(
            manifest: manifest, model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
    }
}

/// A community in memory, which takes no changes.
struct FakeCommunity: CommunitySource {
    var users: [String: [UInt32]] = ["ann": [0], "bob": [], "zoë q": [0, 3]]
    var photos: [String: PhotoContext] = [
        "p1": PhotoContext(groups: [0], companions: [2: .init(photos: 2, share: 1)]),
        "p2": PhotoContext(ownerGroups: [3: 3, 0: 1], tags: ["Snow"], place: PlaceCell(latitude: 46.55, longitude: 8)),
    ]
    var knowsPhotos = true
    var hidden: Set<UInt32> = []
    var failure: Failure?
    let changes = ChangeClock()

    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool { subject != .photos || knowsPhotos }

    func read<Result>(_ body: (Facts) throws(Failure) -> Result) throws(Failure) -> Result? { nil }
    func taken(in snapshot: VisibleSnapshot) -> AppliedChanges { .none }
    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) -> RecentMemberChanges? { nil }
    var removed: RemovedThings { RemovedThings() }

    func knownState(
        ofUser id: String, in snapshot: VisibleSnapshot, without forgotten: Set<BytewiseString>,
        atMilliseconds instant: Int64
    ) throws(Failure) -> MemberState? {
        if let failure { throw failure }
        return users[id].map { groups in
            var state = MemberState()
            for group in groups { state.memberships[group] = PairState(holds: true, seconds: nil) }
            return state
        }
    }

    func isForgotten(user id: String) throws(Failure) -> Bool { false }

    func siteDecisions(in snapshot: ModelSnapshot) throws(Failure) -> SiteDecisions {
        SiteDecisions(hidden: hidden, curated: nil)
    }

    func context(ofPhoto id: String, in model: VisibleModel) throws(Failure) -> PhotoContext? {
        if let failure { throw failure }
        return photos[id]
    }

    func apply(_ change: Change) throws(Failure) -> Change.Outcome {
        throw failure ?? Failure(.journalFailed, "this community takes no changes")
    }

    func record(exposures changes: [MemberChange]) throws(Failure) {}
    func latestInteractionTime(ofUser id: String) throws(Failure) -> Int64? { nil }
    func recordedAmount(ofUser id: String, recent: Int64) throws(Failure) -> RecordedAmount { RecordedAmount() }
    func interactions(ofUser id: String, after: String?, latestFirst: Bool, limit: Int) throws(Failure)
        -> [InteractionRecord]?
    { [] }
    func interests(ofUser id: String) throws(Failure) -> [String] { [] }
    func siteState() throws(Failure) -> SiteState { SiteState() }
    func noteOutsideChanges() {}
}

extension SessionFile {
    /// A file whose damaged lists nobody asks about.
    convenience init(path: String) throws { try self.init(path: path, damaged: DamagedLists(Lines().log)) }
}

/// Log lines as they come.
final class Lines: Sendable {
    private struct Entry: Decodable { var message: String }

    private let lines = Mutex<[String]>([])

    /// The lines as they were written.
    var raw: [String] { lines.withLock { $0 } }
    /// Their messages.
    var all: [String] {
        raw.map { (try? JSONDecoder().decode(Entry.self, from: Data($0.utf8)))?.message ?? "no JSON: \($0)" }
    }
    /// Whether there is a line with a message, which may come after what it tells of.
    func have(_ message: String) async -> Bool { await eventually { all.contains(message) } }
    var log: EventLog { EventLog(now: { 61_000_000 }) { line in self.lines.withLock { $0.append(line) } } }
}

/// How a request reaches the routes.
enum Transport: CaseIterable, Sendable {
    case direct
    case socket
}

/// The routes over a store, with or without a socket in between.
struct Routes {
    var store: FakeStore
    /// The data that the daemon reads from the store.
    var needs = VersionNeeds()
    var community: (any CommunitySource)? = FakeCommunity()
    var sessions: (any SessionStore)?
    /// Records what members of the store's experiments are shown; nil for no experiments.
    var exposures: ExposureLog?
    var endpoints = Endpoint.table(of: .standard)
    var access = AccessPolicy()
    var limits = RateLimits()
    var quota = MemberQuota()
    var crossOrigin = CrossOriginPolicy()
    var addresses = SiteAddresses()
    var apps = AppLinks()
    var lines = Lines()
    /// The memory of the answer cache, in bytes; 0 for none.
    var cacheBytes = 0
    /// The time, in Unix milliseconds.
    var now: Int64 = 61_000_000
    /// A running clock; nil for one that stays at `now`.
    var clock: (@Sendable () -> Int64)?
    /// Nanoseconds of the monotonic clock.
    var uptime: @Sendable () -> UInt64 = { 1_000_000 }

    /// A router with the version that its follower has loaded.
    func router() -> Router { parts().router }

    /// A router with the version that its follower has loaded, and the follower.
    func parts() -> (router: Router, follower: VersionFollower, cache: AnswerCache?) {
        let instant = now
        let now = clock ?? { instant }
        let changes = community?.changes ?? ChangeClock()
        let cache = cacheBytes > 0 ? AnswerCache(limitBytes: cacheBytes, changes: changes, now: now) : nil
        let follower = VersionFollower(
            store: store, needs: needs, planning: .init(), changes: changes, log: lines.log, now: now)
        follower.poll()
        let board = ExperimentBoard(follower, changes: changes, log: lines.log)
        board.poll()
        // Loads the versions that arms name.
        if exposures != nil { follower.poll() }
        let metrics = RequestMetrics(endpoints)
        var settings = LiveSettings()
        (settings.access, settings.rateLimits, settings.crossOrigin) = (access, limits, crossOrigin)
        (settings.quota, settings.addresses, settings.apps) = (quota, addresses, apps)
        let responder = Responder(
            follower, community,
            lists: Responder.Lists(
                sessions: sessions.map { Sessions($0, .sessions(lines.log)) }, figures: ListFigures(store),
                experiments: exposures.map { Responder.Experiments(board: board, exposures: $0) }, changes: changes),
            interactions: InteractionMetrics(),
            health: Responder.HealthState(
                problems: DaemonProblems(follower: follower, community: community), reading: .reading(lines.log)),
            documents: Responder.Documents(
                endpoints: endpoints,
                metricSources: [metrics, ModelMetrics(problems: DaemonProblems(follower: follower), now: now)]
                    + (cache.map { [$0 as any MetricSource] } ?? [])),
            pages: Responder.Pages(
                sessions: PageSessions(store, log: lines.log), decisions: DecisionNotes(store, log: lines.log),
                requests: metrics,
                log: lines.log),
            settings: settings, now: now)
        let router = Router(
            endpoints, responder: responder, cache: cache, metrics: metrics,
            log: RequestLog(lines.log, recordsEveryRequest: false), uptime: uptime)
        return (router, follower, cache)
    }

    /// The answer to a request, on a connection of its own.
    ///
    /// - Parameter headers: whole lines, such as `Accept: text/plain`.
    func answer(
        _ transport: Transport, _ target: String, method: String = "GET", headers: [String] = [], json: String? = nil
    ) throws -> SocketClient.Response {
        let router = router()
        switch transport {
        case .direct:
            let type = json == nil ? [] : ["Content-Type: application/json"]
            return try router.answer(target, method: method, headers: headers + type, body: Array((json ?? "").utf8))
        case .socket:
            let server = try HTTPServer(refusal: { router.refuse($0) }, handler: { router.respond(to: $0) })
            defer { server.stop() }
            guard let client = SocketClient(port: server.port),
                let response = client.request(method, target, headers: headers, json: json)
            else {
                throw Failure(.general, "no answer")
            }
            return response
        }
    }
}

extension Router {
    /// What a request is answered with, straight from the router.
    func reply(
        _ target: String, method: String = "GET", headers: [String] = [], body: [UInt8] = []
    ) throws -> HTTPReply {
        var fields = HTTPHeaders()
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1).map(String.init)
            fields.append(name: parts[0], value: String(parts[1].drop { $0 == " " }))
        }
        return respond(
            to: try HTTPRequest(method: HTTPMethod(rawValue: method), target: target, headers: fields, body: body))
    }

    /// The answer to a request, straight from the router.
    func answer(
        _ target: String, method: String = "GET", headers: [String] = [], body: [UInt8] = []
    ) throws -> SocketClient.Response {
        let response = try reply(target, method: method, headers: headers, body: body).awaited
        var headers: [String: String] = [:]
        for field in response.headers.fields { headers[field.name.lowercased()] = field.value }
        return .init(status: response.status.rawValue, headers: headers, body: response.body)
    }
}

extension HTTPReply {
    /// The response, once it has been made.
    var awaited: HTTPResponse {
        let later: LaterResponse
        switch self {
        case .now(let response): return response
        case .later(let response): later = response
        }
        let answer = SentResponse()
        let isFinished = DispatchSemaphore(value: 0)
        later.whenFinished { response in
            answer.value.withLock { $0 = response }
            isFinished.signal()
        }
        isFinished.wait()
        guard let response = answer.value.withLock({ $0 }) else {
            preconditionFailure("it was finished without a response")
        }
        return response
    }
}

private final class SentResponse: Sendable {
    let value = Mutex<HTTPResponse?>(nil)
}
