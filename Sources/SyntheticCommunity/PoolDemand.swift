/// How many groups an owner would like to post a photo to.
///
/// A photo is posted at all with a fixed probability. Then the number has a heavy tail (a shifted Pareto law with
/// exponent 3), stretched by a multiplier that is fitted to the number of entries aimed at.
struct PoolDemand {
    /// The most groups that a photo may be in, as on real sites; inclusive.
    static let limit = 60

    private let postedShare: Double
    private let multiplier: Double

    /// - Parameter entriesPerPhoto: the mean aimed at, over all photos, also those that are never posted.
    private init(entriesPerPhoto: Double, multiplier: Double) {
        postedShare = min(0.8, entriesPerPhoto * 0.75)
        self.multiplier = multiplier
    }

    /// Nobody posts anything.
    static let none = PoolDemand(entriesPerPhoto: 0, multiplier: 0)

    /// Fits the multiplier by bisection, so that a sample of photos gets the mean aimed at.
    ///
    /// - Parameters:
    ///   - entriesPerPhoto: the mean aimed at.
    ///   - sample: for each photo of a sample, how many groups would take it, and the random numbers that its pool
    ///     entries begin with.
    static func fitted(entriesPerPhoto: Double, sample: [(available: Int, random: EntityRandom)]) -> PoolDemand {
        let aim = entriesPerPhoto * Double(sample.count)
        var low = 0.0
        var high = 256.0
        for _ in 0..<24 {
            let middle = (low + high) / 2
            let demand = PoolDemand(entriesPerPhoto: entriesPerPhoto, multiplier: middle)
            let entries = sample.reduce(0) { sum, photo in
                var random = photo.random
                return sum + min(photo.available, demand.draw(&random))
            }
            if Double(entries) < aim { low = middle } else { high = middle }
        }
        return PoolDemand(entriesPerPhoto: entriesPerPhoto, multiplier: high)
    }

    /// Draws the number of groups for one photo.
    func draw(_ random: inout EntityRandom) -> Int {
        let isPosted = random.unit() < postedShare
        let excess = 1 / random.positiveUnit().squareRoot() - 1
        guard isPosted else { return 0 }
        return min(1 + Int(multiplier * min(excess, 1000)), Self.limit)
    }
}
