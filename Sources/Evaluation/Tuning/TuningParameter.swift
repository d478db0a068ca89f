import Glibc
import Similarity

/// What a tuning changes in the settings of a relation, one at a time.
enum TuningParameter: CaseIterable {
    case cut, degreeDiscount, sourceExponent, neighbourExponent, shrinkage, scorePower, listPower, ridgeShare,
        ridgePenalty, factorWeight, limit, weight

    /// The greatest exponent and discount that are tried.
    private static let greatestExponent = 2.0

    /// The settings after a step in one direction; nil if there is none.
    ///
    /// - Parameters:
    ///   - size: 1 for the largest step; choices without an order take part in large steps only.
    ///   - up: the direction.
    func step(from part: TunedSettings.Part, size: Double, up: Bool) -> TunedSettings.Part? {
        var next = part
        let sign = up ? size : -size
        switch self {
        case .cut:
            guard size == 1, up else { return nil }
            next.formula.cut = part.formula.cut == .source ? .target : .source
        case .degreeDiscount: add(0.3 * sign, to: &next.formula.degreeDiscount)
        case .sourceExponent: add(0.15 * sign, to: &next.formula.sourceExponent)
        case .neighbourExponent: add(0.15 * sign, to: &next.formula.neighbourExponent)
        case .shrinkage:
            // As a factor, but from 0 on.
            next.formula.shrinkage = rounded(max(0, (part.formula.shrinkage + 1) * exp2(1.5 * sign) - 1))
        case .scorePower:
            next.formula.scorePower = rounded(min(4, max(0.2, part.formula.scorePower * exp2(0.4 * sign))))
        case .listPower: next.formula.listPower = rounded(min(1, max(0, part.formula.listPower + 0.25 * sign)))
        case .ridgeShare:
            guard part.formula.cut == .target else { return nil }
            next.formula.ridgeShare = rounded(min(1, max(0, part.formula.ridgeShare + 0.3 * sign)))
        case .ridgePenalty:
            // Without a share nothing depends on it.
            guard part.formula.cut == .target, part.formula.ridgeShare > 0 else { return nil }
            next.formula.ridgePenalty = rounded(min(1024, max(0.25, part.formula.ridgePenalty * exp2(1.5 * sign))))
        case .factorWeight:
            guard part.formula.cut == .target else { return nil }
            next.formula.factorWeight = scaled(part.formula.factorWeight, sign, from: 0.25, to: 4)
        case .limit:
            guard size >= 0.5, let index = PairLists.limits.firstIndex(of: part.limit) else { return nil }
            let other = up ? index + 1 : index - 1
            guard PairLists.limits.indices.contains(other) else { return nil }
            next.limit = PairLists.limits[other]
        case .weight:
            next.weight = scaled(part.weight, sign, from: 0.25, to: 64)
        }
        return next == part ? nil : next
    }

    /// A weight after a step: as a factor, from `first` on if it was 0.
    private func scaled(_ weight: Double, _ sign: Double, from first: Double, to greatest: Double) -> Double {
        let scaled = weight > 0 ? weight * exp2(sign) : sign > 0 ? first : 0
        // Below 1/64 nothing is left of it.
        return scaled < 1.0 / 64 ? 0 : rounded(min(greatest, scaled))
    }

    private func add(_ step: Double, to value: inout Double) {
        value = rounded(min(Self.greatestExponent, max(0, value + step)))
    }

    /// To thousandths, so that the same settings are found again.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
