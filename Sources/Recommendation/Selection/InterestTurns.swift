/// Whose turn it is: sequential Webster apportionment (Sainte-Laguë 1910) among weighted parties, with some slack.
struct InterestTurns {
    private let weights: [Double]
    private let slack: Double
    private var taken: [Int]
    /// Which parties may go, as of the last update.
    private(set) var mayGo: [Bool]

    /// - Parameters:
    ///   - weights: of the parties, 0 or more.
    ///   - slack: parties whose claim is at least this part of the largest may go; from 0 (all) to 1 (the largest only).
    init(weights: [Double], slack: Double) {
        self.weights = weights
        self.slack = slack
        taken = [Int](repeating: 0, count: weights.count)
        mayGo = [Bool](repeating: false, count: weights.count)
    }

    private func claim(_ party: Int) -> Double { weights[party] / Double(2 * taken[party] + 1) }

    /// Finds out which parties may go now.
    ///
    /// - Parameter isPresent: whether a party has something left.
    mutating func update(where isPresent: (Int) -> Bool) {
        var largest = 0.0
        for party in weights.indices where isPresent(party) { largest = max(largest, claim(party)) }
        for party in weights.indices { mayGo[party] = isPresent(party) && claim(party) >= slack * largest }
    }

    /// The first party that may go now; nil if none has anything left.
    mutating func first(where isPresent: (Int) -> Bool) -> Int? {
        update(where: isPresent)
        return mayGo.firstIndex(of: true)
    }

    /// Notes that a party went.
    mutating func take(_ party: Int) { taken[party] += 1 }
}
