/// The amounts at which a member's totals are cut, so that a few members do not decide (winsorizing).
///
/// The quantile is chosen before the experiment. The amount at it follows from the members of all arms together, so the
/// cut favours no arm. (Dixon, "Simplified Estimation from Censored Normal Samples", 1960.)
package struct AmountCaps: Sendable, Equatable {
    /// The quantile, or 1 if nothing is capped.
    package let quantile: Double
    private var limits: [Double]
    private var limitsBefore: [Quantity: Double] = [:]

    package init() {
        quantile = 1
        limits = Array(repeating: .infinity, count: Quantity.allCases.count)
    }

    /// Creates the caps of some members.
    ///
    /// The cap of a quantity is the nearest-rank quantile over the members with more than 0 of it.
    ///
    /// - Parameters:
    ///   - quantile: the quantile, above 0 and at most 1.
    ///   - totals: the members' totals, by the number of the quantity.
    ///   - before: the members' totals of the weeks before.
    init(_ quantile: Double, totals: [[Double]], before: [[Quantity: Double]]) {
        self.init(quantile)
        guard quantile < 1 else { return }
        for quantity in Quantity.allCases {
            limits[quantity.rawValue] = Self.value(at: quantile, of: totals.map { $0[quantity.rawValue] })
            limitsBefore[quantity] = Self.value(at: quantile, of: before.map { $0[quantity] ?? 0 })
        }
    }

    private init(_ quantile: Double) {
        self.quantile = quantile
        limits = Array(repeating: .infinity, count: Quantity.allCases.count)
    }

    private static func value(at quantile: Double, of amounts: [Double]) -> Double {
        let active = amounts.filter { $0 > 0 }.sorted()
        guard !active.isEmpty else { return .infinity }
        let rank = Int((quantile * Double(active.count)).rounded(.up))
        return active[min(max(rank, 1), active.count) - 1]
    }

    /// The cap of a quantity; infinite if there is none.
    func limit(of quantity: Quantity) -> Double { limits[quantity.rawValue] }

    /// The cap of a measure, or of the denominator of a ratio; `nil` if there is none.
    package func limit(of measure: Measure) -> Double? {
        let limit = limit(of: measure.denominator ?? measure.quantity)
        return limit.isFinite ? limit : nil
    }

    /// Returns a member's pair of values in a measure: with the amount of the weeks before, or with the denominator.
    ///
    /// A ratio keeps its value, and counts as much as the capped denominator.
    func pair(_ measure: Measure, _ totals: [Double], _ before: [Quantity: Double]) -> (Double, Double) {
        let amount = totals[measure.quantity.rawValue]
        guard let denominator = measure.denominator else {
            let earlier = before[measure.quantity] ?? 0
            return (
                min(amount, limits[measure.quantity.rawValue]),
                min(earlier, limitsBefore[measure.quantity] ?? .infinity)
            )
        }
        return ratio(amount, totals[denominator.rawValue], of: denominator)
    }

    /// Returns a numerator and its denominator, both lowered so that the denominator is at most at its cap.
    func ratio(_ amount: Double, _ whole: Double, of denominator: Quantity) -> (Double, Double) {
        let limit = limits[denominator.rawValue]
        guard whole > limit else { return (amount, whole) }
        return (amount * limit / whole, limit)
    }
}
