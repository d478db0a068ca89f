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
        return (0..<rankCount).map { rank in
            let entries = prepared.offsets[rank]..<prepared.offsets[rank + 1]
            var degrees = 0.0
            for entry in entries {
                let column = Int(prepared.columns[entry])
                if let degree = prepared.degrees?[column] {
                    degrees += min(Double(degree), most)
                } else if let single {
                    let isBitmap = UInt32(column) & Block.bitmapFlag != 0
                    degrees += isBitmap ? most : Double(single.lists[column])
                }
            }
            return perRank + perEntry * Double(entries.count) + scale * 0.6 * degrees
        }
    }
}
