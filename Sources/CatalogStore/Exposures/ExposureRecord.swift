/// A page of a list that was shown to a member of an experiment, however often that was on one day.
///
/// Equal pages of a day add up to one record, so that reloading a page costs no room.
public struct ExposureRecord: Sendable, Equatable, Codable {
    /// The experiment's name.
    public var experiment: String
    /// The arm that the list was made for.
    public var arm: String
    /// The list.
    public var recommendationID: String
    /// The rank of the first group of the page, from 1.
    public var firstPosition: Int
    /// How many groups the page had; 0 for an empty list.
    public var shownCount: Int
    /// What the client asked of the groups, as text; empty for nothing.
    public var filters: String
    /// Which list each group of the page is credited to, a character a group: 1, 2, or - for neither; nil unless the
    /// list is drafted from two.
    public var teams: String?
    /// How often it was shown, 1 or more.
    public var times: Int
    /// When it was shown first and last, in Unix milliseconds; on one day of UTC.
    public var firstAtMilliseconds, lastAtMilliseconds: Int64
    /// How long making the answers took, all together; nil if that is not known, as of older programs.
    public var microseconds: Int64?

    /// A page that was shown once.
    public init(
        experiment: String, arm: String, recommendationID: String, firstPosition: Int, shownCount: Int,
        filters: String, atMilliseconds instant: Int64, microseconds: Int64? = nil
    ) {
        self.experiment = experiment
        self.arm = arm
        self.recommendationID = recommendationID
        self.firstPosition = firstPosition
        self.shownCount = shownCount
        self.filters = filters
        times = 1
        firstAtMilliseconds = instant
        lastAtMilliseconds = instant
        self.microseconds = microseconds
    }

    /// Adds the same page of the same day, shown again.
    public mutating func add(_ other: ExposureRecord) {
        times += other.times
        firstAtMilliseconds = min(firstAtMilliseconds, other.firstAtMilliseconds)
        lastAtMilliseconds = max(lastAtMilliseconds, other.lastAtMilliseconds)
        microseconds = if let microseconds, let others = other.microseconds { microseconds + others } else { nil }
    }

    /// The day of UTC, in days since 1970.
    var day: Int64 { firstAtMilliseconds / 86_400_000 }
}
