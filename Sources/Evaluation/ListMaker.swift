import Model
public import Recommendation
import Similarity

/// Makes all lists of a member that are compared.
public struct ListMaker: Sendable {
    /// How many buckets rotating lists are made for.
    static let buckets = 6

    let planners: [EvaluatedList: Planner]
    let instant: Int64
    private let popular: [UInt32]
    private let bucketMilliseconds: Int64
    private let length: Int

    /// A maker of lists.
    ///
    /// - Parameters:
    ///   - configuration: how lists are made for users; stages that it omits are omitted everywhere.
    ///   - key: the rotation key.
    ///   - instant: the moment of the first bucket, in Unix milliseconds.
    ///   - length: how many groups of a list count.
    public init(
        _ set: EvaluationSet, configuration: PlanConfiguration, key: RotationKey, atMilliseconds instant: Int64,
        length: Int, threads: Int
    ) throws(EvaluationError) {
        self.instant = instant
        self.length = length
        bucketMilliseconds = Int64(configuration.rotation.hours * 3_600_000)
        let membership = configuration.relations[.membership]?.relation ?? RelationFacts.members.relation
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
        popular = (0..<UInt32(model.groupCount)).sorted {
            let (left, right) = (model.size(of: Int($0), in: membership), model.size(of: Int($1), in: membership))
            return left != right ? left > right : $0 < $1
        }
    }

    /// A list, cut to the length that counts.
    public struct MadeList: Sendable {
        /// Which list.
        public var list: EvaluatedList
        /// Of which bucket, from 0; always 0 if it does not rotate.
        public var bucket: Int
        /// Its groups.
        public var items: [PlanItem]
        /// The interests of its member.
        public var interests: [Interest]
        /// How many groups it was chosen from.
        public var candidateCount: Int
        /// How many groups it has before it is cut.
        public var wholeCount: Int
    }

    /// All lists of a member, in the order of `EvaluatedList`, and of a rotating one bucket after bucket.
    public func lists(of profile: MemberProfile) -> [MadeList] {
        EvaluatedList.allCases.flatMap { list in
            (0..<(list.rotates ? Self.buckets : 1)).map { bucket in made(list, bucket, profile) }
        }
    }

    private func made(_ list: EvaluatedList, _ bucket: Int, _ profile: MemberProfile) -> MadeList {
        guard let planner = planners[list] else {
            let joined = Set(profile.joined.map(\.group))
            let items = popular.lazy.filter { !joined.contains($0) }.prefix(length).map {
                PlanItem(group: $0, score: 0, interest: nil, origin: .popular)
            }
            return MadeList(
                list: list, bucket: bucket, items: Array(items), interests: [], candidateCount: popular.count,
                wholeCount: popular.count - joined.count)
        }
        let plan = planner.plan(
            PlanRequest(profile: profile, atMilliseconds: instant + Int64(bucket) * bucketMilliseconds))
        return MadeList(
            list: list, bucket: bucket, items: Array(plan.items.prefix(length)), interests: plan.interests,
            candidateCount: plan.candidateCount, wholeCount: plan.items.count)
    }
}
