/// What a report keeps of an arm's members: how many, and sums of what was measured of each.
public struct SampleSums: Sendable, Equatable {
    /// The number of members.
    public var count = 0
    /// Σy.
    public var sum = 0.0
    /// Σy².
    public var squares = 0.0

    /// Of nobody.
    public init() {}

    /// Of sums that were made elsewhere.
    public init(count: Int, sum: Double, squares: Double) {
        self.count = count
        self.sum = sum
        self.squares = squares
    }

    /// Adds a member.
    public mutating func add(_ value: Double) {
        count += 1
        sum += value
        squares += value * value
    }

    /// Replaces the value of a member who was added before.
    mutating func replace(_ old: Double, by new: Double) {
        sum += new - old
        squares += new * new - old * old
    }

    /// Σy ÷ n; 0 of nobody.
    public var mean: Double { count > 0 ? sum / Double(count) : 0 }
    /// (Σy² − (Σy)² ÷ n) ÷ (n − 1); 0 of fewer than two.
    public var variance: Double { Self.covariance(squares, sum, sum, count) }

    /// (Σxy − Σx·Σy ÷ n) ÷ (n − 1); 0 of fewer than two.
    static func covariance(_ products: Double, _ first: Double, _ second: Double, _ count: Int) -> Double {
        guard count > 1 else { return 0 }
        return (products - first * second / Double(count)) / Double(count - 1)
    }
}

/// Sums of two measures a member, y and x: a numerator and its denominator, or a measure and its value of earlier.
public struct PairedSums: Sendable, Equatable {
    /// The sums of y.
    public var measure = SampleSums()
    /// The sums of x, of the same members.
    public var companion = SampleSums()
    /// Σxy.
    public var products = 0.0

    /// Of nobody.
    public init() {}

    /// Of sums that were made elsewhere; both count the same members.
    public init(_ measure: SampleSums, _ companion: SampleSums, products: Double) {
        self.measure = measure
        self.companion = companion
        self.products = products
    }

    /// Adds a member.
    public mutating func add(_ value: Double, _ companion: Double) {
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

    /// The number of members.
    public var count: Int { measure.count }
    /// (Σxy − Σx·Σy ÷ n) ÷ (n − 1); 0 of fewer than two.
    public var covariance: Double { SampleSums.covariance(products, measure.sum, companion.sum, count) }

    /// The sums of the members of both.
    public static func + (first: PairedSums, second: PairedSums) -> PairedSums {
        PairedSums(
            first.measure + second.measure, first.companion + second.companion,
            products: first.products + second.products)
    }
}

extension SampleSums {
    /// The sums of the members of both.
    public static func + (first: SampleSums, second: SampleSums) -> SampleSums {
        SampleSums(
            count: first.count + second.count, sum: first.sum + second.sum, squares: first.squares + second.squares)
    }
}
