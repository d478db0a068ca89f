import CatalogStore
import Experiments

/// A page of a member's list that an answer shows: noted each time the answer is given, also from the cache.
struct ShownPage: Sendable {
    let userID: String
    /// The arms that the list was made for; one or more.
    let arms: [AssignedArm]
    let recommendationID: String
    /// The rank of the page's first group, from 1.
    let firstPosition: Int
    let shownCount: Int
    let filters: String
    /// Whose pick each group is, a digit a group, 1 or 2, or - for neither; empty unless the list is interleaved.
    let teams: String

    /// Notes that it is shown.
    ///
    /// - Parameter microseconds: how long making the answer took.
    func note(in log: ExposureLog, atMilliseconds instant: Int64, microseconds: Int64) {
        for assigned in arms {
            var record = ExposureRecord(
                experiment: assigned.experiment, arm: assigned.arm, recommendationID: recommendationID,
                firstPosition: firstPosition, shownCount: shownCount, filters: filters, atMilliseconds: instant,
                microseconds: microseconds)
            if assigned.arm == AssignedArm.interleaved, !teams.isEmpty { record.teams = teams }
            log.add(record, ofUser: userID)
        }
    }
}

/// Where a handler says which pages it shows.
///
/// A class, because a handler gets its call by value.
final class ShownPageSlot: @unchecked Sendable {
    // Written by the handler and read when it has returned, on one thread.
    var pages: [ShownPage] = []
}
