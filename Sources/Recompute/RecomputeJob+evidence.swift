import Basics
import Model
import Similarity

extension RecomputeJob {
    /// The neighbours by membership without what a sample looks for.
    struct HonestNeighbours {
        let table: NeighbourTable
        /// Whether popularity may find as much as lists.
        let mayPopularityWin: Bool
    }

    /// The most memberships with which the neighbours are found again for other evidence than popularity.
    ///
    /// One membership less hardly changes the lists of large groups. So the approximation of `RelationEvidence` is near
    /// enough in greater communities, and saves most of the time.
    private static let mostHonestEntries = 2_000_000

    /// Returns the neighbours that are found without the memberships that a sample leaves out.
    ///
    /// - Parameter isAsked: whether there is evidence beside memberships and pools.
    /// - Returns: `nil` if the comparison is not worth its time.
    func honestNeighbours(
        _ relation: Relation, _ matrix: BinaryMatrix, _ table: NeighbourTable, _ sample: LeaveOneOutSample,
        _ sizes: [UInt32], isAsked: Bool, _ clock: StepClock
    ) throws(Failure) -> (HonestNeighbours?, outcome: String) {
        guard sample.cases.count >= RelationEvidence.leastMembers else { return (nil, "too few members to compare") }
        let mayWin = RelationEvidence(parameters, [relation: table], sample).mayPopularityWin(sizes: sizes)
        guard mayWin || isAsked && matrix.entryCount <= Self.mostHonestEntries else {
            return (nil, "similarity finds far more")
        }
        // Other members with the same groups keep theirs, as members with these tastes would.
        var leftOut: [UInt32: UInt32] = [:]
        for sampled in sample.cases { leftOut[sampled.columns[0]] = sampled.leftOut }
        let rest: BinaryMatrix
        do throws(MatrixError) { rest = try matrix.filtered { row, column in leftOut[column] != row } } catch {
            throw Failure(.badData, "\(error)")
        }
        // Other machines know of one comparison for each relation.
        let search = NeighbourSearch(
            parameters: parameters[relation], threads: parameters.threads, path: parameters.path)
        let found = try OwnThreads().neighbours(relation, of: rest, search, identity: 0) { done, total in
            clock.advance(done: done, total: total, unit: nil)
        }
        let honest = HonestNeighbours(table: found, mayPopularityWin: mayWin)
        return (honest, "\(leftOut.count) memberships left out, and neighbours found again")
    }

    /// The weights in lists, as far as there is evidence.
    struct Evidence {
        var relations: [Relation: Double] = [:]
        var popularity = PopularityTrial(wins: false)
        var told: [Manifest.EvidenceWeight]?
        var photos: Manifest.PhotoWeights?
    }

    func weigh(
        _ tables: [Relation: NeighbourTable], _ sizes: [Relation: [UInt32]], _ users: LeaveOneOutSample,
        _ photos: LeaveOneOutSample, _ hints: MemberHints, _ honest: HonestNeighbours?
    ) -> (Evidence, outcome: String) {
        let sample = RelationEvidence(parameters, tables, users)
        let membership = parameters.relations[.membership]?.relation
        let fair =
            if let honest, let membership {
                RelationEvidence(
                    parameters, tables.merging([membership: honest.table]) { $1 }, users, areCasesKnown: false)
            } else { sample }
        let pairs = sample.weights()
        var weights = pairs.merging(fair.featureWeights(beside: pairs)) { $1 }
        weights.merge(parameters.tunedWeights) { $1 }
        let told = sample.evidenceWeights(hints, beside: weights, fair)
        let members = membership.flatMap { sizes[$0] } ?? []
        var popularity = PopularityTrial(
            weight: sample.popularityWeight(beside: weights, sizes: members), wins: false)
        if honest?.mayPopularityWin == true {
            popularity = fair.honestPopularity(
                beside: weights, sample.scores(of: hints, weighted: told ?? []), chosen: popularity.weight,
                sizes: members)
        }
        let evidence = Evidence(
            relations: weights, popularity: popularity, told: told,
            photos: PhotoEvidence(parameters, tables, sizes, photos).weights())
        var chosen = weights.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
        chosen += (told ?? []).map { "told \($0.kind.rawValue) \($0.weight)" }
        if let weight = popularity.weight, !popularity.wins { chosen.append("popularity \(weight)") }
        if let part = popularity.alonePart {
            chosen.append("popularity alone finds \(Int((part * 100).rounded()))% of the best")
        }
        if popularity.wins { chosen.append("so the most popular groups are served") }
        if let photos = evidence.photos {
            chosen.append("for photos: other relations \(photos.otherRelations), popularity \(photos.popularity)")
        }
        return (evidence, chosen.isEmpty ? "nothing to choose" : chosen.joined(separator: ", "))
    }
}
