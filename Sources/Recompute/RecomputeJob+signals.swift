import Basics
import CatalogStore
import Model
import Recommendation

extension RecomputeJob {
    /// The most months that seasons are computed from: five years, and half a year on either side for the moving means.
    private static var seasonMonths: Int { 72 }
    /// The weeks that trends are computed from: the last week, and the weeks before for comparison.
    static var trendWeeks: Int { TrendingRanking.usualWeeks + 1 }

    /// The window of dates to keep for trends and seasons.
    var activityWindow: ActivityWindow {
        ActivityWindow(
            end: startedAtMilliseconds / 1000, weekCount: Self.trendWeeks, monthCount: Self.seasonMonths)
    }

    /// Returns the trending groups and the seasonal factors, as far as the catalog has dates.
    ///
    /// The present is the beginning of the job, or the last date in the catalog if that is earlier. So a catalog that
    /// is some weeks old has the trends of its own last week. A date in the future changes nothing.
    ///
    /// - Parameter events: the entries of public groups within the job's window.
    func activitySignals(
        _ events: [RelationDescription.Role: GroupEvents], _ dates: EventDates, groupCount: Int
    ) -> ((trending: [TrendingGroup], seasons: [SeasonalFactors]), outcome: String) {
        guard let span = dates.span else { return (([], []), "no dates: nothing trends, no seasons") }
        let now = min(span.upperBound, startedAtMilliseconds / 1000)
        let calendar = ActivityCalendar(
            now: now, weekCount: Self.trendWeeks,
            months: ActivityCalendar.wholeMonths(from: span.lowerBound, to: now, maximum: Self.seasonMonths))
        let activity = GroupActivity(
            events.mapValues { $0.activity(in: calendar) }, calendar: calendar, groupCount: groupCount)
        let trending = TrendingRanking().trending((0..<activity.groupCount).lazy.map(activity.weeks))
        let seasons = activity.seasons
        let months = "\(calendar.months.count) months"
        return (
            (trending, seasons),
            "\(trending.count) groups trend, " + (seasons.isEmpty ? "\(months) are too few for" : "\(months) of")
                + " seasons"
        )
    }

    /// Returns the posts of each group in the last weeks, up to the beginning of the job or an earlier time.
    func talk(_ source: RelationSource, _ entries: any EntrySource, until time: Int64) throws(Failure)
        -> ([GroupTalk], outcome: String)
    {
        let end = min(time, startedAtMilliseconds / 1000)
        let talks = try entries.talk(source, after: end - Int64(GroupTalk.weeks) * 7 * 86_400, until: end)
        return (talks, "\(talks.reduce(0) { $0 + Int($1.recentPosts) }) in the last \(GroupTalk.weeks) weeks")
    }

    /// Returns the curated groups whose period has not ended.
    func curatedGroups(_ catalog: Facts, _ facts: [GroupFacts]) throws(Failure) -> [CuratedGroup] {
        // Compared by bytes, because two ids may differ only in the composition of characters.
        let indexes = Dictionary(
            uniqueKeysWithValues: facts.enumerated().map { (Array($0.element.id.utf8), UInt32($0.offset)) })
        return try catalog.curations().compactMap { curation in
            guard let group = indexes[Array(curation.groupID.utf8)] else { return nil }
            let curated = CuratedGroup(
                group: group, position: UInt32(clamping: curation.position), startsAt: curation.startsAt,
                expiresAt: curation.expiresAt)
            let isOver = curated.expiresAt.map { $0 <= startedAtMilliseconds / 1000 } ?? false
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

    /// Creates the activity of each group.
    ///
    /// - Parameters:
    ///   - readings: the counts by role; a missing role counts as no activity.
    ///   - calendar: the weeks and months that were counted.
    init(_ readings: [RelationDescription.Role: ActivityReading], calendar: ActivityCalendar, groupCount: Int) {
        let quiet = ActivityReading(rowCount: groupCount, in: calendar)
        self.groupCount = groupCount
        self.calendar = calendar
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

    /// The monthly sums over all groups.
    private var community: MonthlyActivity {
        var sum = MonthlyActivity(
            joins: [UInt32](repeating: 0, count: calendar.months.count),
            photos: [UInt32](repeating: 0, count: calendar.months.count))
        for group in 0..<groupCount {
            let mine = months(group)
            for month in sum.joins.indices {
                sum.joins[month] += mine.joins[month]
                sum.photos[month] += mine.photos[month]
            }
        }
        return sum
    }

    /// The seasonal factors of every group; empty if there are too few months.
    var seasons: [SeasonalFactors] {
        let firstMonth = (calendar.months.lowerBound % 12 + 12) % 12
        guard let index = SeasonalIndex(community: community, firstMonth: firstMonth) else { return [] }
        return (0..<groupCount).map { index.factors(of: months($0)) }
    }
}
