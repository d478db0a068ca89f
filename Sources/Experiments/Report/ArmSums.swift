/// The sums of all measures over the members of an arm, as the days pass.
struct ArmSums: Sendable {
    /// By measure: of a mean, the measure and the same of the weeks before; of a ratio, numerator and denominator.
    private(set) var sums: [Measure: PairedSums] = [:]
    /// The members.
    private(set) var count = 0

    init() {
        for measure in Measure.allCases { sums[measure] = PairedSums() }
    }

    /// Adds a member.
    ///
    /// - Parameters:
    ///   - totals: of each quantity so far.
    ///   - before: of the weeks before.
    mutating func add(_ totals: [Double], before: [Quantity: Double]) {
        count += 1
        for measure in Measure.allCases {
            let companion =
                measure.denominator.map { totals[$0.rawValue] } ?? before[measure.quantity] ?? 0
            sums[measure]?.add(totals[measure.quantity.rawValue], companion)
        }
    }

    /// Replaces the pair that a member has in a measure.
    mutating func replace(_ measure: Measure, _ old: (Double, Double), by new: (Double, Double)) {
        sums[measure]?.replace(old, by: new)
    }

    /// The mean of a measure, or the ratio.
    func mean(_ measure: Measure) -> ArmMean {
        let sums = sums[measure] ?? PairedSums()
        return measure.denominator == nil ? ArmMean(sums.measure) : ArmMean(ratioOf: sums)
    }
}

extension Effect {
    /// The difference of two arms in a measure; what the weeks before explain is taken out where members did the same
    /// then.
    ///
    /// - Returns: nil if it cannot be told yet.
    init?(_ measure: Measure, _ first: ArmSums, _ second: ArmSums, isRelative: Bool) {
        guard measure.hasBefore, let control = first.sums[measure], let other = second.sums[measure],
            (control + other).companion.variance > 0
        else {
            let means = (first.mean(measure), second.mean(measure))
            if isRelative { self.init(relative: means.0, means.1) } else { self.init(absolute: means.0, means.1) }
            return
        }
        if isRelative {
            self.init(adjustedRelative: control, other)
        } else {
            self.init(adjustedAbsolute: control, other)
        }
    }
}
