/// How far a new version may be from the current one and still take its place by itself.
///
/// All are shares, 0...1. What there are fewer than 20 of is not judged: of a few groups, one is a large share.
public struct GateLimits: Sendable, Equatable {
    /// Groups, members and entries (memberships, photos in pools) of the current version that may be gone.
    public var lost: Double
    /// Groups with neighbours that may be left without any, in one relation.
    public var emptied: Double
    /// How much of the 10 best neighbours must be the same, the mean over groups.
    public var overlap: Double
    /// How far scores may move, relative to what they were.
    public var drift: Double

    /// Limits; the defaults let a community change a lot in a week, and stop a broken import.
    public init(lost: Double = 0.1, emptied: Double = 0.1, overlap: Double = 0.5, drift: Double = 0.5) {
        self.lost = lost
        self.emptied = emptied
        self.overlap = overlap
        self.drift = drift
    }
}
