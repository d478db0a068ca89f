/// Whose turn it is: sequential Webster apportionment (Sainte-Laguë 1910) among weighted parties.
struct Turns {
    private let weights: [Double]
    private var taken: [Int]

    /// - Parameter weights: of the parties, 0 or more.
    init(weights: [Double]) {
        self.weights = weights
        taken = [Int](repeating: 0, count: weights.count)
    }

    /// The party of the largest claim, of equal ones the first; nil if none has anything left.
    ///
    /// - Parameter isPresent: whether a party has something left.
    func first(where isPresent: (Int) -> Bool) -> Int? {
        var best: (party: Int, claim: Double)?
        for party in weights.indices where isPresent(party) {
            let claim = weights[party] / Double(2 * taken[party] + 1)
            if claim > best?.claim ?? -1 { best = (party, claim) }
        }
        return best?.party
    }

    /// Notes that a party went.
    mutating func take(_ party: Int) { taken[party] += 1 }
}
