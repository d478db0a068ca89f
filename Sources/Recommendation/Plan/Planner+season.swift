import Model

extension Planner {
    /// Raises groups whose time of the year it is, and lowers those whose it is not.
    func riseInSeason(_ candidates: inout [Candidate], _ request: PlanRequest) -> StageReport {
        let month = CivilMonth.month(ofUnixMilliseconds: request.atMilliseconds)
        var moved = 0
        for place in candidates.indices {
            let factor = model.seasonalFactor(of: Int(candidates[place].group), month: month)
            guard factor != 1 else { continue }
            candidates[place].adjusted *= factor
            moved += 1
        }
        return StageReport(
            stage: .season, taken: candidates.count, passed: candidates.count, note: "\(moved) have a season")
    }
}

/// Months of the Gregorian calendar, in UTC.
enum CivilMonth {
    /// The month of an instant, 0 being January (Howard Hinnant, "chrono-compatible low-level date algorithms").
    static func month(ofUnixMilliseconds instant: Int64) -> Int {
        let days = Int((Double(instant) / 86_400_000).rounded(.down))
        // Days since 1 March of the year 0, within an era of 400 years.
        let dayOfEra = ((days + 719_468) % 146_097 + 146_097) % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        return ((5 * dayOfYear + 2) / 153 + 2) % 12
    }
}
