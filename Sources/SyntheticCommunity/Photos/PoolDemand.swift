/// How many groups an owner would like to post a photo to.
///
/// A photo is posted at all with a fixed probability; then the number has a heavy tail (a shifted Pareto
/// law with exponent 3), stretched by a multiplier that was fitted to the number of entries aimed at.
struct PoolDemand {
    /// More groups per photo than this are not allowed, as on real sites.
    static let limit = 60

    private let postedShare: Double
    private let multiplier: Double

    /// - Parameter entriesPerPhoto: the mean aimed at, photos that are never posted included.
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
    ///   - sample: for photos that stand for all, the groups that would take them and the random numbers
    ///     that their pool entries begin with.
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
