import Model

/// What the season multiplies scores by, month after month.
///
/// What one list reads lies close together, and stays in the cache. Made once a version.
struct SeasonColumns: Sendable {
    private static let monthCount = 12
    private let groupCount: Int
    private let percents: [UInt8]

    /// - Complexity: O(groups).
    init(_ model: VisibleModel) {
        let groupCount = model.groupCount
        self.groupCount = groupCount
        var percents = [UInt8](repeating: 100, count: Self.monthCount * groupCount)
        for group in 0..<groupCount {
            for month in 0..<Self.monthCount {
                percents[month * groupCount + group] = model.seasonalPercent(of: group, month: month)
            }
        }
        self.percents = percents
    }

    /// How much busier than on average a group is in a month, in percent.
    ///
    /// - Parameter month: 0 for January to 11.
    @inline(__always)
    func percent(of group: UInt32, month: Int) -> UInt8 {
        precondition(group < groupCount, "no group \(group) of \(groupCount)")
        return percents[month * groupCount + Int(group)]
    }
}
