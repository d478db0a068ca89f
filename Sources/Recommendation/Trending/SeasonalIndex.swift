package import Model

/// The activity in a group or in the whole community, month by month.
package struct MonthlyActivity: Sendable, Equatable {
    /// The number of members who joined in each month, the earliest month first.
    package var joins: [UInt32]
    /// The number of photos added in the same months.
    package var photos: [UInt32]

    package init(joins: [UInt32], photos: [UInt32]) {
        precondition(joins.count == photos.count, "joins and photos cover the same months")
        self.joins = joins
        self.photos = photos
    }
}

/// The months of the year in which a group is busier than on average, learned from past years.
///
/// The method is the ratio to moving average, the classical decomposition (R. J. Hyndman, G. Athanasopoulos,
/// "Forecasting: Principles and Practice", 3rd ed., §3.4), relative to the community.
///
/// A group has *c(t)* events in month *t*, the community *C(t)*. Their centred means over twelve months (2 × 12) are
/// *m* and *M*. The expected number of the group's events is then
///
///     e(t) = m(t) · C(t) / M(t)
///
/// So a season of the group comes neither from growth, nor from the seasons of the whole community.
///
/// The factor of a calendar month is *(Σc + κ) / (Σe + κ)* over its years. Joins and photos are summed before they are
/// compared. With little evidence, *κ* moves the factor towards 1.
///
/// One burst is not a season: with several years, a peak counts only as far as it remains without its best year.
package struct SeasonalIndex: Sendable {
    /// The least number of months: two years, for a centred mean of every calendar month.
    package static let minimumMonths = 24
    /// κ, in events.
    package static let shrinkage = 20.0

    private let community: MonthlyActivity
    private let joinLevels: [Double]
    private let photoLevels: [Double]
    private let firstMonth: Int

    /// Creates the index for a community, or `nil` if there are fewer than `minimumMonths`.
    ///
    /// - Parameters:
    ///   - community: the sums over all groups, in whole months.
    ///   - firstMonth: the calendar month of the first of them, 0 for January to 11.
    package init?(community: MonthlyActivity, firstMonth: Int) {
        guard community.joins.count >= Self.minimumMonths else { return nil }
        self.community = community
        self.firstMonth = firstMonth
        joinLevels = Self.centredMeans(community.joins)
        photoLevels = Self.centredMeans(community.photos)
    }

    /// Returns the mean of the twelve months around each month, except the first six and the last six.
    ///
    /// Each mean spans thirteen months; the two outermost count half.
    static func centredMeans(_ counts: [UInt32]) -> [Double] {
        (6..<max(6, counts.count - 6)).map { month in
            let ends = Double(counts[month - 6]) + Double(counts[month + 6])
            return (counts[(month - 5)...(month + 5)].reduce(ends / 2) { $0 + Double($1) }) / 12
        }
    }

    /// Returns the factors of a group, whose activity covers the same months as the community's.
    package func factors(of group: MonthlyActivity) -> SeasonalFactors {
        var years: [[(seen: Double, expected: Double)]] = Array(repeating: [], count: 12)
        let joins = Self.centredMeans(group.joins)
        let photos = Self.centredMeans(group.photos)
        for position in joins.indices {
            let month = position + 6
            let expectedJoins =
                joinLevels[position] > 0 ? joins[position] * Double(community.joins[month]) / joinLevels[position] : 0
            let expectedPhotos =
                photoLevels[position] > 0
                ? photos[position] * Double(community.photos[month]) / photoLevels[position] : 0
            years[(firstMonth + month) % 12].append(
                (Double(group.joins[month]) + Double(group.photos[month]), expectedJoins + expectedPhotos))
        }
        return SeasonalFactors(percent: years.map { UInt8(clamping: Int((100 * Self.factor($0)).rounded())) })
    }

    /// Returns the factor of a calendar month from the observed and the expected events of each year.
    static func factor(_ years: [(seen: Double, expected: Double)]) -> Double {
        func ratio(_ years: some Sequence<(seen: Double, expected: Double)>) -> Double {
            let sums = years.reduce((seen: 0.0, expected: 0.0)) { ($0.seen + $1.seen, $0.expected + $1.expected) }
            return (sums.seen + shrinkage) / (sums.expected + shrinkage)
        }
        let all = ratio(years)
        let others = years.sorted { ratio([$0]) < ratio([$1]) }.dropLast()
        guard all > 1, !others.isEmpty else { return all }
        return max(1, min(all, ratio(others)))
    }
}

/// The seasonal factors of all groups, in percent, month after month.
///
/// All values that one list reads lie close together and stay in the cache. A version needs one table.
struct SeasonColumns: Sendable {
    private static let monthCount = 12
    private let groupCount: Int
    private let percents: [UInt8]

    /// Reads the seasonal factors of all groups.
    ///
    /// - Complexity: O(groups).
    init(_ model: VisibleModel) {
        let groupCount = model.groupCount
        self.groupCount = groupCount
        var percents = [UInt8](repeating: 100, count: Self.monthCount * groupCount)
        for group in 0..<groupCount {
            for month in 0..<Self.monthCount {
                percents[month * groupCount + group] = model.seasonalPercent(of: group, month: month)
            }
        }
        self.percents = percents
    }

    /// Returns the activity of a group in a month, in percent of its average.
    ///
    /// - Parameter month: 0 for January to 11.
    @inline(__always)
    func percent(of group: UInt32, month: Int) -> UInt8 {
        precondition(group < groupCount, "no group \(group) of \(groupCount)")
        return percents[month * groupCount + Int(group)]
    }
}
