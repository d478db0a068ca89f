import Glibc

/// The same question for who looks every day: false alarms stay below one in a thousand however often it is asked.
///
/// The members who came since the last look are compared under two assumptions: their arms have the given weights, or
/// any. The second is a Dirichlet distribution that learns from each row. (Lindon and Malek, "Anytime-Valid Inference
/// for Multinomial Count Data", 2022.)
public struct SequentialSampleRatio: Sendable {
    /// How many times more likely the counts must be with other weights for an alarm.
    public static let alarmFrom = 1000.0

    private let probabilities: [Double]
    private var concentrations: [Double]
    /// ln P(counts so far | any weights).
    public private(set) var logLikelihoodOfAny = 0.0
    /// ln P(counts so far | the given weights).
    public private(set) var logLikelihoodOfGiven = 0.0

    /// Begins without members.
    ///
    /// - Parameter weights: of each arm, above 0, in any unit.
    public init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        probabilities = weights.map { $0 / sum }
        concentrations = weights.map { _ in 1 }
    }

    /// Adds the members who came since the last row.
    ///
    /// - Parameter counts: of each arm.
    public mutating func add(_ counts: [Int]) {
        let row = counts.map(Double.init)
        let total = row.reduce(0, +)
        let logGamma = IncompleteFunctions.logGamma
        let coefficient = logGamma(total + 1) - row.reduce(0) { $0 + logGamma($1 + 1) }
        let mass = concentrations.reduce(0, +)
        logLikelihoodOfAny +=
            coefficient + logGamma(mass) - logGamma(mass + total)
            + zip(row, concentrations).reduce(0) { $0 + logGamma($1.0 + $1.1) - logGamma($1.1) }
        logLikelihoodOfGiven += coefficient + zip(row, probabilities).reduce(0) { $0 + $1.0 * log($1.1) }
        for index in row.indices { concentrations[index] += row[index] }
    }

    /// How many times more likely the counts are with other weights than with the given.
    public var evidence: Double { exp(logLikelihoodOfAny - logLikelihoodOfGiven) }
    /// Whether the arms' counts cannot be trusted.
    public var isAlarm: Bool { evidence >= Self.alarmFrom }
}
