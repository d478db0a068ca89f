import Glibc

/// How many of the groups held out a list finds.
struct Accuracy {
    /// Hits in parts of the groups held out.
    let recall: Double
    /// Hits discounted by log₂ of their rank + 1, in parts of the best possible (Järvelin and Kekäläinen 2002).
    let gain: Double

    /// Of the first 20 of a list.
    ///
    /// - Parameters:
    ///   - heldOut: the groups that a list can find.
    ///   - heldOutCount: how many were held out in all, at least 1.
    init(of list: [UInt32], heldOut: [UInt32], heldOutCount: Int) {
        let wanted = Set(heldOut)
        var (hits, sum) = (0, 0.0)
        for (place, group) in list.prefix(20).enumerated() where wanted.contains(group) {
            hits += 1
            sum += 1 / log2(Double(place + 2))
        }
        let ideal = (0..<min(20, heldOutCount)).reduce(0) { $0 + 1 / log2(Double($1 + 2)) }
        recall = Double(hits) / Double(heldOutCount)
        gain = sum / ideal
    }
}
