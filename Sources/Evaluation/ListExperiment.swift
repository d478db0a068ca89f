public import Model
public import Recommendation
import SparseMatrix

/// What each stage of a list does to members' lists, measured against the list before that stage.
public struct ListExperiment: Sendable {
    /// Lists made with more and more stages.
    public enum Pipeline: Int, Sendable, CaseIterable {
        /// The best by raw score: no stage that can be left out.
        case raw
        /// With filters.
        case filtered
        /// With diversity.
        case diverse
        /// With rotation: all stages that apply to what a file of memberships tells.
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
    /// Any instant will do: it only chooses the bucket.
    private let instant: Int64 = 1_795_000_000_000

    /// An experiment with a model of the set.
    public init(_ set: EvaluationSet, model: ModelVersion, configuration: PlanConfiguration, key: RotationKey) {
        self.set = set
        bucketMilliseconds = Int64(configuration.rotation.hours * 3_600_000)
        planners = Pipeline.allCases.map { pipeline in
            var configuration = configuration
            configuration.omitted = pipeline.omitted
            return Planner(model: model, configuration: configuration, key: key)
        }
    }

    /// Adds what the lists of some members show.
    public func measure(members: Range<Int>, into sums: inout ListSums) {
        for member in set.members[members] { measure(member, into: &sums) }
    }

    private func measure(_ member: EvaluationSet.Member, into sums: inout ListSums) {
        let profile = MemberProfile(userID: member.id, joined: member.joined.map { .init(group: $0) })
        func plan(_ pipeline: Pipeline, bucketsLater: Int = 0) -> Plan {
            planners[pipeline.rawValue].plan(
                PlanRequest(
                    profile: profile, atMilliseconds: instant + Int64(bucketsLater) * bucketMilliseconds))
        }
        func beginning(_ plan: Plan) -> [PlanItem] { Array(plan.items.prefix(Self.length)) }
        let plans = Pipeline.allCases.map { plan($0) }
        for (pipeline, plan) in zip(Pipeline.allCases, plans) {
            let items = beginning(plan)
            sums.add(
                pipeline, score: items.reduce(0) { $0 + $1.score },
                baselineScore: beginning(plans[0]).reduce(0) { $0 + $1.score },
                stored: IntraListSimilarity.stored(items.map(\.group), in: planners[0].model),
                exact: IntraListSimilarity.exact(items.map(\.group), set.matrix),
                accuracy: member.heldOut.isEmpty
                    ? nil : Accuracy(of: items.map(\.group), heldOut: member.heldOut),
                shareError: shareError(items, plan.interests))
        }
        let unrotated = beginning(plans[Pipeline.diverse.rawValue]).reduce(0) { $0 + $1.score }
        let rotated = beginning(plans[Pipeline.rotated.rawValue]).reduce(0) { $0 + $1.score }
        guard plans[Pipeline.rotated.rawValue].candidateCount >= 100, unrotated > 0 else { return }
        var changed = 0.0
        var before = Set(beginning(plans[Pipeline.rotated.rawValue]).map(\.group))
        for step in 1...Self.transitions {
            let after = Set(beginning(plan(.rotated, bucketsLater: step)).map(\.group))
            changed += 1 - Double(before.intersection(after).count) / Double(Self.length)
            before = after
        }
        sums.addRotation(change: changed / Double(Self.transitions), kept: rotated / unrotated)
    }

    /// ½ Σ |share of the list − share of the profile|, full lists only.
    private func shareError(_ items: [PlanItem], _ interests: [Interest]) -> Double? {
        guard items.count == Self.length else { return nil }
        var counts = [Int](repeating: 0, count: interests.count)
        for item in items { if let interest = item.interest { counts[interest] += 1 } }
        return zip(interests, counts).reduce(0) { $0 + abs(Double($1.1) / Double(items.count) - $1.0.share) } / 2
    }
}
