import CivilTime
import Model

extension Planner {
    /// Raises groups whose time of the year it is, and lowers those whose it is not.
    func riseInSeason(_ candidates: inout [Candidate], _ request: PlanRequest) -> StageReport {
        let month = CalendarDate(unixMilliseconds: request.atMilliseconds).month - 1
        var moved = 0
        for position in candidates.indices {
            let factor = model.seasonalFactor(of: Int(candidates[position].group), month: month)
            guard factor != 1 else { continue }
            candidates[position].adjusted *= factor
            moved += 1
        }
        return StageReport(
            stage: .season, taken: candidates.count, passed: candidates.count, note: "\(moved) have a season")
    }
}
