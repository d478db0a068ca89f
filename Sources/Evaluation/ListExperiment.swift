import Glibc
public import Model
public import Recommendation
import SparseMatrix

/// Measures what each stage does to members' lists.
public struct ListExperiment: Sendable {
    /// Lists made with an increasing number of stages.
    public enum Pipeline: Int, Sendable, CaseIterable {
        /// The best groups by raw score: without the stages that can be omitted.
        case raw
        /// And filters.
        case filtered
        /// And diversity.
        case diverse
        /// And rotation: all stages that need only memberships.
        case rotated

        var omitted: Set<PlanStage> {
            switch self {
            case .raw: [.filters, .season, .rotation, .fatigue, .diversity, .coldStart]
            case .filtered: [.season, .rotation, .fatigue, .diversity, .coldStart]
            case .diverse: [.season, .rotation, .fatigue, .coldStart]
            case .rotated: [.season, .fatigue, .coldStart]
            }
        }
    }

    private static let length = 20
    private static let transitions = 5
    private let set: EvaluationSet
    private let planners: [Planner]
    private let bucketMilliseconds: Int64
    /// Any instant serves: it only chooses the bucket.
    static let instant: Int64 = 1_795_000_000_000

    /// An experiment with a model of the evaluation set.
    public init(_ set: EvaluationSet, model: ModelVersion, configuration: PlanConfiguration, key: RotationKey) {
        self.set = set
        bucketMilliseconds = Int64(configuration.rotation.hours * 3_600_000)
        planners = Pipeline.allCases.map { pipeline in
            var configuration = configuration
            configuration.omitted = pipeline.omitted
            return Planner(model: model, configuration: configuration, key: key)
        }
    }

    /// Adds the measures of some members' lists.
    public func measure(members: Range<Int>, into sums: inout ListSums) {
        for member in set.members[members] { measure(member, into: &sums) }
    }

    private func measure(_ member: EvaluationSet.Member, into sums: inout ListSums) {
        let profile = MemberProfile(userID: member.id, joined: member.joined.map { .init(group: $0) })
        // Rotated lists of several buckets: a single one would show chance rather than the effect.
        let plans = Pipeline.allCases.map { pipeline in
            (pipeline == .rotated ? 0...Self.transitions : 0...0).map { bucket in
                planners[pipeline.rawValue].plan(
                    PlanRequest(profile: profile, atMilliseconds: Self.instant + Int64(bucket) * bucketMilliseconds))
            }
        }
        let baselineScore = score(beginning(plans[Pipeline.raw.rawValue][0]))
        for pipeline in Pipeline.allCases {
            let plans = plans[pipeline.rawValue]
            for plan in plans {
                let items = beginning(plan)
                let groups = items.map(\.group)
                sums.add(
                    pipeline, score: score(items), baselineScore: baselineScore,
                    stored: IntraListSimilarity.stored(groups, in: planners[0].model),
                    exact: IntraListSimilarity.exact(groups, set.matrix),
                    accuracy: member.heldOutCount == 0
                        ? nil : Accuracy(of: groups, heldOut: member.heldOut, heldOutCount: member.heldOutCount),
                    shareError: shareError(items, plan.interests), weight: 1 / Double(plans.count))
            }
        }
        sums.addMember(isScored: baselineScore > 0, isTested: member.heldOutCount > 0)
        measureRotation(plans[Pipeline.rotated.rawValue], plans[Pipeline.diverse.rawValue][0], into: &sums)
    }

    /// Measures the change from one bucket to the next.
    private func measureRotation(_ rotated: [Plan], _ unrotated: Plan, into sums: inout ListSums) {
        let unrotatedScore = score(beginning(unrotated))
        guard unrotated.candidateCount >= 100, unrotatedScore > 0 else { return }
        let groups = rotated.map { Set(beginning($0).map(\.group)) }
        let changed = zip(groups, groups.dropFirst()).reduce(0) { $0 + Self.length - $1.0.intersection($1.1).count }
        sums.addRotation(
            change: Double(changed) / Double(Self.length * Self.transitions),
            kept: score(beginning(rotated[0])) / unrotatedScore)
    }

    private func beginning(_ plan: Plan) -> [PlanItem] { Array(plan.items.prefix(Self.length)) }

    private func score(_ items: [PlanItem]) -> Double { items.reduce(0) { $0 + $1.score } }

    /// ½ Σ |share of the list − share of the profile|, full lists only.
    private func shareError(_ items: [PlanItem], _ interests: [Interest]) -> Double? {
        guard items.count == Self.length else { return nil }
        var counts = [Int](repeating: 0, count: interests.count)
        for item in items { if let interest = item.interest { counts[interest] += 1 } }
        return zip(interests, counts).reduce(0) { $0 + abs(Double($1.1) / Double(items.count) - $1.0.share) } / 2
    }
}

/// How many of the held-out groups a list contains.
struct Accuracy {
    /// Hits divided by the number of held-out groups.
    let recall: Double
    /// Hits discounted by log₂(rank + 1), divided by the best possible sum (NDCG; Järvelin and Kekäläinen 2002).
    let gain: Double

    /// The accuracy of the first 20 groups of a list.
    ///
    /// - Parameters:
    ///   - heldOut: the groups that a list can contain.
    ///   - heldOutCount: how many were held out in all, at least 1.
    init(of list: [UInt32], heldOut: [UInt32], heldOutCount: Int) {
        let wanted = Set(heldOut)
        var (hits, sum) = (0, 0.0)
        for (index, group) in list.prefix(20).enumerated() where wanted.contains(group) {
            hits += 1
            sum += 1 / log2(Double(index + 2))
        }
        let ideal = (0..<min(20, heldOutCount)).reduce(0) { $0 + 1 / log2(Double($1 + 2)) }
        recall = Double(hits) / Double(heldOutCount)
        gain = sum / ideal
    }
}
