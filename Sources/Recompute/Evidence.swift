import Basics
import Model
import Similarity

/// The neighbours by membership without what a sample looks for.
struct HonestNeighbours {
    let table: NeighbourTable
    /// Whether popularity may find as much as lists.
    let mayPopularityWin: Bool

    /// The most memberships with which the neighbours are found again for other evidence than popularity.
    ///
    /// One membership less hardly changes the lists of large groups. So the approximation of `RelationEvidence` is near
    /// enough in greater communities, and saves most of the time.
    private static let mostEntries = 2_000_000

    /// Returns the neighbours that are found without the memberships that a sample leaves out.
    ///
    /// - Parameter isAsked: whether there is evidence beside memberships and pools.
    /// - Returns: `nil` if the comparison is not worth its time.
    static func found(
        _ members: ComparedRelation, _ matrix: BinaryMatrix, _ sample: LeaveOneOutSample, isAsked: Bool, _ run: JobRun
    ) throws(Failure) -> HonestNeighbours? {
        let (relation, clock) = (members.report.relation, run.clock)
        return try clock.step(.popularity(relation)) { () throws(Failure) in
            guard sample.cases.count >= RelationEvidence.leastMembers else {
                return (nil, "too few members to compare")
            }
            let evidence = RelationEvidence(
                run.parameters, [relation: members.table], [relation: members.sizes], sample)
            let mayWin = evidence.mayPopularityWin(sizes: members.sizes)
            guard mayWin || isAsked && matrix.entryCount <= mostEntries else {
                return (nil, "similarity finds far more")
            }
            // Other members with the same groups keep theirs, as members with these tastes would.
            var leftOut: [UInt32: UInt32] = [:]
            for sampled in sample.cases { leftOut[sampled.columns[0]] = sampled.leftOut }
            let rest = try matrix.filtered { row, column in leftOut[column] != row }
            // Other machines know of one comparison for each relation.
            let found = run.search(relation).run(on: rest) { clock.advance(done: $0, total: $1) }
            let honest = HonestNeighbours(table: found, mayPopularityWin: mayWin)
            return (honest, "\(leftOut.count) memberships left out, and neighbours found again")
        }
    }
}

/// The weights in lists, as far as there is evidence.
struct Evidence {
    let relations: [Relation: Double]
    let popularity: PopularityTrial
    let told: [Manifest.EvidenceWeight]?
    let photos: Manifest.PhotoWeights?

    init(
        _ compared: [ComparedRelation], _ samples: EvidenceSamples, _ hints: MemberHints,
        _ parameters: RecomputeParameters
    ) {
        let (tables, sizes, honest) = (compared.tables, compared.sizes, samples.honest)
        let sample = RelationEvidence(parameters, tables, sizes, samples.members)
        let membership = parameters.relations[.membership]?.relation
        let fair =
            if let honest, let membership {
                RelationEvidence(
                    parameters, tables.merging([membership: honest.table]) { $1 }, sizes, samples.members,
                    areCasesKnown: false)
            } else { sample }
        let pairs = sample.weights()
        var weights = pairs.merging(fair.featureWeights(beside: pairs)) { $1 }
        weights.merge(parameters.tunedWeights) { $1 }
        relations = weights
        told = sample.evidenceWeights(hints, beside: weights, fair)
        let members = membership.flatMap { sizes[$0] } ?? []
        let usual = sample.popularityWeight(beside: weights, sizes: members)
        popularity =
            honest?.mayPopularityWin == true
            ? fair.honestPopularity(
                beside: weights, sample.scores(of: hints, weighted: told ?? []), chosen: usual, sizes: members)
            : PopularityTrial(weight: usual, wins: false)
        photos = PhotoEvidence(parameters, tables, sizes, samples.photos).weights()
    }

    /// The choices in words.
    var summary: String {
        var chosen = relations.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
        chosen += (told ?? []).map { "told \($0.kind.rawValue) \($0.weight)" }
        if let weight = popularity.weight, !popularity.wins { chosen.append("popularity \(weight)") }
        if let part = popularity.alonePart {
            chosen.append("popularity alone finds \(Int((part * 100).rounded()))% of the best")
        }
        if popularity.wins { chosen.append("so the most popular groups are served") }
        if let photos {
            chosen.append("for photos: other relations \(photos.otherRelations), popularity \(photos.popularity)")
        }
        return chosen.isEmpty ? "nothing to choose" : chosen.joined(separator: ", ")
    }
}

/// The samples that the weights of evidence are learned from.
struct EvidenceSamples {
    let members: LeaveOneOutSample
    let photos: LeaveOneOutSample
    let honest: HonestNeighbours?

    init(_ tables: [ReadRelation]) {
        members = tables[.membership]?.sample ?? .none
        photos = tables[.pool]?.sample ?? .none
        honest = tables[.membership]?.honest
    }
}
