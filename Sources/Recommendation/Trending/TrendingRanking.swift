import Glibc
package import Model

/// The numbers of people who joined a group or posted to it, week by week.
package struct WeeklyActivity: Sendable, Equatable {
    /// The people who joined in each week: the last seven days first, then the seven days before, and so on.
    package var joiners: [UInt32]
    /// The people who posted in the same weeks.
    package var posters: [UInt32]

    package init(joiners: [UInt32], posters: [UInt32]) {
        precondition(joiners.count == posters.count, "joiners and posters cover the same weeks")
        self.joiners = joiners
        self.posters = posters
    }

    /// The joiners and posters of the last seven days; a person who did both counts twice.
    var recent: Double { Double(joiners.first ?? 0) + Double(posters.first ?? 0) }

    /// The mean of joiners and posters over the weeks before the last seven days; 0 without such weeks.
    var usualWeek: Double {
        let weeks = joiners.count - 1
        guard weeks > 0 else { return 0 }
        return
            (joiners.dropFirst().reduce(0.0) { $0 + Double($1) } + posters.dropFirst().reduce(0.0) { $0 + Double($1) })
            / Double(weeks)
    }
}

/// The groups in which more people joined and posted than usual, each compared with its own past.
///
/// Counts of people are modelled as negative-binomial, with mean *m* and variance *m + φ m²*. The weeks of a large
/// group vary by about a fifth beyond chance, hence *φ* = .04. The transformation
///
///     f(x) = 2/√φ · asinh √(φ (x + ⅜))
///
/// makes their standard deviation about 1 whatever the mean (F. J. Anscombe, "The transformation of Poisson, binomial
/// and negative-binomial data", Biometrika 35, 1948).
///
/// The score of a week *x* after *w* weeks of mean *b* is therefore a number of standard deviations:
///
///     (f(x) − f(b)) / √(1 + 1/w)
///
/// For small counts the score grows like their square root: nine people are many in a group that usually has none. For
/// large counts it grows like the logarithm of the ratio: a huge group must grow by half for the same score. Weeks
/// before a group was founded count as weeks without people.
package struct TrendingRanking: Sendable, Equatable {
    /// The number of weeks before the last seven days that define the usual activity.
    package static let usualWeeks = 8

    /// φ, above 0.
    package var dispersion = 0.04
    /// The least number of joiners and posters in the last seven days (inclusive); fewer may be chance.
    package var minimumPeople = 3
    /// The least score of a trending group, in standard deviations (inclusive).
    package var minimumScore = 2.0
    /// The greatest number of groups in the ranking.
    package var limit = 500

    package init() {}

    /// Returns the deviation of the last seven days from usual, in standard deviations; negative if they are quieter.
    package func score(_ activity: WeeklyActivity) -> Double {
        let weeks = Double(max(1, activity.joiners.count - 1))
        return (stabilized(activity.recent) - stabilized(activity.usualWeek)) / (1 + 1 / weeks).squareRoot()
    }

    private func stabilized(_ count: Double) -> Double {
        2 / dispersion.squareRoot() * asinh((dispersion * (count + 0.375)).squareRoot())
    }

    /// Returns the groups that trend, best first; equal scores in ascending order of the index.
    ///
    /// - Parameter activity: the activity of every group of a version, by the group's index.
    package func trending(_ activity: some Sequence<WeeklyActivity>) -> [TrendingGroup] {
        var groups: [TrendingGroup] = []
        for (index, weeks) in activity.enumerated() where weeks.recent >= Double(minimumPeople) {
            let score = score(weeks)
            guard score >= minimumScore else { continue }
            groups.append(
                TrendingGroup(
                    group: UInt32(index), score: Float(score), joiners: weeks.joiners[0], posters: weeks.posters[0],
                    usualWeek: Float(weeks.usualWeek)))
        }
        groups.sort { $0.score != $1.score ? $0.score > $1.score : $0.group < $1.group }
        return Array(groups.prefix(limit))
    }
}
