import Synchronization

/// Tables with a number for each group of a model: where the group stands in a list that is being made.
///
/// Looking a group up is one access to memory. A table is filled once and used again and again, since filling it would
/// take longer than most lists: whoever uses it leaves it as it was. There are as many as are used at once.
final class GroupPlaces: Sendable {
    /// Stands for no place.
    static let none = UInt32.max

    private let groupCount: Int
    private let unused = Mutex<[[UInt32]]>([])

    init(groupCount: Int) { self.groupCount = groupCount }

    /// Calls `body` with a table of which every place is `none`, and must be so again in the end.
    func using<Result>(_ body: (inout [UInt32]) -> Result) -> Result {
        var places =
            unused.withLock { $0.popLast() } ?? [UInt32](repeating: Self.none, count: groupCount)
        let result = body(&places)
        unused.withLock { $0.append(places) }
        return result
    }
}
