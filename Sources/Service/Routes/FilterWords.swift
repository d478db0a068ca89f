import Model
import Recommendation

extension Parameter {
    private static let topics = Parameter(
        "topics", .list(of: nil), "Only groups with one of these topics, separated by semicolons",
        example: "owls;snow")
    private static let joinPolicy = Parameter(
        "joinPolicy", .list(of: JoinPolicy.allCases.map(\.rawValue)),
        "Only groups that one joins in one of these ways, separated by semicolons")
    private static let minimumMembers = Parameter(
        "minimumMembers", .integer(0...Int(Int32.max), standard: 0), "Only groups with at least so many members")
    private static let minimumPosts = Parameter(
        "minimumPostsPerWeek", .integer(0...Int(Int32.max), standard: 0),
        "Only groups with at least so many posts a week, in the last eight weeks")
    private static let exclude = Parameter(
        "exclude", .identifiers,
        "Without these groups: their ids, separated by semicolons; a semicolon inside an id is written %3B")

    /// The parameters that filter and boost the groups of a list.
    static let filters = [topics, joinPolicy, minimumMembers, minimumPosts, exclude, boost]

    private static let boost = Parameter(
        "boost", .repeated(.boost, limit: Boost.limit),
        "A factor for the scores of a topic's groups, or of one group: \(Boost.form); may be repeated")
}

extension Parameter.TextForm {
    static let boost = Parameter.TextForm(
        pattern: Boost.pattern, lengthLimit: Boost.nameLimit + Boost.digitLimit + 7, words: Boost.form,
        accepts: { Boost($0) != nil })
}

/// The filters and boosts that a client asks for, in its own words.
struct FilterWords {
    var topics: [String] = []
    var joinPolicies: [String] = []
    var minimumMembers = 0
    var minimumPostsPerWeek = 0
    /// The external ids of groups that are left out.
    var excluded: [String] = []
    var boosts: [Boost] = []

    /// The words as text, each after a NUL, which is the same for the same ones; empty without any.
    var text: String {
        var text = ""
        for (name, values) in [
            ("topics", topics.map(Term.normalized)), ("joinPolicy", joinPolicies),
            ("exclude", excluded.map(Self.escaped)),
        ] where !values.isEmpty {
            text +=
                "\0\(name)=" + Set(values).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: ";")
        }
        if minimumMembers > 0 { text += "\0minimumMembers=\(minimumMembers)" }
        if minimumPostsPerWeek > 0 { text += "\0minimumPostsPerWeek=\(minimumPostsPerWeek)" }
        // Two equal boosts multiply, so they are two.
        let texts = boosts.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return texts.reduce(text) { "\($0)\0boost=\($1)" }
    }

    private static func escaped(_ id: String) -> String {
        id.unicodeScalars.map { $0 == ";" ? "%3B" : $0 == "%" ? "%25" : String($0) }.joined()
    }

    /// Returns the filter for a model.
    ///
    /// Excluded groups that the model does not show are ignored, because they are in no list. An unknown id with
    /// semicolons is a list of ids, from a client that escapes each semicolon.
    func filter(in model: VisibleModel) -> GroupFilter {
        GroupFilter(
            topics: topics, joinPolicies: Set(JoinPolicy.allCases.filter { joinPolicies.contains($0.rawValue) }),
            minimumMembers: minimumMembers, minimumPostsPerWeek: minimumPostsPerWeek,
            excluded: Set(
                excluded.flatMap { id in
                    model.index(ofID: id).map { [UInt32($0)] }
                        ?? id.split(separator: ";").compactMap { model.index(ofID: String($0)).map { UInt32($0) } }
                }))
    }
}

extension RequestParameters {
    /// The filters and boosts of the request; the route must declare `Parameter.filters`.
    var filters: FilterWords {
        FilterWords(
            topics: list("topics"), joinPolicies: list("joinPolicy"), minimumMembers: integer("minimumMembers"),
            minimumPostsPerWeek: integer("minimumPostsPerWeek"), excluded: list("exclude"),
            boosts: list("boost").compactMap { Boost($0) })
    }

    /// The name of the list's session: the client's own id, then the filters; nil without both.
    ///
    /// Each set of filters has a session of its own. A NUL precedes the filters; a client's id has none.
    var sessionName: String? {
        let (client, filters) = (text("session"), filters.text)
        return filters.isEmpty ? client : (client ?? "") + filters
    }
}
