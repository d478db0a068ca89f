/// The members who make most of what is measured.
enum Dominance {
    /// The part of the sum of squares that one member may have.
    private static let greatestPart = 0.05
    /// The multiple of the median of those with any amount that makes a member suspicious.
    private static let leastMultiple = 10.0
    private static let namedLimit = 5

    /// Returns the indexes of members with a tenfold amount who alone make a twentieth of the spread, the greatest
    /// first.
    static func members(_ amounts: [Double]) -> [Int] {
        let squares = amounts.reduce(0) { $0 + $1 * $1 }
        let active = amounts.count { $0 > 0 }
        guard active > 0 else { return [] }
        // A few bots raise the mean to their own height, and not the median.
        let middle = amounts.filter { $0 > 0 }.sorted()[active / 2]
        return amounts.indices.filter {
            amounts[$0] * amounts[$0] > greatestPart * squares && amounts[$0] >= leastMultiple * middle
        }.sorted { amounts[$0] != amounts[$1] ? amounts[$0] > amounts[$1] : $0 < $1 }
    }

    /// Returns the check of a measure's quantity: raw amounts are named, and capped amounts must not dominate.
    static func check(
        _ measure: Measure, _ outcomes: [MemberOutcome], _ totals: [[Double]], _ caps: AmountCaps
    ) -> ExperimentCheck {
        let amounts = totals.map { $0[measure.quantity.rawValue] }
        let limit = caps.limit(of: measure.quantity)
        let found = members(amounts)
        let named = found.prefix(namedLimit).map { "\(outcomes[$0].memberID) \(Int(amounts[$0]))" }
        let cut = amounts.count { $0 > limit }
        var seen = found.isEmpty ? "none" : named.joined(separator: ", ")
        if found.count > namedLimit { seen += " and \(found.count - namedLimit) more" }
        if cut > 0 { seen += "; \(cut) capped at \(Int(limit))" }
        let expected =
            caps.quantile < 1 ? "none beyond the cap, quantile \(caps.quantile)" : "none; nothing is capped"
        let isDecisive = !members(amounts.map { min($0, limit) }).isEmpty
        return ExperimentCheck(
            "members who dominate \(measure.rawValue)", seen: seen, expected: expected,
            isDecisive ? .alarm : found.isEmpty ? .good : .note)
    }
}

extension ListSource {
    /// Returns the check of versions and settings: all arms must have the same, and settings must not change.
    ///
    /// Every recompute makes a version, so a version may change for all arms. But the plan is about arms of certain
    /// settings: with others in between, a report would be about a mixture of both.
    static func check(_ sources: [ListSource], _ arms: [String]) -> ExperimentCheck {
        let versions = Set(sources.compactMap(\.version)).count
        let settings = Set(sources.map { $0.settings ?? "" }).count
        let isMixed = isMixed(sources)
        var seen = "\(max(1, versions)) versions, \(max(1, settings)) settings of lists"
        if settings > 1 {
            let days = Set(sources.map(\.firstDay)).sorted().dropFirst()
            seen +=
                days.isEmpty ? " side by side" : ", changed on day " + days.map { "\($0 + 1)" }.joined(separator: ", ")
        }
        if isMixed { seen += "; so each arm is a mixture" }
        let uneven = sources.count > 1 && arms.count > 1 && isUneven(sources, arms.count)
        if uneven {
            seen +=
                "; members of arms were not shown the same: "
                + sources.map { source in
                    "\(source.version ?? "")\(source.settings.map { " \($0.prefix(6))" } ?? "")"
                        + " \(source.memberCounts.map(String.init).joined(separator: "/"))"
                }.joined(separator: ", ")
        }
        return ExperimentCheck(
            "versions and settings", seen: seen, expected: "the same for all arms at any time, and the same settings",
            uneven || isMixed ? .alarm : settings > 1 ? .note : .good)
    }

    /// Whether many members were shown lists of other settings than most were; unknown settings do not count.
    private static func isMixed(_ sources: [ListSource]) -> Bool {
        var counts: [String: Int] = [:]
        for source in sources {
            guard let settings = source.settings else { continue }
            counts[settings, default: 0] += source.memberCounts.reduce(0, +)
        }
        let (all, most) = (counts.values.reduce(0, +), counts.values.max() ?? 0)
        return Double(all - most) > leastDistance * Double(all)
    }

    /// Whether the arms' members are spread over the sources unlike one another, by Pearson's χ² test.
    private static func isUneven(_ sources: [ListSource], _ armCount: Int) -> Bool {
        let rows = sources.map(\.memberCounts)
        let columns = (0..<armCount).map { arm in rows.reduce(0) { $0 + $1[arm] } }
        let total = columns.reduce(0, +)
        guard total > 0 else { return false }
        var statistic = 0.0
        var isFar = false
        for row in rows {
            let size = row.reduce(0, +)
            for (arm, count) in row.enumerated() where columns[arm] > 0 && size > 0 {
                let expected = Double(size) * Double(columns[arm]) / Double(total)
                statistic += (Double(count) - expected) * (Double(count) - expected) / expected
                let distance = Double(count) / Double(columns[arm]) - Double(size) / Double(total)
                if abs(distance) > leastDistance { isFar = true }
            }
        }
        let freedom = (rows.count - 1) * (columns.count { $0 > 0 } - 1)
        // The test is repeated with every look, and only great differences matter.
        return isFar && freedom > 0
            && ChiSquaredDistribution.upperTail(statistic, degreesOfFreedom: freedom) < alarmBelow
    }

    private static let leastDistance = 0.05
    private static let alarmBelow = 1e-5
}
