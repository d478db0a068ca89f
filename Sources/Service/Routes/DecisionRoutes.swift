package import Answers
import Basics
import Changes
import HTTP
import Model
package import ModelStore
import Synchronization

extension Endpoint {
    /// Endpoints for the decisions of operators.
    static let decisions = [
        Endpoint(
            "decisions", .get, "/v1/admin/decisions", .admin(.look),
            summary: "What operators decided within a year, the newest first; members are digests of their ids",
            parameters: [
                .limit,
                Parameter("after", .text(1...Parameter.identifierLimit), "Begin after the decision with this id"),
            ], caching: .never, threads: .recording, problems: [.serviceUnavailable],
            handler: { (call) throws(Problem) in try ListedDecisions(call, limit: call.parameters.limit) })
    ]
}

/// Decisions of operators: `GET /v1/admin/decisions`.
struct ListedDecisions: Answer {
    let decisions: [NotedDecision]
    let next: String?

    /// Reads the decisions after the one that the request names.
    init(_ call: Call, limit: Int) throws(Problem) {
        // One more than the limit shows whether there is another page.
        let found = try call.decisions(before: call.parameters.text("after"), limit: limit + 1)
        decisions = Array(found.prefix(limit))
        next = found.count > limit ? decisions.last?.id : nil
    }

    static let schemaName: String? = "Decisions"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("decisions", \.decisions, "The newest first")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }
}

extension NotedDecision: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("id", \.id, "The place in the list")
        fields.always("atMilliseconds", \.atMilliseconds, "When, in Unix milliseconds", column: .time("time"))
        fields.always("by", \.by, "The name of the operator", column: .text("by"))
        fields.always(
            "action", \.action.rawValue, as: .words(of: Action.self), "What was done", column: .text("action"))
        fields.always("thing", \.thing.rawValue, as: .words(of: Thing.self), "To what", column: .text("to the"))
        fields.always("name", \.name, "Its id, or a digest of the member's id", column: .id("name"))
        fields.sometimes("before", \.before, "What was so before, in words", column: .text("before"))
        fields.sometimes("after", \.after, "What is so since, in words", column: .text("after"))
    }
}

/// Notes what operators decide over HTTP on the list of the store.
final class DecisionNotes: Sendable {
    /// The most decisions that wait; later ones are not listed.
    private static let waitingLimit = 10_000

    private let store: any VersionStore
    private let log: EventLog
    /// The decisions that the store did not take yet.
    private let waiting = Mutex<[NotedDecision]>([])
    /// A lock held while the store is asked, which may take seconds.
    private let sending = Mutex(())
    /// The number of decisions that are not listed, as too many wait or their week is full.
    private let lostCount = Atomic<UInt64>(0)

    init(_ store: any VersionStore, log: EventLog) { (self.store, self.log) = (store, log) }

    /// Adds a decision to the list at once, or later if others wait: then the store is away, or takes them now.
    func note(_ decision: NotedDecision) {
        let count = waiting.withLock { waiting in
            if waiting.count == Self.waitingLimit {
                lostCount.wrappingAdd(1, ordering: .relaxed)
            } else {
                waiting.append(decision)
            }
            return waiting.count
        }
        if count == 1 { send() }
    }

    /// Adds to the list what waits; a store that is away gets it at a later time.
    func send() {
        sending.withLock { _ in
            while let first = waiting.withLock(\.first) {
                do throws(Failure) { try DecisionList(store)?.add(first) } catch {
                    log.warning("a decision is not on the list: \(error.message)")
                    // What has no room would never have any.
                    if error.code != .general { return }
                    lostCount.wrappingAdd(1, ordering: .relaxed)
                }
                waiting.withLock { _ = $0.removeFirst() }
            }
        }
    }
}

extension DecisionNotes: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge(
            "coterie_decisions_waiting", "Decisions that are carried out and still to be listed in the store.",
            waiting.withLock(\.count))
        text.counter(
            "coterie_decisions_lost_total", "Decisions that are carried out and not listed, for want of room.",
            lostCount.load(ordering: .relaxed))
    }
}

extension Call {
    /// Notes a decision of the request's operator, which has been carried out.
    func noted(
        _ action: NotedDecision.Action, _ thing: NotedDecision.Thing, _ name: String, before: String? = nil,
        after: String? = nil
    ) {
        responder.pages.decisions.note(
            NotedDecision(
                action, thing, name, by: operatorName, atMilliseconds: responder.now(), before: before, after: after))
    }

    /// Notes a change that the request's operator has made.
    ///
    /// - Parameter state: the hidden and curated groups before it.
    func noted(_ change: Change, on state: SiteState = SiteState()) {
        NotedDecision(change, on: state, by: operatorName, atMilliseconds: responder.now(), digest: digest)
            .map(responder.pages.decisions.note)
    }

    /// Returns what stands for a member's id in the list; without a key, what nobody can make again.
    private func digest(ofMember id: String) -> String {
        Ledger(key: (try? responder.community?.ledgerKey()) ?? Ledger.makeKey()).digest(of: id).text
    }

    /// Returns decisions, the newest first.
    ///
    /// - Parameter id: the id of the thing that they are about, also of a member; nil for all.
    func decisions(
        about thing: NotedDecision.Thing = .group, _ id: String? = nil, before place: String? = nil, limit: Int
    ) throws(Problem) -> [NotedDecision] {
        let about = id.map { (thing, name: thing == .member ? digest(ofMember: $0) : $0) }
        return try orStoreProblem(titled: "The list of decisions cannot be read") { () throws(Failure) in
            try DecisionList(responder.follower.store)?.decisions(
                about: about, before: place, limit: limit, at: responder.now()) ?? []
        }
    }
}
