import Model

/// When something last happened in each group, by days: narrow enough to stay in the cache, found once a version.
struct ActivityColumn: Sendable {
    private let model: ModelVersion
    /// Days since 1970; the highest value if unknown.
    private let days: [UInt16]

    private static let unknown = UInt16.max
    private static let secondsInDay: Int64 = 86_400

    /// - Complexity: O(groups).
    init(_ model: ModelVersion) {
        self.model = model
        days = (0..<model.groupCount).map { group in model.lastActiveAt(of: group).map(Self.day) ?? Self.unknown }
    }

    /// The day of an instant; the first or last one that can be told if it lies outside.
    private static func day(_ seconds: Int64) -> UInt16 {
        UInt16(clamping: min(max(0, seconds) / secondsInDay, Int64(unknown) - 1))
    }

    /// An instant that something has to have happened at, or later.
    struct Cutoff {
        /// In Unix seconds.
        let seconds: Int64
        fileprivate let day: UInt16

        init(seconds: Int64) {
            self.seconds = seconds
            day = ActivityColumn.day(seconds)
        }
    }

    /// Whether something happened in a group late enough; unknown counts as active.
    @inline(__always)
    func isActive(_ group: UInt32, since cutoff: Cutoff) -> Bool {
        let day = days[Int(group)]
        guard day == cutoff.day else { return day > cutoff.day }
        return (model.lastActiveAt(of: Int(group)) ?? .max) >= cutoff.seconds
    }
}
