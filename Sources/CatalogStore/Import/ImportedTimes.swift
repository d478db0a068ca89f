import Basics
import RecordReading

/// The times in the files of an import, as far as they deserve a look.
struct ImportedTimes {
    /// The number of times without a zone.
    private(set) var withoutZone = 0
    /// The local times at a change of clocks.
    private var doubtful = CountedPlaces()

    /// Takes a time of the current record.
    mutating func note(_ time: WrittenTime, _ reader: borrowing RecordReader) {
        if !time.hasZone { withoutZone += 1 }
        if time.isAtChange { doubtful.note(1, reader) }
    }

    /// The finding about the times of all columns, or nil if there is none.
    var finding: ImportFinding? {
        let counts = doubtful.count == 1 ? "counts" : "count"
        return doubtful.finding(
            "timesAtChange", "time is", "times are",
            "in an hour that the clocks of --timezone show twice or leave out, and \(counts) as before the change")
    }
}
