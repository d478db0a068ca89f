import Basics
import Model

/// The outcome of lists, by what members do with them: today, the change to a week ago, and four weeks as lines.
struct ListOutcome {
    /// The days of a line.
    private static let dayCount: Int64 = 28

    private let days: [Int64: ListDay]
    /// The last version of each day on which one was made.
    private let versions: [Int64: Manifest]
    private let (today, hour): (Int64, Int)

    init(_ call: Call, _ versions: [Manifest], _ now: Int64) {
        days = call.responder.lists.figures.days
        self.versions = Dictionary(versions.map { ($0.createdAtMilliseconds / 86_400_000, $0) }) { $1 }
        (today, hour) = (now / 86_400_000, Int(now % 86_400_000 / 3_600_000))
    }

    var html: HTML {
        let line = (0..<Self.dayCount).compactMap { days[today - $0] }
        let lists = line.reduce(0) { $0 + $1.total(.lists) }
        guard lists > 0 else { return "<h2>Lists</h2><p class=\"nothing\">No list was made in four weeks.</p>" }
        let sendsImpressions = line.contains { $0.total(.impressions) > 0 }
        let strangers = days[today]?.total(.strangers) ?? 0
        return """
            <h2>Lists, today and in four weeks</h2>
            \(if: !sendsImpressions, """
                <p class="warning">The site sends no impressions, so nobody knows which lists were seen, and there are no \
                rates. Interactions of the kind <code>impression</code> mend that.</p>
                """)
            <div class="charts">
            \(chart("Lists") { Double($0.total(.lists, through: $1)) })
            \(chart("Members reached, about") { $1 == 23 ? Double(min($0.members.estimate, $0.total(.lists))) : nil })
            \(if: sendsImpressions, "\(rate("Clicks", .clicks))\(rate("Joins", .joins))")
            \(chart("Dismissals") { Double($0.total(.dismissals, through: $1)) })
            </div>
            \(if: strangers > 0, """
                <p>\(strangers.grouped) clicks, joins and dismissals of today name no list of this site, and do not count.</p>
                """)
            """
    }

    /// Returns the chart of a rate for 1,000 lists; a day without lists, or without impressions, has none.
    private func rate(_ name: String, _ sum: ListDay.Sum) -> HTML {
        chart("\(name) per 1,000 lists") { day, hour in
            let lists = day.total(.lists, through: hour)
            guard lists > 0, day.total(.impressions, through: hour) > 0 else { return nil }
            return 1000 * Double(day.total(sum, through: hour)) / Double(lists)
        }
    }

    /// Returns the chart of a figure.
    ///
    /// - Parameter figure: returns the figure of a day, up to an hour, inclusive; nil if there is none.
    private func chart(_ title: String, _ figure: (ListDay, _ hour: Int) -> Double?) -> HTML {
        let points = (today - Self.dayCount + 1...today).map { day -> Chart.Point in
            let date = CalendarDate(daysSince1970: Int(day))
            let name = "\(HTML.weekdays[date.weekday]) \(date.day) \(HTML.months[date.month - 1])"
            return Chart.Point(
                name: name, label: date.weekday == 0 && day <= today - 5 ? name : "",
                value: days[day].flatMap { figure($0, 23) },
                event: versions[day].map { "version \($0.version)" })
        }
        let (now, before) = (days[today].flatMap { figure($0, 23) }, days[today - 7])
        // Today is compared with the same hours of a week ago, unless only whole days are known.
        let note: HTML
        if let now, let then = before.flatMap({ figure($0, hour) }) {
            let percent = then > 0 ? Int((100 * (now - then) / then).rounded()) : 0
            note =
                then == 0
                ? "0 a week ago at this hour"
                : "\(percent < 0 ? "−" : "+")\(abs(percent).grouped)% to a week ago at this hour"
        } else if let then = before.flatMap({ figure($0, 23) }) {
            note = "\(HTML.decimals(then, 1)) on the whole day a week ago"
        } else {
            note = "nothing is known of a week ago"
        }
        return Chart(title, points, present: (now.map { .decimals($0, 1) } ?? "–", note)).html
    }
}
