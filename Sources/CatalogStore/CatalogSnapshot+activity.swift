import CivilTime
public import Model
import SQLite
import Synchronization

/// The weeks and the months in which activity is counted.
public struct ActivityCalendar: Sendable, Equatable {
    /// The end of the last week, in Unix seconds, inclusive; later events are not counted.
    public var now: Int64
    /// Weeks of seven days before `now`, 1 or more.
    public var weekCount: Int
    /// Months in UTC, in months since January 1970; may be empty.
    public var months: Range<Int>

    /// A calendar.
    public init(now: Int64, weekCount: Int, months: Range<Int>) {
        self.now = now
        self.weekCount = weekCount
        self.months = months
    }

    /// The last `maximum` whole months from an earliest date to `now`.
    public static func wholeMonths(from earliest: Int64, to now: Int64, maximum: Int) -> Range<Int> {
        // The month of the earliest date counts as whole if that date is in its first day.
        guard let before = UnixTime(seconds: earliest - 86_400)?.monthsSince1970,
            let end = UnixTime(seconds: now)?.monthsSince1970
        else { return 0..<0 }
        return min(end, max(before + 1, end - maximum))..<end
    }

    static let weekSeconds: Int64 = 7 * 86_400

    /// The week of an instant, counted back from the last one, which is 0; nil if it is in none.
    func week(of time: Int64) -> Int? {
        guard time <= now, time > now - Int64(weekCount) * Self.weekSeconds else { return nil }
        return Int((now - time) / Self.weekSeconds)
    }

    /// The month of an instant as an index of `months`; nil if it is in none.
    func month(of time: Int64) -> Int? {
        guard let month = UnixTime(seconds: time)?.monthsSince1970, months.contains(month) else { return nil }
        return month - months.lowerBound
    }
}

/// The activity of the shown groups by week and by month; rows are those of the matrices.
public struct ActivityReading: Sendable, Equatable {
    /// Rows × weeks, row by row, the latest week first: the different people who joined, or whose public photos were
    /// added.
    ///
    /// All photos without a known owner count as one person's.
    public var people: [UInt32]
    /// Rows × months, row by row, the earliest first: memberships, or public photos in the pool.
    public var events: [UInt32]

    /// No activity.
    public init(rowCount: Int, in calendar: ActivityCalendar) {
        people = [UInt32](repeating: 0, count: rowCount * calendar.weekCount)
        events = [UInt32](repeating: 0, count: rowCount * calendar.months.count)
    }
}

extension CatalogSnapshot {
    /// Counts the activity of every shown group, in one pass over the table.
    ///
    /// - Parameters:
    ///   - source: of which relation; private photos do not count.
    ///   - calendar: the weeks and months to count in.
    ///   - progress: told of the dated rows read so far, from any thread.
    public func activity(
        _ source: RelationSource, in calendar: ActivityCalendar, progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(CatalogError) -> ActivityReading {
        let plan = try MatrixPlan(catalog, source, groups: groups())
        let rowsRead = Atomic<Int>(0)
        let parts = try readParts(plan.ranges.count) { catalog, number throws(CatalogError) in
            let part = try catalog.readActivity(plan, number, calendar)
            progress(rowsRead.add(part.rowsRead, ordering: .relaxed).newValue)
            return part
        }
        var reading = ActivityReading(rowCount: plan.rowCount, in: calendar)
        for row in parts.lazy.flatMap(\.rows) {
            reading.people.replace(calendar.weekCount, atRow: row.row, with: row.people)
            reading.events.replace(calendar.months.count, atRow: row.row, with: row.events)
        }
        return reading
    }
}

extension Catalog {
    fileprivate func readActivity(_ plan: MatrixPlan, _ number: Int, _ calendar: ActivityCalendar) throws(CatalogError)
        -> ActivityPart
    {
        let source = plan.source
        let range = plan.ranges[number]
        return try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT group_key, \(source.entryColumn), \(source.timeColumn) FROM \(source.table)
                WHERE group_key BETWEEN ? AND ? AND \(source.timeColumn) IS NOT NULL ORDER BY group_key
                """)
            rows.bind(Int64(range.lowerBound), at: 1)
            rows.bind(Int64(range.upperBound - 1), at: 2)
            let owner = try database.prepare("SELECT user_key FROM photos WHERE photo_key = ?")
            var part = ActivityPart(calendar: calendar)
            while try rows.step() {
                let (group, entry, time) = (Int(rows.integer(0)), rows.integer(1), rows.integer(2))
                part.rowsRead += 1
                guard plan.rowOfGroup[group] >= 0, plan.isPrivatePhoto?.contains(Int(entry)) != true else { continue }
                part.begin(row: Int(plan.rowOfGroup[group]))
                part.addEvent(time)
                // People are counted in the recent weeks only.
                guard let week = calendar.week(of: time) else { continue }
                part.addPerson(source.entries == .photos ? try key(ofOwner: entry, owner) : entry, week: week)
            }
            part.endRow()
            return part
        }
    }

    /// The key of a photo's owner; 0, which is no user's key, if the owner is not known.
    private func key(ofOwner photo: Int64, _ owner: Statement) throws(DatabaseError) -> Int64 {
        owner.bind(photo, at: 1)
        defer { owner.reset() }
        return try owner.step() ? owner.integer(0) : 0
    }
}

/// The activity of the groups of one range of keys.
private struct ActivityPart: Sendable {
    struct Row: Sendable {
        var row: Int
        var people: [UInt32]
        var events: [UInt32]
    }

    let calendar: ActivityCalendar
    private(set) var rows: [Row] = []
    var rowsRead = 0
    private var current: Row?
    /// The people of the current row: the week in the upper 16 bits, the key below.
    private var people: [UInt64] = []

    init(calendar: ActivityCalendar) { self.calendar = calendar }

    mutating func begin(row: Int) {
        guard current?.row != row else { return }
        endRow()
        current = Row(row: row, people: [], events: [UInt32](repeating: 0, count: calendar.months.count))
    }

    mutating func addEvent(_ time: Int64) {
        if let month = calendar.month(of: time) { current?.events[month] += 1 }
    }

    mutating func addPerson(_ key: Int64, week: Int) { people.append(UInt64(week) << 48 | UInt64(key)) }

    mutating func endRow() {
        guard var row = current else { return }
        row.people = [UInt32](repeating: 0, count: calendar.weekCount)
        people.sort()
        for (index, person) in people.enumerated() where index == 0 || people[index - 1] != person {
            row.people[Int(person >> 48)] += 1
        }
        people.removeAll(keepingCapacity: true)
        rows.append(row)
        current = nil
    }
}

extension [UInt32] {
    /// Replaces a row of `width` numbers.
    fileprivate mutating func replace(_ width: Int, atRow row: Int, with numbers: [UInt32]) {
        replaceSubrange(row * width..<(row + 1) * width, with: numbers)
    }
}
