import Answers
import HTTP
import Model
import Recommendation

/// A request for the lists of several members, with filters on their groups.
struct ListBatch: RequestBody {
    /// The number of members in a batch.
    static let sizes = 1...100
    /// The number of groups in a list.
    static let limits = 1...20

    static let schema = Schema.component(
        "ListBatch",
        .object([
            .always("userIds", .array(identifier, sizes), "The members, in the order of the answer"),
            .sometimes("limit", .integer(limits, standard: limits.upperBound), "How many groups a list may have"),
            .sometimes("topics", .array(identifier, 0...Parameter.listLimit), "Only groups with one of these topics"),
            .sometimes(
                "joinPolicy", .array(.string(words: JoinPolicy.allCases.map(\.name)), 0...Parameter.listLimit),
                "Only groups that one joins in one of these ways"),
            .sometimes(
                "minimumMembers", .integer(0...Int(Int32.max), standard: 0), "Only groups with at least so many members"
            ),
            .sometimes("exclude", .array(identifier, 0...Parameter.listLimit), "Without these groups, by their ids"),
            .sometimes(
                "boost", .array(Parameter.TextForm.boost.schema, 0...Boost.limit),
                "Factors for the scores of a topic's groups, or of one group: \(Boost.form)"),
        ]))

    static let example = #"{"userIds":["laura-100","rebecca-2r5"],"limit":5}"#

    private static let identifier = Parameter("id", .identifier, "").schema

    var userIds: [String]
    var limit, minimumMembers: Int?
    var topics, joinPolicy, exclude, boost: [String]?

    /// Checks all fields except the ids of members.
    ///
    /// - Throws: a `Problem` that names the first field that is out of bounds.
    func check() throws(Problem) {
        guard Self.sizes.contains(userIds.count) else {
            throw .badField(
                "userIds",
                "has \(userIds.count) entries: send \(Self.sizes.lowerBound) to \(Self.sizes.upperBound)")
        }
        for (name, value, bounds) in [
            ("limit", limit, Self.limits), ("minimumMembers", minimumMembers, 0...Int(Int32.max)),
        ] {
            guard let value, !bounds.contains(value) else { continue }
            throw .badField(
                name, "is \(value): it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        for (name, texts) in [("topics", topics), ("joinPolicy", joinPolicy), ("exclude", exclude)] {
            guard let texts else { continue }
            guard texts.count <= Parameter.listLimit else {
                throw .badField(name, "has \(texts.count) entries: send \(Parameter.listLimit) or fewer")
            }
            for (index, text) in texts.enumerated() { try Self.check(text, "\(name)[\(index)]") }
        }
        if let boost {
            guard boost.count <= Boost.limit else {
                throw .badField("boost", "has \(boost.count) entries: send \(Boost.limit) or fewer")
            }
            for (index, text) in boost.enumerated() where Boost(text) == nil {
                throw .badField("boost[\(index)]", "is \"\(text)\": write \(Boost.form)")
            }
        }
        let policies = JoinPolicy.allCases.map(\.name)
        if let index = joinPolicy?.firstIndex(where: { !policies.contains($0) }) {
            throw .badField(
                "joinPolicy[\(index)]", "must be one of \(policies.joined(separator: ", "))", allowed: policies)
        }
    }

    /// Checks the length of an id, and that it has no NUL.
    static func check(_ id: String, _ field: String) throws(Problem) {
        guard !(1...Parameter.identifierLimit).contains(id.unicodeScalars.count) || id.utf8.contains(0) else { return }
        throw .badField(field, "must be 1 to \(Parameter.identifierLimit) characters long, without NUL")
    }

    /// The filters as text.
    var filterText: String {
        GroupFilter.text(
            topics: topics ?? [], joinPolicies: joinPolicy ?? [], minimumMembers: minimumMembers ?? 0,
            excluding: exclude ?? [], boosts: boosts)
    }

    /// The boosts of the request.
    var boosts: [Boost] { (boost ?? []).compactMap { Boost($0) } }

    /// Returns the filter that the request asks for.
    func filter(in model: VisibleModel) -> GroupFilter {
        GroupFilter(
            topics: topics ?? [], joinPolicies: joinPolicy ?? [], minimumMembers: minimumMembers ?? 0,
            excluding: exclude ?? [], in: model)
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
        try batch.check()
        let instant = call.responder.now()
        var lists: [MemberLists.Entry] = []
        for (index, id) in batch.userIds.enumerated() {
            do throws(Problem) {
                try ListBatch.check(id, "userIds[\(index)]")
                let context = try call.context(ofMember: id, at: instant, batch.filter, batch.boosts, in: snapshot)
                let assigned = try call.assignedPlan(for: context, batch.filter)
                var list = context.recommendations(assigned.plan, limit: batch.limit ?? ListBatch.limits.upperBound)
                // A list of a batch has one page.
                list.next = nil
                call.show(
                    list, after: 0, arms: context.arms,
                    teams: Array(assigned.teams.prefix(list.recommendations.count)), filters: batch.filterText)
                lists.append(MemberLists.Entry(list))
            } catch { lists.append(MemberLists.Entry(userId: id, error.details)) }
        }
        return MemberLists(snapshot.served, lists)
    }
}
