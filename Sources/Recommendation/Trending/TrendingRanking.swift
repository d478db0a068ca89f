import Glibc
public import Model

/// How many people turned to a group, week by week.
public struct WeeklyActivity: Sendable, Equatable {
    /// Different people who joined in a week: the last seven days first, then each seven days before.
    public var joiners: [UInt32]
    /// Different people who posted, in the same weeks.
    public var posters: [UInt32]

    /// Counts of as many weeks each.
    public init(joiners: [UInt32], posters: [UInt32]) {
        precondition(joiners.count == posters.count, "joiners and posters are of the same weeks")
        self.joiners = joiners
        self.posters = posters
    }

    /// Joiners and posters of the last seven days; somebody who did both counts twice.
    var recent: Double { Double(joiners.first ?? 0) + Double(posters.first ?? 0) }

    /// Joiners and posters of a week, as the mean of the weeks before the last seven days; 0 if there are none.
    var usualWeek: Double {
        let weeks = joiners.count - 1
        guard weeks > 0 else { return 0 }
        return
            (joiners.dropFirst().reduce(0.0) { $0 + Double($1) } + posters.dropFirst().reduce(0.0) { $0 + Double($1) })
            / Double(weeks)
    }
}

/// Which groups more people turn to than usual, each measured against itself.
///
/// Counts of people are taken for negative-binomial: of mean *m* and variance *m + φ m²*, since weeks of a large group differ
/// by more than chance, about a fifth (φ = .04). The transformation *f(x) = 2/√φ · asinh √(φ (x + ⅜))* makes their standard
/// deviation about 1 whatever the mean (F. J. Anscombe, "The transformation of Poisson, binomial and negative-binomial
/// data", Biometrika 35, 1948). The score of a week *x* after *w* weeks of mean *b* is therefore a number of standard deviations:
///
///     (f(x) − f(b)) / √(1 + 1/w)
///
/// It grows like the square root of small counts, so that nine people in a group that had none are much, and like the
/// logarithm of the ratio for large ones, so that a huge group must grow by half to be as remarkable. Weeks before a group
/// was founded count as weeks without anybody: it is new.
public struct TrendingRanking: Sendable, Equatable {
    /// The weeks before the last seven days that say what is usual.
    public static let usualWeeks = 8

    /// φ, above 0.
    public var dispersion = 0.04
    /// Fewer joiners and posters in the last seven days are chance (inclusive).
    public var minimumPeople = 3
    /// The score from which on a group trends, in standard deviations (inclusive).
    public var minimumScore = 2.0
    /// How many groups are listed at most.
    public var limit = 500

    /// The ranking with its usual parameters.
    public init() {}

    /// How unusual the last seven days of a group are, in standard deviations; negative if they are quieter than usual.
    public func score(_ activity: WeeklyActivity) -> Double {
        let weeks = Double(max(1, activity.joiners.count - 1))
        return (stabilized(activity.recent) - stabilized(activity.usualWeek)) / (1 + 1 / weeks).squareRoot()
    }

    private func stabilized(_ count: Double) -> Double {
        2 / dispersion.squareRoot() * asinh((dispersion * (count + 0.375)).squareRoot())
    }

    /// The groups that trend, best first; equal scores in ascending order of the index.
    ///
    /// - Parameter activity: of every group of a version, by its index.
    public func trending(_ activity: some Sequence<WeeklyActivity>) -> [TrendingGroup] {
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
