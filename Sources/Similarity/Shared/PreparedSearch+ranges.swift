extension PreparedSearch {
    /// Cuts the ranks into ranges that take about as long.
    ///
    /// What a rank costs is nearly the sum of d(u) over its columns u, each of which is in d(u) rows: Σ d² over all.
    ///
    /// A rank is not divided. So that one that costs much is not the part for which all others wait, there are fewer
    /// parts then: none costs more than three halves of its share.
    ///
    /// - Parameter count: how many are wanted, 1 or more.
    public func ranges(count: Int) -> [Range<Int>] {
        let costs = self.costs()
        guard let most = costs.max() else { return [] }
        let total = costs.reduce(0, +)
        let share = total / max(1, min(Double(count), (total / most / 2).rounded(.down)))
        var ranges: [Range<Int>] = []
        var (start, sum) = (0, 0.0)
        for rank in costs.indices {
            sum += costs[rank]
            // The end is where it is nearest to the sum of the shares.
            let next = rank + 1 < costs.count ? costs[rank + 1] : .infinity
            if rank + 1 == costs.count || sum + next / 2 > share * Double(ranges.count + 1) {
                ranges.append(start..<rank + 1)
                start = rank + 1
            }
        }
        return ranges
    }

    /// By rank, roughly nanoseconds of one core.
    func costs() -> [Double] {
        let scale = parameters.measure == .cosine ? 0.25 : 1
        let perRank = scale * 1.2 * Double(rankCount)
        let perEntry = scale * 6 * Double(prepared.blocks.count)
        // A bitmap costs the same for any number of targets.
        let most = prepared.blocks.reduce(0.0) { $0 + min(Double($1.bitmapMinimum), Double($1.ranks.count)) }
        let single = prepared.degrees == nil ? prepared.blocks.first : nil
        let lightDegree = meanLightDegree
        return (0..<rankCount).map { rank in
            let entries = prepared.offsets[rank]..<prepared.offsets[rank + 1]
            var degrees = 0.0
            if let single {
                for entry in entries {
                    let descriptor = prepared.columns[entry]
                    let isBitmap = descriptor & Block.bitmapFlag != 0
                    degrees += isBitmap ? most : Double(single.lists[Int(descriptor)])
                }
            } else if let heavyDegrees = prepared.degrees, let heavyEnd = prepared.heavyEnds?[rank] {
                for entry in entries.lowerBound..<heavyEnd {
                    degrees += min(Double(heavyDegrees[Int(prepared.columns[entry])]), most)
                }
                degrees += Double(entries.upperBound - heavyEnd) * lightDegree
            }
            return perRank + perEntry * Double(entries.count) + scale * 0.6 * degrees
        }
    }

    /// Of the entries in light columns, how many ranks a column is in, as a mean: Σ d² / Σ d.
    private var meanLightDegree: Double {
        guard let degrees = prepared.degrees else { return 0 }
        var (entries, increments) = (Double(prepared.columns.count), prepared.increments)
        for column in 0..<degrees.count {
            entries -= Double(degrees[column])
            increments -= Double(degrees[column]) * Double(degrees[column])
        }
        return entries > 0 ? increments / entries : 0
    }
}
