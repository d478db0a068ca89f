package import Basics
import Model
package import Recommendation
import Similarity

/// Makes all lists of a member that are compared.
package struct ListMaker: Sendable {
    /// The number of buckets that rotating lists are made for.
    static let buckets = 6

    let planners: [EvaluatedList: Planner]
    let instant: Int64
    private let popular: [UInt32]
    private let bucketMilliseconds: Int64
    private let length: Int

    /// Creates a maker of lists.
    ///
    /// - Parameters:
    ///   - configuration: the settings of served lists; stages that it omits are omitted everywhere.
    ///   - instant: the instant of the first bucket, in Unix milliseconds.
    ///   - threads: the number of threads that compute the model for comparison.
    package init(
        _ set: EvaluationSet, configuration: PlanConfiguration, key: RotationKey, atMilliseconds instant: Int64,
        length: Int, threads: Int
    ) throws(Failure) {
        self.instant = instant
        self.length = length
        bucketMilliseconds = Int64(configuration.rotation.hours * 3_600_000)
        let membership = configuration.relations[.membership]?.relation ?? RelationDescription.members.relation
        let cosine = try set.model(
            SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: 100), threads: threads)
        var planners: [EvaluatedList: Planner] = [:]
        for list in EvaluatedList.allCases where list != .popular {
            var own = configuration
            own.omitted.formUnion(list.omitted)
            if list == .raw || list == .cosine { own.relations = own.relations.weighted([membership: 1]) }
            planners[list] = Planner(model: list == .cosine ? cosine : set.model, configuration: own, key: key)
        }
        self.planners = planners
        let model = set.model
        popular = [UInt32](below: model.groupCount) { Int(model.size(of: $0, in: membership)) }
    }

    /// A list, cut to the length that counts.
    package struct MeasuredList: Sendable {
        package var list: EvaluatedList
        /// The number of the bucket, from 0; always 0 if the list does not rotate.
        package var bucket: Int
        package var items: [PlanItem]
        /// The interests of the list's member.
        package var interests: [Interest]
        /// The number of groups from which the list was chosen.
        package var candidateCount: Int
        /// The number of groups in the list before it is cut.
        package var wholeCount: Int
    }

    /// Returns all lists of a member, in the order of `EvaluatedList`, those of a rotating one bucket after bucket.
    package func lists(of profile: MemberProfile) -> [MeasuredList] {
        EvaluatedList.allCases.flatMap { list in
            (0..<(list.rotates ? Self.buckets : 1)).map { bucket in made(list, bucket, profile) }
        }
    }

    private func made(_ list: EvaluatedList, _ bucket: Int, _ profile: MemberProfile) -> MeasuredList {
        guard let planner = planners[list] else {
            let items = popular.first(length, without: profile.joined.lazy.map(\.group)).map {
                PlanItem(group: $0, score: 0, interest: nil, origin: .popular)
            }
            return MeasuredList(
                list: list, bucket: bucket, items: items, interests: [], candidateCount: popular.count,
                wholeCount: popular.count - profile.joined.count)
        }
        let plan = planner.plan(
            PlanRequest(profile: profile, atMilliseconds: instant + Int64(bucket) * bucketMilliseconds))
        return MeasuredList(
            list: list, bucket: bucket, items: Array(plan.items.prefix(length)), interests: plan.interests,
            candidateCount: plan.candidateCount, wholeCount: plan.items.count)
    }
}

extension ListMaker {
    /// The number of groups of a list that count for its stability.
    private static let stabilityLength = 100

    /// Returns how well a session's list keeps its order when the member joins or dismisses the group at its head.
    ///
    /// - Returns: the mean of Kendall's tau for the two changes, or `nil` if there are too few groups. Tau compares the
    ///   first 100 groups before and after, over the groups in both.
    func stability(of profile: MemberProfile) -> Double? {
        guard let planner = planners[.served] else { return nil }
        let plan = planner.plan(PlanRequest(profile: profile, atMilliseconds: instant))
        guard let head = plan.items.first?.group else { return nil }
        let before = plan.items.prefix(Self.stabilityLength).map(\.group)
        var joined = profile
        joined.joined = (joined.joined + [.init(group: head)]).sorted { $0.group < $1.group }
        var dismissing = profile
        dismissing.dismissals.append(.init(group: head, atMilliseconds: instant))
        let correlations = [joined, dismissing].compactMap { after in
            let patched = planner.patched(
                plan.items, madeAt: Array(1...plan.items.count), by: ProfileChanges(from: profile, to: after),
                for: PlanRequest(profile: after, atMilliseconds: instant))
            return RankCorrelation.tau(before, patched.prefix(Self.stabilityLength).map(\.group))
        }
        return correlations.isEmpty ? nil : correlations.reduce(0, +) / Double(correlations.count)
    }
}

/// The agreement of two orders.
enum RankCorrelation {
    /// Returns Kendall's tau between two lists, over the groups in both: 1 for the same order, −1 for the opposite.
    ///
    /// Lists have no ties, so this is tau-b (Kendall, "A new measure of rank correlation", 1938).
    ///
    /// - Returns: tau, or `nil` if the lists have fewer than two groups in common.
    /// - Complexity: O(groups²).
    static func tau(_ first: [UInt32], _ second: [UInt32]) -> Double? {
        let ranks = Dictionary(zip(second, 0...)) { first, _ in first }
        let common = first.compactMap { ranks[$0] }
        guard common.count > 1 else { return nil }
        var agreement = 0
        for (position, rank) in common.enumerated() {
            for later in common[(position + 1)...] { agreement += rank < later ? 1 : -1 }
        }
        return Double(agreement) / Double(common.count * (common.count - 1) / 2)
    }
}
