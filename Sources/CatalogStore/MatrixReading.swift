public import SparseMatrix

/// A matrix, groups × users or groups × photos, and what was left out of it.
public struct MatrixReading: Sendable {
    /// A row per shown group, in ascending order of the bytes of the external ids.
    ///
    /// Columns are numbers of users or photos that are valid in this snapshot only.
    public var matrix: BinaryMatrix
    /// Entries left out because the group is private or hidden.
    public var entriesOfPrivateGroups: Int
    /// Entries of shown groups left out because the photo is private.
    public var entriesOfPrivatePhotos: Int
    /// The dates of the entries, as far as they are known.
    public var dates: EventDates
    /// What was kept of the dates; nil if that was not asked for, or there are none.
    public var events: GroupEvents?
    /// The day of the earliest entry of each column, in days since 1970; nil if that was not asked for.
    ///
    /// It is 0 if the time of an entry is not known, and `UInt16.max` if there is no entry.
    public var firstDays: [UInt16]?
}

/// The dates of memberships or of entries of pools.
public struct EventDates: Sendable, Equatable {
    /// How many have a date.
    public private(set) var count = 0
    /// The first and the last date, in Unix seconds; nil if none has one.
    public private(set) var span: ClosedRange<Int64>?

    /// No dates.
    public init() {}

    mutating func note(_ time: Int64) {
        count += 1
        guard let known = span else { return span = time...time }
        if !known.contains(time) { span = min(known.lowerBound, time)...max(known.upperBound, time) }
    }

    /// The dates of both.
    public func union(_ other: EventDates) -> EventDates {
        var both = self
        both.count += other.count
        if let mine = span, let its = other.span {
            both.span = min(mine.lowerBound, its.lowerBound)...max(mine.upperBound, its.upperBound)
        } else {
            both.span = span ?? other.span
        }
        return both
    }
}
