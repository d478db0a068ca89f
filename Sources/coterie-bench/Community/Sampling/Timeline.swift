import Basics
import Model

/// The three years of a community: draws instants from seasonal curves and writes them as dates.
///
/// An instant is a number of seconds from the beginning, 0 ..< `end`.
struct Timeline {
    /// The length of the three years in days.
    static let dayCount = 1095
    /// The number of seconds in a day.
    static let day = 86_400
    /// The instant after the last one.
    static let end = dayCount * day

    /// The running sums of the days' weights for each curve: days + 1 values from 0.
    private let curves: [[Double]]
    /// The hour that each of 256 equally likely bytes stands for, in each pattern.
    private let hours: [[UInt8]]
    /// The days written as YYYY-MM-DD, ten bytes each.
    private let dates: [UInt8]

    /// Creates the three years that end when `endDay` begins.
    init(endDay: CalendarDate) {
        let days = (0..<Self.dayCount).map {
            CalendarDate(daysSince1970: endDay.daysSince1970 - Self.dayCount + $0)
        }
        curves = Season.allCases.flatMap { season in
            [false, true].map { Self.runningSums(days: days, season: season, southern: $0) }
        }
        hours = HourPattern.allCases.map { pattern in
            Quotas.shares(of: 256, weights: pattern.weights.map { $0 + 0.001 }, cap: 256)
                .enumerated().flatMap { Array(repeating: UInt8($0.offset), count: Int($0.element)) }
        }
        dates = days.flatMap { $0.description.utf8 }
    }

    /// Returns the number of the curve of a season in one hemisphere.
    static func curve(_ season: Season, southern: Bool) -> Int { season.rawValue * 2 + (southern ? 1 : 0) }

    /// Draws an instant in `start ..< end`, which is not empty: the day from the curve, the hour from the pattern.
    func instant(curve: Int, hours pattern: HourPattern, from start: Int, to end: Int, _ random: inout EntityRandom)
        -> Int
    {
        let sums = curves[curve]
        let low = Self.sum(sums, at: start)
        let high = Self.sum(sums, at: end)
        let target = low + (high - low) * random.unit()
        let first = (start / Self.day..<(end - 1) / Self.day).partitioningIndex { sums[$0 + 1] > target }
        let bits = random.next()
        let hour = Int(hours[pattern.rawValue][Int(bits & 255)])
        let instant = first * Self.day + hour * 3600 + Int(((bits >> 32) &* 3600) >> 32)
        if instant >= start, instant < end { return instant }
        // On the first or the last day the hour may fall outside; then any second of that day inside is drawn.
        let earliest = max(start, first * Self.day)
        return earliest + random.below(min(end, (first + 1) * Self.day) - earliest)
    }

    /// Writes an instant as YYYY-MM-DDTHH:MM:SSZ.
    func append(_ instant: Int, to line: inout LineBuffer) {
        let day = instant / Self.day
        let second = instant - day * Self.day
        line.append(dates[day * 10..<day * 10 + 10])
        line.append(time: second)
    }

    private static func sum(_ sums: [Double], at instant: Int) -> Double {
        let day = instant / Self.day
        guard day < dayCount else { return sums[dayCount] }
        let fraction = Double(instant - day * Self.day) / Double(Self.day)
        return sums[day] + (sums[day + 1] - sums[day]) * fraction
    }

    /// Returns the running sums of the days' weights.
    ///
    /// The community's activity grows by a factor of 2.2 over the three years, and is higher at weekends.
    private static func runningSums(days: [CalendarDate], season: Season, southern: Bool) -> [Double] {
        let weekdayWeights = [0.95, 0.9, 0.9, 0.9, 0.95, 1.15, 1.25]
        var sums = [0.0]
        for (index, day) in days.enumerated() {
            let growth = 1 + 1.2 * Double(index) / Double(dayCount)
            let weight = season.weight(dayOfYear: day.dayOfYear, southern: southern)
            sums.append(sums[index] + growth * weight * weekdayWeights[day.weekday])
        }
        return sums
    }
}

/// The change of the interest in a theme over the year.
enum Season: Int, CaseIterable, Decodable {
    case none, spring, summer, autumn, winter, christmas, darkMonths

    init(from decoder: any Decoder) throws { self = try decoder.namedCase() }

    /// The weights of January to December in the northern hemisphere, each for the middle of the month.
    var monthlyWeights: [Double] {
        switch self {
        case .none: [0.9, 0.9, 1, 1.05, 1.1, 1.05, 1.05, 1.05, 1.05, 1.05, 0.95, 0.95]
        case .spring: [0.2, 0.5, 2.6, 4.2, 1.6, 0.4, 0.25, 0.2, 0.2, 0.2, 0.2, 0.2]
        case .summer: [0.3, 0.3, 0.45, 0.7, 1.2, 2.2, 2.9, 2.7, 1.4, 0.6, 0.3, 0.3]
        case .autumn: [0.2, 0.2, 0.2, 0.2, 0.25, 0.3, 0.35, 0.5, 1.8, 4.6, 3, 0.5]
        case .winter: [3.2, 2.6, 1.3, 0.4, 0.2, 0.15, 0.15, 0.15, 0.2, 0.4, 1.2, 2.8]
        case .christmas: [0.9, 0.15, 0.1, 0.1, 0.1, 0.1, 0.1, 0.15, 0.2, 0.4, 2.4, 7.5]
        case .darkMonths: [2, 2, 2.2, 0.9, 0.2, 0.1, 0.1, 0.4, 1.7, 2, 1.8, 1.9]
        }
    }

    /// Whether the season is half a year later in the south; only Christmas is in December everywhere.
    var followsTheSun: Bool { self != .christmas }

    /// Returns the weight of a day, interpolated between the middles of two months.
    ///
    /// - Parameters:
    ///   - dayOfYear: the day, 0 for 1 January.
    ///   - southern: whether the location is south of the equator.
    func weight(dayOfYear: Int, southern: Bool) -> Double {
        let shift = southern && followsTheSun ? 6.0 : 0
        let position = Double(dayOfYear) * 12 / 365.25 + 11.5 + shift
        let month = Int(position)
        let fraction = position - Double(month)
        let weights = monthlyWeights
        return weights[month % 12] * (1 - fraction) + weights[(month + 1) % 12] * fraction
    }
}

/// The distribution of an activity over the hours of the local day.
enum HourPattern: Int, CaseIterable, Decodable {
    case online, daylight, twilight, night

    init(from decoder: any Decoder) throws { self = try decoder.namedCase() }

    /// The weights of the 24 hours, from midnight.
    var weights: [Double] {
        switch self {
        case .online: [3, 2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 5, 4, 4, 5, 6, 7, 8, 9, 9, 7, 5]
        case .daylight: [0, 0, 0, 0, 0, 1, 3, 5, 6, 7, 8, 8, 7, 7, 8, 9, 9, 9, 8, 5, 2, 1, 0, 0]
        case .twilight: [0, 0, 0, 0, 1, 4, 7, 6, 3, 1, 0, 0, 0, 0, 0, 0, 2, 5, 8, 9, 9, 6, 2, 0]
        case .night: [6, 4, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 7, 8, 9, 9, 9, 8]
        }
    }
}
