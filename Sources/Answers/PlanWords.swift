package import Recommendation

extension PlanItem.Origin {
    /// The reason that a group is in a list, or `nil` if joined groups are the reason.
    package var explanation: String? {
        switch self {
        case .personal: nil
        case .topic: "a stated interest"
        case .curated: "picked by the site"
        case .trending: "trending"
        case .popular: "popular"
        }
    }
}

extension PlanItem.Placement {
    /// The cause of a group's rank, in a word or two.
    package var words: String {
        switch self {
        case .relevance: "relevance"
        case .interestShare: "interest's share"
        case .variety: "variety"
        case .rotation: "rotation"
        case .seasonal: "season"
        case .curated: "curation"
        case .coldStart: "cold start"
        case .boosted: "boost"
        }
    }
}
