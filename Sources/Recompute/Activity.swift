import Basics
import CatalogStore
import Model
import Recommendation

/// The groups that trend and the seasons of groups, as far as the entries have dates.
struct ActivitySignals {
    /// The most months that seasons are computed from: five years, and half a year on either side for the moving means.
    private static var seasonMonths: Int { 72 }
    /// The weeks that trends are computed from: the last week, and the weeks before for comparison.
    static var trendWeeks: Int { TrendingRanking.usualWeeks + 1 }

    /// Returns the window of dates to keep, in a job that begins at a time in Unix seconds.
    static func window(until instant: Int64) -> ActivityWindow {
        ActivityWindow(end: instant, weekCount: trendWeeks, monthCount: seasonMonths)
    }

    let trending: [TrendingGroup]
    let seasons: [SeasonalFactors]
    /// The joins of each group in the weeks of `GroupReach`; empty if nothing has a date.
    let joins: [UInt32]
    /// The outcome in words.
    let summary: String

    /// Finds the trending groups and the seasonal factors.
    ///
    /// The present is the beginning of the job, or the last date in the catalog if that is earlier. So a catalog that
    /// is some weeks old has the trends of its own last week. A date in the future changes nothing.
    ///
    /// - Parameter events: the entries of public groups within the job's window.
    init(_ events: [RelationDescription.Role: GroupEvents], _ dates: EventDates, groupCount: Int, _ run: JobRun) {
        guard let span = dates.span else {
            (trending, seasons, joins, summary) = ([], [], [], "no dates: nothing trends, no seasons")
            return
        }
        let now = min(span.upperBound, run.instant)
        let calendar = ActivityCalendar(
            now: now, weekCount: Self.trendWeeks,
            months: ActivityCalendar.wholeMonths(from: span.lowerBound, to: now, maximum: Self.seasonMonths))
        let activity = GroupActivity(
            events.mapValues { $0.activity(in: calendar) }, calendar: calendar, groupCount: groupCount)
        trending = TrendingRanking().trending((0..<activity.groupCount).lazy.map(activity.weeks))
        seasons = activity.seasons
        // Unlike trends, joins are those before the job, even if the data end earlier.
        let weeks = run.instant - Int64(GroupReach.weeks) * 7 * 86_400 + 1...run.instant
        joins = events[.membership]?.recent(in: weeks).counts ?? [UInt32](repeating: 0, count: groupCount)
        let months = "\(calendar.months.count) months"
        summary =
            "\(trending.count) groups trend, " + (seasons.isEmpty ? "\(months) are too few for" : "\(months) of")
            + " seasons"
    }
}

extension GroupTalk {
    /// Returns the posts of each group in the last weeks, up to the beginning of the job or an earlier time.
    static func counted(_ source: RelationSource, until last: Int64, _ run: JobRun) throws(Failure) -> [GroupTalk] {
        try run.clock.step(.posts) { () throws(Failure) in
            let end = min(last, run.instant)
            let talks = try run.entries.talk(source, after: end - Int64(weeks) * 7 * 86_400, until: end)
            return (talks, "\(talks.reduce(0) { $0 + Int($1.recentPosts) }) in the last \(weeks) weeks")
        }
    }
}

extension CuratedGroup {
    /// Returns the curated groups of a catalog whose period has not ended.
    static func curated(_ catalog: Facts, _ facts: [GroupFacts], _ run: JobRun) throws(Failure) -> [CuratedGroup] {
        // Compared by bytes, because two ids may differ only in the composition of characters.
        let indexes = Dictionary(
            uniqueKeysWithValues: facts.enumerated().map { (Array($0.element.id.utf8), UInt32($0.offset)) })
        return try catalog.curations().compactMap { curation in
            guard let group = indexes[Array(curation.groupID.utf8)] else { return nil }
            let curated = CuratedGroup(
                group: group, position: UInt32(clamping: curation.position), startsAt: curation.startsAt,
                expiresAt: curation.expiresAt)
            let isOver = curated.expiresAt.map { $0 <= run.instant } ?? false
            return isOver ? nil : curated
        }
    }
}

/// The activity of each group, as counted from the catalog.
struct GroupActivity {
    let groupCount: Int
    private let calendar: ActivityCalendar
    private let members: ActivityReading
    private let photos: ActivityReading

    init(_ readings: [RelationDescription.Role: ActivityReading], calendar: ActivityCalendar, groupCount: Int) {
        let quiet = ActivityReading(rowCount: groupCount, in: calendar)
        (self.groupCount, self.calendar) = (groupCount, calendar)
        members = readings[.membership] ?? quiet
        photos = readings[.pool] ?? quiet
    }

    /// Returns the weeks of a group, the latest first.
    func weeks(_ group: Int) -> WeeklyActivity {
        let range = group * calendar.weekCount..<(group + 1) * calendar.weekCount
        return WeeklyActivity(joiners: Array(members.people[range]), posters: Array(photos.people[range]))
    }

    /// Returns the months of a group, the earliest first.
    private func months(_ group: Int) -> MonthlyActivity {
        let range = group * calendar.months.count..<(group + 1) * calendar.months.count
        return MonthlyActivity(joins: Array(members.events[range]), photos: Array(photos.events[range]))
    }

    /// Returns the monthly sums over all groups.
    private func sums(_ events: [UInt32]) -> [UInt32] {
        var sums = [UInt32](repeating: 0, count: calendar.months.count)
        for (place, count) in events.enumerated() { sums[place % sums.count] += count }
        return sums
    }

    /// The seasonal factors of every group; empty if there are too few months.
    var seasons: [SeasonalFactors] {
        let firstMonth = (calendar.months.lowerBound % 12 + 12) % 12
        let community = MonthlyActivity(joins: sums(members.events), photos: sums(photos.events))
        guard let index = SeasonalIndex(community: community, firstMonth: firstMonth) else { return [] }
        return (0..<groupCount).map { index.factors(of: months($0)) }
    }
}
