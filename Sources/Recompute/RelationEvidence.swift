import Model

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
    /// The least rise of the gain for a relation of features, in standard errors of the difference.
    private static let tellingErrors = 2.0
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

    /// Creates the evidence of some neighbour lists.
    ///
    /// - Parameter areCasesKnown: whether the lists of memberships were computed with what the cases leave out.
    init(
        _ parameters: RecomputeParameters, _ tables: [Relation: NeighbourTable], _ sizes: [Relation: [UInt32]],
        _ members: LeaveOneOutSample, areCasesKnown: Bool = true
    ) {
        relations = parameters.relations
        self.tables = tables
        meanBestScores = tables.mapValues(\.meanBestScore)
        self.members = members
        threads = parameters.threads
        membershipCuts = relations[.membership].flatMap { memberships in
            guard areCasesKnown else { return nil }
            return tables[memberships.relation].map {
                CutScores(of: $0, parameters[memberships.relation], sizes: sizes[memberships.relation] ?? [])
            }
        }
    }

    /// Returns the weights of relations of tables; none without enough memberships to learn from, or without a choice.
    func weights() -> [Relation: Double] {
        guard let memberships = relations[.membership], hasNeighbours(memberships),
            members.cases.count >= Self.leastMembers
        else { return [:] }
        let others = relations.tabled.filter { $0.relation != memberships.relation && hasNeighbours($0) }
        guard relations.contains(where: { $0.relation != memberships.relation && hasNeighbours($0) })
        else { return [:] }
        var weights = [memberships.relation: 1.0]
        for facts in others { weights[facts.relation] = best(facts, beside: weights) }
        return weights
    }

    /// Returns the weights of relations of features beside others; 0 without evidence that one helps.
    func featureWeights(beside weights: [Relation: Double]) -> [Relation: Double] {
        var (known, found) = (weights, [Relation: Double]())
        for facts in relations where facts.feature != nil && tables[facts.relation] != nil {
            let weight = !weights.isEmpty && hasNeighbours(facts) ? best(facts, beside: known) : 0
            (known[facts.relation], found[facts.relation]) = (weight, weight)
        }
        return found
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
        guard let gains = gains(weights, Self.popularityChoices, sizes) else { return nil }
        return Self.best(
            Self.popularityChoices, gains, leastRise: Self.leastRise(alone: gains[gains.count - 1], lists: gains[0]))
    }

    /// Returns the least rise for a weight of popularity, by the gains of popularity alone and of lists without it.
    private static func leastRise(alone: Double, lists: Double) -> Double {
        alone >= lists * popularityAlone ? leastRise : leastPopularityRise
    }

    /// Returns the gains of some weights of popularity, each over all cases, or `nil` if there is too little to learn
    /// from.
    private func gains(
        _ weights: [Relation: Double], _ choices: [Double], _ sizes: [UInt32], hints: [UInt32: [HintScore]] = [:],
        measure: @Sendable (LeaveOneOutRanking, _ popularity: Double) -> Double = {
            $0.gain(secondWeight: 0, popularity: $1)
        }
    ) -> [Double]? {
        guard let memberships = relations[.membership]?.relation, members.cases.count >= Self.leastMembers,
            let popularity = Popularity(sizes, of: { $0.squareRoot() })
        else { return nil }
        let known = weights.merging([memberships: 1]) { given, _ in given }
        return members.totalGains(threads: threads, scratch: { ScorePair(groupCount: sizes.count) }) { member, sums in
            defer { sums.clear() }
            add(known, of: member, to: &sums.first)
            for hint in hints[member.columns[0]] ?? [] { sums.first.add(hint.score, to: hint.group) }
            let found = LeaveOneOutRanking(member, sums, popularity)
            return choices.map { measure(found, $0) }
        }
    }

    /// The weight of popularity beside which hardly anything else counts.
    static let popularityAloneWeight = 1e5
    /// The least gain of popularity alone, relative to the gain of lists, at which it may find more.
    ///
    /// The influence of a left-out membership is taken away only approximately, so lists seem to find more than they
    /// do.
    private static let suspiciousPart = 0.6
    /// The least gain of popularity alone, relative to the best lists, with which it wins.
    ///
    /// The stages behind the scores cost about as much of what is found. It must also find more than the lists that
    /// would be served otherwise.
    private static let winningPart = 0.97

    /// Whether popularity alone finds nearly as much as lists, so that an honest comparison is worth its time.
    func mayPopularityWin(sizes: [UInt32]) -> Bool {
        guard let gains = gains([:], [0, Self.popularityAloneWeight], sizes) else { return false }
        return gains[1] >= Self.suspiciousPart * gains[0]
    }

    /// Returns the weight of popularity by cases that no neighbour list knows.
    ///
    /// - Parameters:
    ///   - hints: the scores that members' hints add, by the first column of a case.
    ///   - weight: the weight that evidence chose, which stays unless another finds more beyond chance.
    ///   - sizes: the number of members of every group.
    func honestPopularity(
        beside weights: [Relation: Double], _ hints: [UInt32: [HintScore]], chosen weight: Double?, sizes: [UInt32]
    ) -> PopularityTrial {
        let choices = [weight ?? 0] + Self.popularityChoices + [Self.popularityAloneWeight]
        let gains = gains(weights, choices, sizes, hints: hints) { $0.listGain(popularity: $1) }
        guard let gains, let alone = gains.last, let best = gains.max() else {
            return PopularityTrial(weight: weight, wins: false)
        }
        var trial = PopularityTrial(weight: weight, wins: false, alonePart: best > 0 ? alone / best : nil)
        if alone > gains[0], alone >= Self.winningPart * best {
            (trial.weight, trial.wins) = (Self.popularityAloneWeight, true)
        } else {
            let leastRise = Self.leastRise(alone: alone, lists: gains[0])
            if best > gains[0] * (1 + leastRise) { trial.weight = choices[gains.firstIndex(of: best) ?? 0] }
        }
        return trial
    }

    private func hasNeighbours(_ facts: RelationDescription) -> Bool {
        facts.weight > 0 && tables[facts.relation]?.neighbours.isEmpty == false
    }

    /// Returns the best weight of a relation beside others.
    private func best(_ facts: RelationDescription, beside weights: [Relation: Double]) -> Double {
        let trial = trial { member, sums in
            add(weights, of: member, to: &sums.first)
            add([facts.relation: 1], of: member, to: &sums.second)
        }
        return facts.feature == nil ? Self.best(Self.choices, trial.gains, leastRise: Self.leastRise) : trial.telling
    }

    /// The gains of all choices of a weight.
    private struct Trial {
        let gains: [Double]
        /// The sums of the squared differences of two choices' gains, by their indexes.
        private let squares: [Double]

        /// Creates a trial from the sums over all cases, as `sums(_:)` returns them for one.
        init(_ sums: [Double]) {
            let count = RelationEvidence.choices.count
            gains = Array(sums.prefix(count))
            squares = Array(sums.dropFirst(count))
        }

        /// Returns the gains of one case, then the squared differences of each two.
        static func sums(_ gains: [Double]) -> [Double] {
            gains + gains.flatMap { one in gains.map { (one - $0) * (one - $0) } }
        }

        /// The best weight, or 0 if it raises the gain too little, or within chance.
        var telling: Double {
            let choice = RelationEvidence.best(RelationEvidence.choices, gains, leastRise: RelationEvidence.leastRise)
            guard let best = RelationEvidence.choices.firstIndex(of: choice) else { return 0 }
            let error = squares[best * gains.count].squareRoot()
            return gains[best] - gains[0] > RelationEvidence.tellingErrors * error ? choice : 0
        }
    }

    /// Returns the gains of all choices of the weight of the second sum.
    private func trial(_ fill: @Sendable (LeaveOneOutSample.Case, inout ScorePair) -> Void) -> Trial {
        Trial(
            members.totalGains(threads: threads, scratch: { ScorePair(groupCount: groupCount) }) { member, sums in
                defer { sums.clear() }
                fill(member, &sums)
                let found = LeaveOneOutRanking(member, sums)
                return Trial.sums(Self.choices.map { found.gain(secondWeight: $0, popularity: 0) })
            })
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

    /// The score that a member's hint adds to a group.
    typealias HintScore = (group: UInt32, score: Double)

    /// Returns the scores that hints add, by the first column of each case that has some.
    func scores(of hints: MemberHints, weighted weights: [Manifest.EvidenceWeight]) -> [UInt32: [HintScore]] {
        var scores: [UInt32: [HintScore]] = [:]
        for evidence in weights where evidence.weight > 0 && evidence.kind.source != nil {
            for (column, found) in known(hints, evidence.kind) {
                scores[column, default: []] += found.map {
                    ($0.group, evidence.weight / evidence.unit * hints.score($0))
                }
            }
        }
        return scores
    }

    /// Returns the best weight of a kind of hints beside relations, among the members who have some.
    func best(
        _ weights: [Relation: Double], hints: [UInt32: [GroupHint]], unit: Double, _ kind: EvidenceKind,
        sizes: MemberHints
    ) -> Double {
        let known = relations[.membership].map { weights.merging([$0.relation: 1]) { given, _ in given } } ?? weights
        let trial = trial { member, sums in
            // A case without hints has no scores, and gains nothing.
            guard let hints = hints[member.columns[0]] else { return }
            add(known, of: member, to: &sums.first)
            if kind == .photos {
                // 1 + w ln(1 + n) for each of the member's groups: the second sum has the part that w multiplies.
                let factors = Dictionary(hints.map { ($0.group, Double($0.units) / unit) }) { $1 }
                add(known, of: member, to: &sums.second) { factors[$0] ?? 0 }
            } else {
                for hint in hints { sums.second.add(sizes.score(hint) / unit, to: hint.group) }
            }
        }
        return Self.best(Self.choices, trial.gains, leastRise: Self.leastRise)
    }

    /// Returns the choice with the greatest gain; ties go to the least choice.
    ///
    /// - Returns: 0 if the greatest gain is not enough above that of the first choice.
    private static func best(_ choices: [Double], _ gains: [Double], leastRise: Double) -> Double {
        guard let greatest = gains.max(), greatest > gains[0] * (1 + leastRise) else { return 0 }
        return choices[gains.firstIndex(of: greatest) ?? 0]
    }

    private var groupCount: Int { (tables.values.first?.offsets.count ?? 1) - 1 }

    /// Adds the weighted scores of the neighbours of a case's groups.
    ///
    /// - Parameter factor: a function that returns the factor of each of the groups.
    private func add(
        _ weights: [Relation: Double], of member: LeaveOneOutSample.Case, to sums: inout ScoreSums,
        factor: (UInt32) -> Double = { _ in 1 }
    ) {
        // In a fixed order, because the rounding of a sum depends on the order.
        for facts in relations {
            if let weight = weights[facts.relation] { add(facts.relation, weight, of: member, to: &sums, factor) }
        }
    }

    private func add(
        _ relation: Relation, _ weight: Double, of member: LeaveOneOutSample.Case, to sums: inout ScoreSums,
        _ factorOfGroup: (UInt32) -> Double
    ) {
        guard weight > 0, let table = tables[relation], let facts = relations[relation],
            let meanBestScore = meanBestScores[relation]
        else { return }
        for group in member.others {
            let factor = weight * facts.weight / meanBestScore * factorOfGroup(group)
            guard factor > 0 else { continue }
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

/// The outcome of a comparison of lists with popularity.
struct PopularityTrial: Sendable, Equatable {
    /// The weight of popularity, or `nil` if there is too little to learn from.
    var weight: Double?
    /// Whether popularity alone finds as much as any list.
    var wins: Bool
    /// The gain of popularity alone relative to the best lists, or `nil` if it was not compared with care.
    var alonePart: Double?
}
