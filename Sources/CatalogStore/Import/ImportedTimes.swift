import Basics
import RecordReading

/// The times in the files of an import, as far as they deserve a look.
struct ImportedTimes {
    /// The tolerated lead over the present, in seconds: the zone of a time may be wrong.
    static let tolerance: Int64 = 86_400

    /// The latest time that is not in the future, in Unix seconds.
    private let latest: Int64
    /// The number of times without a zone.
    private(set) var withoutZone = 0
    /// The local times at a change of clocks.
    private var doubtful = CountedPlaces()
    /// The times in the future, by the index of their column.
    private var ahead: [Int: CountedPlaces] = [:]

    init(_ options: ImportOptions) { latest = options.presentSeconds + Self.tolerance }

    /// Takes a time of the current record.
    mutating func note(_ time: WrittenTime, _ column: Int, _ reader: borrowing RecordReader) {
        if !time.hasZone { withoutZone += 1 }
        if time.isAtChange { doubtful.note(1, reader) }
        if time.time.seconds > latest { ahead[column, default: CountedPlaces()].note(1, reader) }
    }

    /// The findings about the times of all columns.
    func findings(_ columns: [ImportKind.Column]) -> [ImportFinding] {
        let counts = doubtful.count == 1 ? "counts" : "count"
        let atChange = doubtful.finding(
            "timesAtChange", "time is", "times are",
            "in an hour that the clocks of --timezone show twice or leave out, and \(counts) as before the change")
        let future = ahead.sorted { $0.key < $1.key }.map { column, places in
            places.finding(
                "futureTimes", "\(columns[column].name) is", "\(columns[column].name) are",
                "more than a day in the future: see whether a clock was ahead, or another column was meant")
        }
        return ([atChange] + future).compactMap(\.self)
    }
}
