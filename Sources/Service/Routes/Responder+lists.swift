import Answers
import HTTP
import Model
import Recommendation
import Tokens

extension Endpoint {
    /// Endpoints for the lists of several members.
    static let lists = [
        Endpoint(
            "recommendationsOfMembers", .post, "/v1/recommendations", .service(.lists),
            summary: "Groups for up to 100 members, as of this moment; no session keeps the lists",
            body: ListBatch.self, caching: .never, threads: .batch, problems: [.notImplemented, .serviceUnavailable],
            handler: Responder.recommendationsOfMembers)
    ]
}

extension Responder {
    /// `POST /v1/recommendations`: the lists of several members, or why one has none.
    @Sendable
    fileprivate static func recommendationsOfMembers(_ call: Call) throws(Problem) -> MemberLists {
        let snapshot = try call.snapshotWithMembers
        let batch = try call.body(as: ListBatch.self)
        try batch.check()
        let served = call.served(snapshot.version)
        let instant = call.responder.now()
        var lists: [MemberLists.Entry] = []
        for (index, id) in batch.userIds.enumerated() {
            do throws(Problem) {
                try ListBatch.check(id, "userIds[\(index)]")
                let scene = try call.scene(ofMember: id, at: instant, batch.filter, in: snapshot)
                let assigned = try call.assignedPlan(for: scene, batch.filter)
                let version = scene.snapshot.version
                let list = Recommendations(
                    call.served(version), version, assigned.plan,
                    limit: batch.limit ?? ListBatch.limits.upperBound, for: scene.request.profile,
                    isKnown: scene.isKnown, scene.planner)
                call.show(
                    list, after: 0, arms: scene.arms,
                    teams: Array(assigned.teams.prefix(list.recommendations.count)), filters: batch.filterText)
                lists.append(MemberLists.Entry(list))
            } catch { lists.append(MemberLists.Entry(userId: id, error.details)) }
        }
        return MemberLists(served, lists)
    }
}
