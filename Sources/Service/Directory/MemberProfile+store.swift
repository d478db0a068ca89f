import Glibc
public import Model
public import ModelStore
public import Recommendation

extension MemberProfile {
    /// What was published of a user with a version, at an instant: impressions have faded since.
    ///
    /// - Parameters:
    ///   - manifest: the version's.
    ///   - planner: of the version.
    ///   - instant: Unix milliseconds.
    public init(
        userID: String, _ member: StoredMember, of manifest: Manifest, for planner: Planner,
        atMilliseconds instant: Int64
    ) {
        let ageDays = max(0, Double(instant - manifest.createdAtMilliseconds)) / 86_400_000
        let faded = exp2(-ageDays / planner.configuration.feedback.impressionHalfLifeDays)
        self.init(
            userID: userID, joined: member.joined.map { JoinedGroup(group: $0) },
            dismissals: member.feedback.dismissals.map {
                Dismissal(group: $0.group, atMilliseconds: Int64($0.atSeconds) * 1000)
            },
            exposures: member.feedback.exposures.map {
                Exposure(group: $0.group, impressions: Double($0.thousandths) / 1000 * faded)
            },
            topics: member.feedback.interests)
    }
}
