import Answers
import HTTP
import Model
import Recommendation

/// A request for the lists of several members, with filters on their groups.
struct ListBatch: RequestBody {
    /// The number of groups in a list.
    static let limits = 1...20

    static let schemaName = "ListBatch"
    static let fields: [BodyField<ListBatch>] = [
        // A wrong id is the problem of its own list.
        .texts(
            "userIds", \.userIds, 1...100, of: .identifier, checksEach: false, isRequired: true,
            "The members, in the order of the answer"),
        .integer("limit", \.limit, limits, standard: limits.upperBound, "How many groups a list may have"),
        .texts(
            "topics", \.topics, 0...Parameter.listLimit, of: .identifier, "Only groups with one of these topics"),
        .texts(
            "joinPolicy", \.joinPolicy, 0...Parameter.listLimit, of: .words(JoinPolicy.allCases.map(\.rawValue)),
            "Only groups that one joins in one of these ways"),
        .integer(
            "minimumMembers", \.minimumMembers, 0...Int(Int32.max), standard: 0,
            "Only groups with at least so many members"),
        .integer(
            "minimumPostsPerWeek", \.minimumPostsPerWeek, 0...Int(Int32.max), standard: 0,
            "Only groups with at least so many posts a week, in the last eight weeks"),
        .texts(
            "exclude", \.exclude, 0...Parameter.listLimit, of: .identifier, "Without these groups, by their ids"),
        .texts(
            "boost", \.boost, 0...Boost.limit, of: .form(.boost),
            "Factors for the scores of a topic's groups, or of one group: \(Boost.form)"),
    ]

    static let example = #"{"userIds":["laura-100","rebecca-2r5"],"limit":5}"#

    var userIds: [String]
    var limit, minimumMembers, minimumPostsPerWeek: Int?
    var topics, joinPolicy, exclude, boost: [String]?

    /// The filters and boosts of the request.
    var filters: FilterWords {
        FilterWords(
            topics: topics ?? [], joinPolicies: joinPolicy ?? [], minimumMembers: minimumMembers ?? 0,
            minimumPostsPerWeek: minimumPostsPerWeek ?? 0, excluded: exclude ?? [],
            boosts: (boost ?? []).compactMap { Boost($0) })
    }
}

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
    /// Answers `POST /v1/recommendations`: for each member the list, or the reason why there is none.
    @Sendable
    fileprivate static func recommendationsOfMembers(_ call: Call) throws(Problem) -> MemberLists {
        let snapshot = try call.snapshotWithMembers
        let batch = try call.body(as: ListBatch.self)
        let (instant, filters) = (call.responder.now(), batch.filters)
        var lists: [MemberLists.Entry] = []
        for (index, id) in batch.userIds.enumerated() {
            do throws(Problem) {
                try TextBounds.identifier.check(id, at: "userIds[\(index)]")
                let context = try call.context(ofMember: id, at: instant, filters, in: snapshot)
                let plan = try call.plan(for: context, filters)
                var list = context.recommendations(plan, limit: batch.limit ?? ListBatch.limits.upperBound)
                // A list of a batch has one page.
                list.next = nil
                if !list.recommendations.isEmpty {
                    call.responder.lists.figures.made(list.recommendationId, ofMember: id, at: instant)
                }
                call.show(list, of: plan.items, arms: context.arms, filters: filters.text)
                lists.append(MemberLists.Entry(userId: id, list: list))
            } catch { lists.append(MemberLists.Entry(userId: id, problem: error.details)) }
        }
        return MemberLists(version: snapshot.served, lists: lists)
    }
}
