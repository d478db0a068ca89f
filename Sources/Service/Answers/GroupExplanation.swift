import Model
import RecordReading
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

    /// Explains a group of the planner's model.
    public init(of group: UInt32, _ planner: Planner, _ request: PlanRequest) {
        let (standing, plan) = planner.standing(of: group, request)
        (self.standing, explanation) = standing.words(planner)
        let item = PlanItem(group: group, score: 0, interest: nil, origin: .personal)
        reasons = planner.reasons(for: [item], of: request.profile)[0]
        if case .listed(let place, let item) = standing {
            self.place = place
            interest = item.interest.map { plan.interests[$0].name(in: planner.model) }
        } else {
            (place, interest) = (nil, nil)
        }
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

    /// All the words that programs can go by.
    static let names = [
        "listed", "joined", "dismissed", "hidden", "inactive", "noEvidence", "tooSimilar", "notReached",
    ]
}
