/// The number of an arm's members, and the sums of their values in a measure.
package struct SampleSums: Sendable, Equatable {
    /// The number of members.
    package var count = 0
    /// Σy.
    package var sum = 0.0
    /// Σy².
    package var squares = 0.0

    package init() {}

    package init(count: Int, sum: Double, squares: Double) {
        self.count = count
        self.sum = sum
        self.squares = squares
    }

    /// Adds a member's value.
    package mutating func add(_ value: Double) {
        count += 1
        sum += value
        squares += value * value
    }

    /// Replaces the value of a member who was added before.
    mutating func replace(_ old: Double, by new: Double) {
        sum += new - old
        squares += new * new - old * old
    }

    /// The mean Σy ÷ n, or 0 without members.
    package var mean: Double { count > 0 ? sum / Double(count) : 0 }
    /// The variance (Σy² − (Σy)² ÷ n) ÷ (n − 1), or 0 with fewer than two members.
    package var variance: Double { Self.covariance(squares, sum, sum, count) }

    /// Returns the covariance (Σxy − Σx·Σy ÷ n) ÷ (n − 1), or 0 with fewer than two members.
    static func covariance(_ products: Double, _ first: Double, _ second: Double, _ count: Int) -> Double {
        guard count > 1 else { return 0 }
        return (products - first * second / Double(count)) / Double(count - 1)
    }
}

/// The sums of two values a member, y and x: a numerator and its denominator, or a measure and its earlier value.
package struct PairedSums: Sendable, Equatable {
    package var measure = SampleSums()
    /// The sums of x, over the same members.
    package var companion = SampleSums()
    /// Σxy.
    package var products = 0.0

    package init() {}

    /// Creates sums that were computed elsewhere; both must count the same members.
    package init(_ measure: SampleSums, _ companion: SampleSums, products: Double) {
        self.measure = measure
        self.companion = companion
        self.products = products
    }

    /// Adds a member's values.
    package mutating func add(_ value: Double, _ companion: Double) {
        measure.add(value)
        self.companion.add(companion)
        products += value * companion
    }

    /// Replaces the values of a member who was added before.
    mutating func replace(_ old: (Double, Double), by new: (Double, Double)) {
        measure.replace(old.0, by: new.0)
        companion.replace(old.1, by: new.1)
        products += new.0 * new.1 - old.0 * old.1
    }

    package var count: Int { measure.count }
    /// The covariance (Σxy − Σx·Σy ÷ n) ÷ (n − 1), or 0 with fewer than two members.
    package var covariance: Double { SampleSums.covariance(products, measure.sum, companion.sum, count) }

    /// Returns the sums over the members of both.
    package static func + (first: PairedSums, second: PairedSums) -> PairedSums {
        PairedSums(
            first.measure + second.measure, first.companion + second.companion,
            products: first.products + second.products)
    }
}

extension SampleSums {
    /// Returns the sums over the members of both.
    package static func + (first: SampleSums, second: SampleSums) -> SampleSums {
        SampleSums(
            count: first.count + second.count, sum: first.sum + second.sum, squares: first.squares + second.squares)
    }
}
