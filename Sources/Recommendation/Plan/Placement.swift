import Model

extension PlanItem {
    /// Why a group stands where it stands in a list: what has put it above a group with a greater score, if one
    /// follows.
    public enum Placement: String, Sendable, CaseIterable {
        /// Its score: no group of joined groups after it has a greater one, if what the member saw often or dismissed
        /// is taken off.
        case relevance
        /// The share of its interest.
        case interestShare
        /// Those with greater scores are more similar to groups before it.
        case variety
        /// The order of these hours.
        case rotation
        /// The time of the year.
        case seasonal
        /// The site's staff picked it.
        case curated
        /// Little is known of the member, or of such groups, and stated interests, trends and popularity fill the list.
        case coldStart
    }
}

extension PlanItem.Placement {
    /// The placement of a group that something else than joined groups brought.
    init(_ origin: PlanItem.Origin) {
        switch origin {
        case .personal: self = .relevance
        case .curated: self = .curated
        case .topic, .trending, .popular: self = .coldStart
        }
    }

    /// The placements of the candidates of a list.
    ///
    /// - Parameter candidates: in the order of the list.
    static func placements(of candidates: some BidirectionalCollection<Candidate>) -> [PlanItem.Placement] {
        var placements: [PlanItem.Placement] = []
        placements.reserveCapacity(candidates.count)
        // Of those that follow, the one with the greatest score.
        var greatest: Standard?
        for candidate in candidates.reversed() {
            let standard = Standard(candidate)
            if let greatest, standard.relevance < greatest.relevance * (1 - Standard.tolerance) {
                placements.append(standard.placement(above: greatest))
            } else {
                placements.append(.relevance)
                greatest = standard
            }
        }
        return placements.reversed()
    }
}

/// What a candidate's adjusted score is made of.
private struct Standard {
    /// Quotients of products are not exact.
    static let tolerance = 1e-9

    let candidate: Candidate
    /// The adjusted score without season and rotation: the raw score, lowered by what was seen and dismissed.
    let relevance: Double

    init(_ candidate: Candidate) {
        self.candidate = candidate
        relevance = candidate.adjusted / (candidate.season * Double(candidate.noise))
    }

    /// What has put it above a candidate of greater relevance.
    func placement(above other: Standard) -> PlanItem.Placement {
        switch candidate.cause {
        case .share: return .interestShare
        case .variety: return .variety
        case .score: break
        }
        // It was in the pool, and the other was not, though better: the room was reserved for its interest.
        if candidate.adjusted < other.candidate.adjusted { return .interestShare }
        let rotation = Double(candidate.noise / other.candidate.noise)
        return candidate.season / other.candidate.season > rotation ? .seasonal : .rotation
    }
}
