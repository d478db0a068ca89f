import Answers
import Model
import Recommendation

extension Parameter {
    private static let topics = Parameter(
        "topics", .list(of: nil), "Only groups with one of these topics, separated by semicolons",
        example: "owls;snow")
    private static let joinPolicy = Parameter(
        "joinPolicy", .list(of: JoinPolicy.allCases.map(\.name)),
        "Only groups that one joins in one of these ways, separated by semicolons")
    private static let minimumMembers = Parameter(
        "minimumMembers", .integer(0...Int(Int32.max), standard: 0), "Only groups with at least so many members")
    private static let exclude = Parameter(
        "exclude", .list(of: nil), "Without these groups: their ids, separated by semicolons")

    /// What a request may ask of the groups in a list.
    static let filters = [topics, joinPolicy, minimumMembers, exclude]
}

extension Call {
    /// What the request asks of the groups; the route must declare `Parameter.filters`.
    func filter(in model: VisibleModel) -> GroupFilter {
        GroupFilter(
            topics: parameters.list("topics"), joinPolicies: parameters.list("joinPolicy"),
            minimumMembers: parameters.integer("minimumMembers"), excluding: parameters.list("exclude"), in: model)
    }
}

extension GroupFilter {
    /// What a client asks of the groups, in its words.
    ///
    /// Excluded groups that the model does not show are ignored: they are in no list.
    init(
        topics: [String], joinPolicies: [String], minimumMembers: Int, excluding ids: [String], in model: VisibleModel
    ) {
        self.init(
            topics: topics, joinPolicies: Set(JoinPolicy.allCases.filter { joinPolicies.contains($0.name) }),
            minimumMembers: minimumMembers,
            excluded: Set(ids.compactMap { model.index(ofID: $0).map { UInt32($0) } }))
    }
}

extension RequestParameters {
    /// What a session's list is kept under: the client's own id, and the filters, if there are any; nil without both.
    ///
    /// A list of other filters is another list, with a session of its own. No client's id has the NUL that stands
    /// before the filters.
    var sessionName: String? {
        let (client, filters) = (text("session"), filterText)
        return filters.isEmpty ? client : (client ?? "") + filters
    }

    /// What the request asks of the groups, as text: the same for the same filters; empty without any.
    var filterText: String {
        GroupFilter.text(
            topics: list("topics"), joinPolicies: list("joinPolicy"), minimumMembers: integer("minimumMembers"),
            excluding: list("exclude"))
    }
}

extension GroupFilter {
    /// What a client asks of the groups, as text: each filter behind a NUL; empty without any.
    static func text(topics: [String], joinPolicies: [String], minimumMembers: Int, excluding ids: [String])
        -> String
    {
        var text = ""
        for (name, values) in [
            ("topics", topics.map(Term.normalized)), ("joinPolicy", joinPolicies), ("exclude", ids),
        ] where !values.isEmpty {
            text +=
                "\0\(name)=" + Set(values).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: ";")
        }
        if minimumMembers > 0 { text += "\0minimumMembers=\(minimumMembers)" }
        return text
    }
}
