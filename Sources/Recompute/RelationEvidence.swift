import Model
import Similarity

/// Finds the weights of relations in members' lists.
///
/// The best weights rank the memberships that are left out highest. The neighbour lists were computed with these
/// memberships. So the influence of such a membership on a score is taken away: one of the c common members of the two
/// groups. A group also loses its place in a list if it would not have the place without that member.
struct RelationEvidence: Sendable {
    /// The weights to try for a relation; memberships have weight 1.
    private static let choices = [0, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4]
    /// The weights to try for the size of a group, in units of the mean best score.
    private static let popularityChoices = [0, 0.1, 0.3, 1, 3, 10]
    /// The least number of members; with fewer the choice would be chance.
    static let leastMembers = 100
    /// The least relative rise of the gain for a weight to count; a smaller rise may be chance.
    private static let leastRise = 0.02
    /// The same for popularity, which must raise the gain by more.
    ///
    /// A large group of a member is more often the one left out than the one joined next.
    private static let leastPopularityRise = 0.1
    /// The least gain of the greatest weight of popularity for `leastRise` to suffice, relative to the gain without.
    ///
    /// Chosen lists must not find less than lists by popularity nearly alone.
    private static let popularityAlone = 0.97

    private let relations: RelationTable
    private let tables: [Relation: NeighbourTable]
    /// The mean best score of each relation; divided by it, scores of relations are comparable.
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

    /// Returns the weights by relation; none without enough memberships to learn from, or without a choice.
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

    /// Returns the weight of the square root of the number of members, for the largest group.
    ///
    /// If few groups have most of the members, popular groups are found far more often than neighbours.
    ///
    /// - Parameters:
    ///   - weights: the weights of relations; memberships have weight 1 if it is not given.
    ///   - sizes: the number of members of every group.
    /// - Returns: `nil` if there is too little to learn from.
    func popularityWeight(beside weights: [Relation: Double], sizes: [UInt32]) -> Double? {
        guard let memberships = relations[.membership], members.cases.count >= Self.leastMembers,
            let popularity = Popularity(sizes, of: { $0.squareRoot() })
        else { return nil }
        let known = weights.merging([memberships.relation: 1]) { given, _ in given }
        let gains = members.totalGains(threads: threads, scratch: { ScorePair(groupCount: sizes.count) }) {
            member, sums in
            defer { sums.clear() }
            add(known, of: member, to: &sums.first)
            let found = LeaveOneOutRanking(member, sums, popularity)
            return Self.popularityChoices.map { found.gain(secondWeight: 0, popularity: $0) }
        }
        let findsAsMuch = gains[gains.count - 1] >= gains[0] * Self.popularityAlone
        return Self.best(
            Self.popularityChoices, gains, leastRise: findsAsMuch ? Self.leastRise : Self.leastPopularityRise)
    }

    private func hasNeighbours(_ facts: RelationDescription) -> Bool {
        facts.weight > 0 && tables[facts.relation]?.neighbours.isEmpty == false
    }

    /// Returns the best weight of a relation beside others.
    private func best(_ facts: RelationDescription, beside weights: [Relation: Double]) -> Double {
        let gains = members.totalGains(threads: threads, scratch: { ScorePair(groupCount: groupCount) }) {
            member, sums in
            defer { sums.clear() }
            add(weights, of: member, to: &sums.first)
            add([facts.relation: 1], of: member, to: &sums.second)
            let found = LeaveOneOutRanking(member, sums)
            return Self.choices.map { found.gain(secondWeight: $0, popularity: 0) }
        }
        return Self.best(Self.choices, gains, leastRise: Self.leastRise)
    }

    /// Returns the hints of a kind of each case that has some.
    ///
    /// Of several members with the same groups, the one with the first hints counts, whatever their numbers.
    func known(_ hints: MemberHints, _ kind: EvidenceKind) -> [UInt32: [GroupHint]] {
        var known: [UInt32: [GroupHint]] = [:]
        for sampled in members.cases {
            let found = sampled.columns.map { hints.hints(kind, ofUser: Int($0)) }.filter { !$0.isEmpty }
            let first = found.min { one, other in
                one.lexicographicallyPrecedes(other) { ($0.group, $0.units) < ($1.group, $1.units) }
            }
            if let first { known[sampled.columns[0]] = first }
        }
        return known
    }

    /// Returns the best weight of a kind of hints beside relations, among the members who have some.
    func best(
        _ weights: [Relation: Double], hints: [UInt32: [GroupHint]], unit: Double, _ kind: EvidenceKind,
        sizes: MemberHints
    ) -> Double {
        let known = relations[.membership].map { weights.merging([$0.relation: 1]) { given, _ in given } } ?? weights
        let gains = members.totalGains(threads: threads, scratch: { ScorePair(groupCount: groupCount) }) {
            member, sums in
            guard let hints = hints[member.columns[0]] else { return Self.choices.map { _ in 0 } }
            defer { sums.clear() }
            add(known, of: member, to: &sums.first)
            for hint in hints { sums.second.add(sizes.score(hint) / unit, to: hint.group) }
            let found = LeaveOneOutRanking(member, sums)
            return Self.choices.map { found.gain(secondWeight: $0, popularity: 0) }
        }
        return Self.best(Self.choices, gains, leastRise: Self.leastRise)
    }

    /// Returns the choice with the greatest gain; ties go to the least choice.
    ///
    /// - Returns: 0 if the greatest gain is not enough above that of the first choice.
    private static func best(_ choices: [Double], _ gains: [Double], leastRise: Double) -> Double {
        guard let greatest = gains.max(), greatest > gains[0] * (1 + leastRise) else { return 0 }
        return choices[gains.firstIndex(of: greatest) ?? 0]
    }

    private var groupCount: Int { (tables.values.first?.offsets.count ?? 1) - 1 }

    private func add(
        _ weights: [Relation: Double], of member: LeaveOneOutSample.Case, to sums: inout ScoreSums
    ) {
        // In a fixed order, because the rounding of a sum depends on the order.
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
