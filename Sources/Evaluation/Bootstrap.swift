/// Intervals of means from samples of members, drawn with replacement (Efron 1979).
///
/// All lists have the same samples, so that differences between them are paired.
struct Bootstrap {
    /// By list and sample.
    private let means: [[Double]]

    /// - Parameter values: by list and member.
    init(_ values: [[Double]], samples: Int) {
        let count = values.first?.count ?? 0
        var means = [[Double]](repeating: [], count: values.count)
        // The same samples in every run (SplitMix64; Steele, Lea, Flood 2014).
        var state: UInt64 = 1
        var chosen = [Int](repeating: 0, count: count)
        for _ in 0..<(count > 0 ? samples : 0) {
            for index in chosen.indices {
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                chosen[index] = Int((mixed ^ (mixed >> 31)) % UInt64(count))
            }
            for list in values.indices {
                means[list].append(chosen.reduce(0) { $0 + values[list][$1] } / Double(count))
            }
        }
        self.means = means
    }

    func interval(of list: Int) -> ClosedRange<Double> { interval(means[list]) }

    func interval(of list: Int, minus other: Int) -> ClosedRange<Double> {
        interval(zip(means[list], means[other]).map { $0 - $1 })
    }

    /// The middle 95%.
    private func interval(_ samples: [Double]) -> ClosedRange<Double> {
        let sorted = samples.sorted()
        guard let last = sorted.indices.last else { return 0...0 }
        let margin = Double(last) * 0.025
        return sorted[Int(margin.rounded())]...sorted[Int((Double(last) - margin).rounded())]
    }
}
