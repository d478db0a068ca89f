/// When entries were added to the shown groups, as far as an `ActivityWindow` kept it while their matrix was read.
public struct GroupEvents: Sendable {
    private var log: EventLog
    private let rowCount: Int

    init(_ log: EventLog, rowCount: Int) { (self.log, self.rowCount) = (log, rowCount) }

    /// Counts recent photos for the people who own them.
    ///
    /// - Parameter owners: by the photos' columns, a number for each owner; 0 stands for one who is not known. All
    ///   photos of unknown owners count as one person's.
    public mutating func attribute(to owners: [UInt32]) { log.attribute(to: owners) }

    /// Counts the activity of every row.
    ///
    /// - Parameter calendar: one that the window was made for.
    public func activity(in calendar: ActivityCalendar) -> ActivityReading {
        var reading = ActivityReading(rowCount: rowCount, in: calendar)
        var people: [UInt64] = []
        for (index, row) in log.rows.enumerated() {
            let firstMonth = row.row * calendar.months.count
            for month in calendar.months {
                let offset = month - row.firstMonth
                guard (0..<log.monthsOfRow).contains(offset) else { continue }
                reading.events[firstMonth + month - calendar.months.lowerBound] =
                    log.monthCounts[index * log.monthsOfRow + offset]
            }
            // People are counted in the recent weeks only; the week stands in the upper half, the person below.
            for event in log.recent(ofRow: index) {
                guard let week = calendar.week(of: row.recentAfter + Int64(event.seconds)) else { continue }
                people.append(UInt64(week) << 32 | UInt64(event.person))
            }
            people.sort()
            for (index, person) in people.enumerated() where index == 0 || people[index - 1] != person {
                reading.people[row.row * calendar.weekCount + Int(person >> 32)] += 1
            }
            people.removeAll(keepingCapacity: true)
        }
        return reading
    }
}

/// The activity of the shown groups by week and by month; rows are those of the matrices.
public struct ActivityReading: Sendable, Equatable {
    /// Rows × weeks, row by row, the latest week first: the different people who joined, or whose public photos were
    /// added.
    public internal(set) var people: [UInt32]
    /// Rows × months, row by row, the earliest first: memberships, or public photos in the pool.
    public internal(set) var events: [UInt32]

    /// No activity.
    public init(rowCount: Int, in calendar: ActivityCalendar) {
        people = [UInt32](repeating: 0, count: rowCount * calendar.weekCount)
        events = [UInt32](repeating: 0, count: rowCount * calendar.months.count)
    }
}
