import Glibc

/// The most pairs that rows keep, by their numbers of entries: C n^y, rounded, at least 1 and at most all other rows.
///
/// C is the greatest number with which all rows together may keep no more pairs than with the limit k for each.
package struct PairLimits: Sendable, Equatable {
    /// The factor C, which is k if the exponent y is 0.
    package let factor: Double
    private let exponent: Double
    private let most: Int

    /// Creates the limits of a version, from what its manifest has.
    ///
    /// - Parameter rows: the number of rows that count.
    package init(factor: Double, exponent: Double, rows: Int) {
        (self.factor, self.exponent, most) = (factor, exponent, max(0, rows - 1))
    }

    /// Finds the factor.
    ///
    /// - Parameter sizes: the numbers of entries of all rows; those below the minimum do not count.
    package init(_ parameters: SimilarityParameters, sizes: some Sequence<UInt32>) {
        let counts = Dictionary(
            sizes.lazy.filter { $0 >= parameters.minimumEntries }.map { (Int($0), 1) }, uniquingKeysWith: +)
        let rows = counts.values.reduce(0, +)
        let exponent = parameters.measure.limitExponent
        self.init(factor: Double(parameters.limit), exponent: exponent, rows: rows)
        guard exponent != 0 else { return }
        let total = rows * min(parameters.limit, most)
        var (low, high) = (0.0, Double(max(1, rows)))
        while case let middle = low + (high - low) / 2, low < middle, middle < high {
            let limits = PairLimits(factor: middle, exponent: exponent, rows: rows)
            let found = counts.reduce(0) { $0 + $1.value * limits.limit(ofSize: $1.key) }
            if found <= total { low = middle } else { high = middle }
        }
        self.init(factor: low, exponent: exponent, rows: rows)
    }

    /// Returns the most pairs of a row with `size` entries.
    package func limit(ofSize size: Int) -> Int {
        min(most, max(factor > 0 ? 1 : 0, Int((factor * pow(Double(size), exponent)).rounded())))
    }
}

extension SimilarityParameters.Measure {
    /// The exponent y of the size of a row in its limit; 0 for plain cosine.
    var limitExponent: Double { if case .modified(let family) = self { family.limitExponent } else { 0 } }
}
