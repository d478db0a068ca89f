import Model
import CivilTime
public import Recommendation

/// Why a group is in a member's list, at which place, or why it is not there; in words, and with what speaks for it.
public struct GroupExplanation: Sendable {
    /// A word for it, such as `joined`.
    public let standing: String
    /// A clause for people.
    public let explanation: String
    /// Its place in the list, from 1; nil if it is not there.
    public let place: Int?
    /// The name of the interest it serves; nil unless it is in the list because of joined groups.
    public let interest: String?
    /// The joined groups that speak for it, whether or not it is in the list; the strongest first.
    public let reasons: [Suggestion.Reason]

    /// What the reasons contribute in all.
    public var score: Double { reasons.reduce(0) { $0 + $1.contribution } }

    /// Explains a group of the planner's model in a list that is made right now.
    public init(of group: UInt32, _ planner: Planner, _ request: PlanRequest) {
        let (standing, plan) = planner.standing(of: group, request)
        self.init(of: group, standing, planner, request) { plan.interests[$0].name(in: planner.model) }
    }

    /// Explains a group of the planner's model in the list of a session, as it stands now.
    init(of group: UInt32, in frozen: SessionList, _ planner: Planner, _ request: PlanRequest) {
        let items = frozen.items(for: request, planner)
        if let place = items.firstIndex(where: { $0.group == group }) {
            let interests = frozen.interests(without: request.hidden, in: planner.model)
            self.init(of: group, .listed(rank: place + 1, item: items[place]), planner, request) { interests[$0].name }
            return
        }
        let (standing, plan) = planner.standing(of: group, request)
        if case .listed(let place, _) = standing {
            self.init(
                standing: Self.inNextList,
                explanation: """
                    it is not in the list of this session, which was made before; a new one would have it at place \
                    \(place)
                    """,
                reasons: planner.reasons(for: group, of: request.profile))
        } else {
            self.init(of: group, standing, planner, request) { plan.interests[$0].name(in: planner.model) }
        }
    }

    private init(
        of group: UInt32, _ standing: Standing, _ planner: Planner, _ request: PlanRequest,
        interestName: (Int) -> String
    ) {
        let (word, text) = standing.words(planner)
        // Of what is hidden, nothing more is told.
        let reasons = standing == .hidden ? [] : planner.reasons(for: group, of: request.profile)
        if case .listed(let place, let item) = standing {
            self.init(
                standing: word, explanation: text, place: place, interest: item.interest.map(interestName),
                reasons: reasons)
        } else {
            self.init(standing: word, explanation: text, reasons: reasons)
        }
    }

    private init(
        standing: String, explanation: String, place: Int? = nil, interest: String? = nil,
        reasons: [Suggestion.Reason]
    ) {
        self.standing = standing
        self.explanation = explanation
        self.place = place
        self.interest = interest
        self.reasons = reasons
    }

    /// The word for a group that is not in the list of a session, but would be in a new one.
    static let inNextList = "inNextList"
    /// All the words that programs can go by.
    static let standings = Standing.names + [inNextList]
}

extension Planner {
    /// The joined groups that speak for a group, whether or not it is in the list.
    fileprivate func reasons(for group: UInt32, of profile: MemberProfile) -> [Suggestion.Reason] {
        reasons(for: [PlanItem(group: group, score: 0, interest: nil, origin: .personal)], of: profile)[0]
    }
}

extension Standing {
    /// A word that programs can go by, and a clause for people.
    fileprivate func words(_ planner: Planner) -> (name: String, text: String) {
        func time(_ seconds: Int64) -> String { UnixTime(seconds: seconds)?.description ?? "\(seconds)" }
        switch self {
        case .listed(let place, let item):
            return ("listed", "it is at place \(place)" + (item.origin == .personal ? "" : ": \(item.origin.rawValue)"))
        case .joined: return ("joined", "the user is a member of it")
        case .dismissed(let milliseconds):
            return ("dismissed", "the user dismissed it at \(time(milliseconds / 1000))")
        case .hidden: return ("hidden", "it is hidden from everybody")
        case .inactive(let seconds): return ("inactive", "nothing has happened in it since \(time(seconds))")
        case .noEvidence:
            return (
                "noEvidence",
                """
                no group that the user has joined has it as a neighbour, and it is not among those that fill up the list
                """
            )
        case .tooSimilar(let seed):
            return (
                "tooSimilar",
                """
                it is too similar to \(planner.model.id(of: Int(seed))), which the user has joined: their cosine is \
                \(planner.configuration.filters.ceiling) or more
                """
            )
        case .notReached(let rank, let candidates):
            return (
                "notReached",
                "it is number \(rank) of \(candidates) candidates by score, and the list was full before its turn came"
            )
        }
    }

    /// All the words for standings.
    static let names = [
        "listed", "joined", "dismissed", "hidden", "inactive", "noEvidence", "tooSimilar", "notReached",
    ]
}
