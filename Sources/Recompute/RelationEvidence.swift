import Model
import Similarity

/// What each relation should count in members' lists: as much as finds memberships best that are left out.
///
/// A membership that is left out is still in the members' lists, which were computed with it. Its own part in a score
/// is taken away: one of the c common members of the two groups, and a place in a list that they would not have without
/// it.
struct RelationEvidence: Sendable {
    /// What a relation may count beside memberships, whose weight is 1.
    private static let choices = [0, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4]
    /// What the size of a group may count, in units of the mean best score.
    private static let popularityChoices = [0, 0.1, 0.3, 1, 3, 10]
    /// With fewer members chance would choose.
    private static let leastMembers = 100
    /// Something counts only if it raises the gain by this part: what is less may be chance.
    private static let leastRise = 0.02
    /// Popularity must raise it by more: of a member's groups a large one is more often left out than joined next.
    private static let leastPopularityRise = 0.1
    /// Less is enough if popularity nearly alone has this part of the gain: lists must not find less than it does.
    private static let popularityAlone = 0.97

    private let relations: RelationTable
    private let tables: [Relation: NeighbourTable]
    /// What makes the scores of relations comparable.
    private let meanBestScores: [Relation: Double]
    private let members: LeaveOneOutSample
    private let threads: Int
    private let membershipCuts: CutScores?

    init(_ parameters: RecomputeParameters, _ tables: [Relation: NeighbourTable], _ members: LeaveOneOutSample) {
        relations = parameters.relations
        self.tables = tables
        meanBestScores = tables.mapValues(\.meanBestScore)
        self.members = members
        threads = parameters.threads
        membershipCuts = relations[.membership].flatMap { memberships in
            tables[memberships.relation].map { CutScores(of: $0, parameters[memberships.relation]) }
        }
    }

    /// The weights by relation; none if there are no memberships to learn from, or nothing to choose.
    func weights() -> [Relation: Double] {
        guard let memberships = relations[.membership], hasNeighbours(memberships),
            members.cases.count >= Self.leastMembers
        else { return [:] }
        let others = relations.filter { $0.relation != memberships.relation && hasNeighbours($0) }
        guard !others.isEmpty else { return [:] }
        var weights = [memberships.relation: 1.0]
        for facts in others { weights[facts.relation] = best(facts, beside: weights) }
        return weights
    }

    /// What the square root of a group's members counts, for the largest group; nil if there is nothing to learn from.
    ///
    /// Where few groups have most of the members, popular groups are found far more often than neighbours.
    ///
    /// - Parameters:
    ///   - weights: what relations count; memberships 1 if it says nothing of them.
    ///   - sizes: the members of every group.
    func popularityWeight(beside weights: [Relation: Double], sizes: [UInt32]) -> Double? {
        guard let memberships = relations[.membership], members.cases.count >= Self.leastMembers,
            let popularity = Popularity(sizes, of: { $0.squareRoot() })
        else { return nil }
        let known = weights.merging([memberships.relation: 1]) { given, _ in given }
        let gains = members.totalGains(threads: threads, scratch: { ScorePair(groupCount: sizes.count) }) {
            member, sums in
            defer { sums.clear() }
            add(known, of: member, to: &sums.first)
            let found = FoundGroups(member, sums, popularity)
            return Self.popularityChoices.map { found.gain(secondWeight: 0, popularity: $0) }
        }
        let findsAsMuch = gains[gains.count - 1] >= gains[0] * Self.popularityAlone
        return Self.best(
            Self.popularityChoices, gains, leastRise: findsAsMuch ? Self.leastRise : Self.leastPopularityRise)
    }

    private func hasNeighbours(_ facts: RelationFacts) -> Bool {
        facts.weight > 0 && tables[facts.relation]?.neighbours.isEmpty == false
    }

    /// What a relation counts beside others.
    private func best(_ facts: RelationFacts, beside weights: [Relation: Double]) -> Double {
        let gains = members.totalGains(threads: threads, scratch: { ScorePair(groupCount: groupCount) }) {
            member, sums in
            defer { sums.clear() }
            add(weights, of: member, to: &sums.first)
            add([facts.relation: 1], of: member, to: &sums.second)
            let found = FoundGroups(member, sums)
            return Self.choices.map { found.gain(secondWeight: $0, popularity: 0) }
        }
        return Self.best(Self.choices, gains, leastRise: Self.leastRise)
    }

    /// The choice with the greatest gain, of equal ones the least; 0, the first, if that gains next to nothing.
    private static func best(_ choices: [Double], _ gains: [Double], leastRise: Double) -> Double {
        guard let greatest = gains.max(), greatest > gains[0] * (1 + leastRise) else { return 0 }
        return choices[gains.firstIndex(of: greatest) ?? 0]
    }

    private var groupCount: Int { (tables.values.first?.offsets.count ?? 1) - 1 }

    private func add(
        _ weights: [Relation: Double], of member: LeaveOneOutSample.Case, to sums: inout ScoreSums
    ) {
        // In a fixed order: a rounded sum depends on it.
        for facts in relations {
            if let weight = weights[facts.relation] { add(facts.relation, weight, of: member, to: &sums) }
        }
    }

    private func add(
        _ relation: Relation, _ weight: Double, of member: LeaveOneOutSample.Case, to sums: inout ScoreSums
    ) {
        guard weight > 0, let table = tables[relation], let facts = relations[relation],
            let meanBestScore = meanBestScores[relation]
        else { return }
        let factor = weight * facts.weight / meanBestScore
        for group in member.others {
            for neighbour in table.list(of: Int(group)) {
                var score = factor * Double(neighbour.score)
                if neighbour.index == member.leftOut, facts.role == .membership, let membershipCuts {
                    score *= membershipCuts.partLeft(ofNeighbour: neighbour, inListOf: group)
                }
                sums.add(score, to: neighbour.index)
            }
        }
    }
}
