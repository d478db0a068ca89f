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
        let filter = batch.filter(in: snapshot.model)
        var lists: [MemberLists.Entry] = []
        for (index, id) in batch.userIds.enumerated() {
            do throws(Problem) {
                try ListBatch.check(id, "userIds[\(index)]")
                let (request, isKnown) = try call.planRequest(ofUser: id, filter, in: snapshot)
                let assigned = call.assignedPlan(for: request, in: snapshot)
                let list = Recommendations(
                    served, snapshot.version, assigned.plan,
                    limit: batch.limit ?? ListBatch.limits.upperBound, for: request.profile,
                    isKnown: isKnown, assigned.planner)
                call.show(
                    list, after: 0, arms: assigned.arms,
                    teams: Array(assigned.teams.prefix(list.recommendations.count)), filters: batch.filterText)
                lists.append(MemberLists.Entry(list))
            } catch { lists.append(MemberLists.Entry(userId: id, error.details)) }
        }
        return MemberLists(served, lists)
    }
}
