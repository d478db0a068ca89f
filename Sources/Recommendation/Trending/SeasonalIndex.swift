public import Model

/// Activity month by month, in a group or in the whole community.
public struct MonthlyActivity: Sendable, Equatable {
    /// Members who joined in each month, the earliest first.
    public var joins: [UInt32]
    /// Photos added in the same months.
    public var photos: [UInt32]

    /// Counts of as many months each.
    public init(joins: [UInt32], photos: [UInt32]) {
        precondition(joins.count == photos.count, "joins and photos cover the same months")
        self.joins = joins
        self.photos = photos
    }
}

/// The months of the year in which a group is busier than on average, learned from past years.
///
/// Ratio to moving average, the classical decomposition (R. J. Hyndman, G. Athanasopoulos, "Forecasting: Principles and
/// Practice", 3rd ed., §3.4), relative to the community: for a group with *c(t)* events in month *t*, in a community
/// with *C(t)*, one expects
///
///     e(t) = m(t) · C(t) / M(t)
///
/// where *m* and *M* are their centred means over twelve months (2 × 12). So neither the growth of the group or the
/// community, nor the seasons of the whole community, make a season of the group. The factor of a calendar month is
/// *(Σc + κ) / (Σe + κ)* over its years, joins and photos together; κ moves the factor towards 1 when there is little
/// evidence. With several years, a peak counts only as far as it remains without its best year: one burst is not a
/// season.
public struct SeasonalIndex: Sendable {
    /// The least number of months: two years, for a centred mean of every calendar month.
    public static let minimumMonths = 24
    /// κ, in events.
    public static let shrinkage = 20.0

    private let community: MonthlyActivity
    private let joinLevels: [Double]
    private let photoLevels: [Double]
    private let firstMonth: Int

    /// The index for a community.
    ///
    /// - Parameters:
    ///   - community: the sums over all groups, in whole months.
    ///   - firstMonth: the calendar month of the first of them, 0 for January to 11.
    /// - Returns: nil if there are fewer than `minimumMonths`.
    public init?(community: MonthlyActivity, firstMonth: Int) {
        guard community.joins.count >= Self.minimumMonths else { return nil }
        self.community = community
        self.firstMonth = firstMonth
        joinLevels = Self.centredMeans(community.joins)
        photoLevels = Self.centredMeans(community.photos)
    }

    /// The mean of the twelve months around each month, with half of the two outermost; not for the first and the last
    /// six.
    static func centredMeans(_ counts: [UInt32]) -> [Double] {
        (6..<max(6, counts.count - 6)).map { month in
            let ends = Double(counts[month - 6]) + Double(counts[month + 6])
            return (counts[(month - 5)...(month + 5)].reduce(ends / 2) { $0 + Double($1) }) / 12
        }
    }

    /// The factors of a group, whose activity covers the same months as the community's.
    public func factors(of group: MonthlyActivity) -> SeasonalFactors {
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

    /// The factor of a calendar month from the observed and the expected events of each year.
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

/// What the season multiplies scores by, month after month.
///
/// What one list reads lies close together, and stays in the cache. Made once a version.
struct SeasonColumns: Sendable {
    private static let monthCount = 12
    private let groupCount: Int
    private let percents: [UInt8]

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

    /// How much busier than on average a group is in a month, in percent.
    ///
    /// - Parameter month: 0 for January to 11.
    @inline(__always)
    func percent(of group: UInt32, month: Int) -> UInt8 {
        precondition(group < groupCount, "no group \(group) of \(groupCount)")
        return percents[month * groupCount + Int(group)]
    }
}
