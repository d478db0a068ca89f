import Model
import Recommendation

/// A member's list as JSON: the same names as over HTTP.
struct PlanJSON: Encodable {
    var modelVersion, userId: String
    /// Joined groups that the model has.
    var joined: Int
    var bucket: Int64
    /// Candidates that passed all filters.
    var candidates: Int
    var interests: [InterestRow]
    var recommendations: [Row]
    var stages: [Stage]?

    struct InterestRow: Encodable {
        var name: String
        var share: Double
        var groupIds: [String]
    }

    struct Row: Encodable {
        var rank: Int
        var groupId, title: String
        /// The raw score: the sum of what the reasons contribute.
        var score: Double
        var origin: String
        /// The name of the interest it serves.
        var interest: String?
        /// Its place in the list of interests, from 0.
        var interestIndex: Int?
        var reasons: [Reason]
    }

    struct Reason: Encodable {
        var groupId, title, relation: String
        /// Part of the score that it brings, 0 to 1.
        var share: Double
        var common: UInt32
    }

    struct Stage: Encodable {
        var stage: String
        var taken, passed: Int
        var note: String
        var microseconds: Double
    }

    init(
        _ plan: Plan, _ profile: MemberProfile, _ planner: Planner, version: VersionName, limit: Int,
        stages: [Stage]?
    ) {
        let model = planner.model
        modelVersion = version.description
        userId = profile.userID
        joined = profile.joined.count
        bucket = plan.bucket
        candidates = plan.candidateCount
        self.stages = stages
        let names = plan.interests.map { $0.name(in: model) }
        interests = zip(plan.interests, names).map { interest, name in
            InterestRow(name: name, share: interest.share, groupIds: interest.groups.map { model.id(of: Int($0)) })
        }
        let items = plan.items.prefix(limit)
        recommendations = zip(items, planner.reasons(for: items, of: profile)).enumerated().map { place, pair in
            let (item, reasons) = pair
            return Row(
                rank: place + 1, groupId: model.id(of: Int(item.group)), title: model.title(of: Int(item.group)),
                score: item.score, origin: item.origin.rawValue, interest: item.interest.map { names[$0] },
                interestIndex: item.interest, reasons: reasons.map { Reason($0, ofScore: item.score, in: model) })
        }
    }
}

extension PlanJSON.Reason {
    init(_ reason: Suggestion.Reason, ofScore score: Double, in model: ModelVersion) {
        groupId = model.id(of: Int(reason.seed))
        title = model.title(of: Int(reason.seed))
        relation = reason.relation.rawValue
        share = reason.contribution / score
        common = reason.common
    }
}
