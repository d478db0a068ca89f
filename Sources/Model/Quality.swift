import Basics

extension Manifest {
    /// The quality of a version's lists, which the next recompute measures on the groups that members joined since.
    package struct Quality: Codable, Sendable, Equatable {
        /// The version whose lists are measured.
        package var version: VersionName
        /// The number of members whose lists are measured.
        package var members = 0
        /// The number of groups that these members have joined since, and that the version has.
        package var joins = 0
        /// The number of groups that they have joined since, and that the version lacks: no list could have them.
        package var joinsOfOtherGroups = 0
        /// The number of the catalog's memberships in shown groups without a time, which are never measured.
        package var joinsWithoutTime = 0
        /// The number of memberships that the version had already and that have a time since then: no joins since.
        ///
        /// Nil if an earlier program measured.
        package var joinsWithNewTime: Int?
        /// The figures, or nil if there are fewer joins than `leastJoins`, or if `reason` says that none were measured.
        package var figures: QualityFigures?
        /// The reason that nothing was measured, a clause; nil if something was.
        package var reason: String?

        /// The fewest joins for figures that say more than chance.
        package static let leastJoins = 100
        /// The most versions whose quality a manifest has.
        package static let versionLimit = 12

        package init(of version: VersionName) { self.version = version }

        /// The outcome in words.
        package var words: String {
            if let reason { return reason }
            let count = joinsWithNewTime ?? 0
            let old = count > 0 ? "; \(count.grouped) old memberships with a new time left out" : ""
            guard let figures else { return "too few joins: \(joins.grouped) of at least \(Self.leastJoins)\(old)" }
            return """
                \(Formats.percent(figures.hitRate)) (\(figures.intervalWords)) of \(members.grouped) members joined a \
                group of their list, \(Formats.percent(figures.popularHitRate)) a popular one\(old)
                """
        }
    }

    /// Returns the latest measurement of each version's lists, from the manifests of a store, oldest first.
    package static func qualities(in manifests: [Manifest]) -> [Quality] {
        let all = manifests.flatMap { $0.quality ?? [] }
        let latest = Dictionary(all.map { ($0.version, $0) }) { $1 }
        return latest.values.sorted { $0.version < $1.version }.suffix(Quality.versionLimit)
    }
}

/// Figures about the first groups of lists, `length` of each member; all are shares, 0 to 1.
package struct QualityFigures: Codable, Sendable, Equatable {
    /// The number of groups of each list that count.
    package static let length = 10

    /// The share of the members who joined one of the groups.
    package var hitRate: Double
    /// The bounds of the 95% interval of that share.
    package var hitRateLow, hitRateHigh: Double
    /// The share of the members who joined one of the most popular groups that they were not in.
    package var popularHitRate: Double
    /// The share of the version's groups that are in anybody's list.
    package var coverage: Double
    /// The share of all places in the lists that the most-shown hundredth of the groups takes.
    package var mostShown: Double
    /// The share of the members whose list is empty, or has no group for a reason of their own.
    package var impersonal: Double
    /// The mean share of a list that the next version's list for the same member at the same moment has, too.
    package var overlap: Double

    package init(
        hitRate: Double, interval: ClosedRange<Double>, popularHitRate: Double, coverage: Double, mostShown: Double,
        impersonal: Double, overlap: Double
    ) {
        (self.hitRate, hitRateLow, hitRateHigh) = (hitRate, interval.lowerBound, interval.upperBound)
        (self.popularHitRate, self.coverage, self.mostShown) = (popularHitRate, coverage, mostShown)
        (self.impersonal, self.overlap) = (impersonal, overlap)
    }

    /// The interval of the hit rate in words.
    package var intervalWords: String { "\(Formats.percent(hitRateLow)) to \(Formats.percent(hitRateHigh))" }

    /// All figures, with their names for metrics and for people.
    package static let all: [(name: String, title: String, value: any KeyPath<QualityFigures, Double> & Sendable)] = [
        ("hit_rate", "Members who joined a group of their list", \.hitRate),
        ("popular_hit_rate", "The same of the most popular groups", \.popularHitRate),
        ("coverage", "Groups in anybody's list", \.coverage),
        ("most_shown", "Places of the most-shown hundredth", \.mostShown),
        ("impersonal", "Members with an impersonal or empty list", \.impersonal),
        ("overlap", "The same in the next version", \.overlap),
    ]
}
