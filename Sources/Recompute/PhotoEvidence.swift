import Glibc
import Model
import Similarity

/// What counts in lists for photos: as much as finds the groups best that are left out of photos' pools.
///
/// The lists were computed with the entries that are left out. Their own part is taken away: one of the c common photos
/// of two groups, one photo of the group's pool, and a place in a list that the group would not have without it.
struct PhotoEvidence: Sendable {
    /// What popularity may count; above 0 even where it does not help, as popular groups stand at the end of lists.
    private static let popularityChoices = [0.001, 0.01, 0.03, 0.1, 0.3, 1, 10, 1000]
    /// What relations other than pools may count beside their own weights, 0 first.
    private static let choices = [0, 1, 0.25, 4].flatMap { other in
        popularityChoices.map { Manifest.PhotoWeights(otherRelations: other, popularity: $0) }
    }
    /// Other relations count only if they raise the gain by this part: what is less may be chance.
    private static let leastRise = 0.02
    /// With fewer photos chance would choose.
    private static let leastPhotos = 100
    /// What stands further down counts for nothing.
    private static let length = 10

    private let relations: RelationTable
    private let tables: [Relation: NeighbourTable]
    private let sizes: [Relation: [UInt32]]
    private let poolCuts: CutScores?
    private let photos: LeaveOneOutSample
    private let threads: Int

    init(
        _ parameters: RecomputeParameters, _ tables: [Relation: NeighbourTable], _ sizes: [Relation: [UInt32]],
        _ photos: LeaveOneOutSample
    ) {
        relations = parameters.relations
        threads = parameters.threads
        self.tables = tables
        self.sizes = sizes
        self.photos = photos
        poolCuts = relations[.pool].flatMap { pools in
            tables[pools.relation].map { CutScores(of: $0, parameters[pools.relation]) }
        }
    }

    /// The weights with the greatest gain; nil if there is nothing to learn from.
    func weights() -> Manifest.PhotoWeights? {
        guard photos.cases.count >= Self.leastPhotos, let relation = relations[.pool]?.relation,
            let sizes = sizes[relation], let popularity = Popularity(sizes, of: { $0 })
        else { return nil }
        let gains = photos.totalGains(threads: threads, scratch: { ScorePair(groupCount: sizes.count) }) {
            photo, sums in
            defer { sums.clear() }
            for facts in relations where facts.weight > 0 {
                if facts.role == .pool {
                    add(facts, of: photo, to: &sums.first)
                } else {
                    add(facts, of: photo, to: &sums.second)
                }
            }
            let found = FoundGroups(photo, sums, popularity)
            return Self.choices.map { choice in
                let before = found.countBefore(secondWeight: choice.otherRelations, popularity: choice.popularity)
                return before < Self.length ? 1 / log2(Double(before + 2)) : 0
            }
        }
        guard let best = gains.max(), let alone = gains.prefix(Self.popularityChoices.count).max() else { return nil }
        let chosen = best > alone * (1 + Self.leastRise) ? best : alone
        return gains.firstIndex(of: chosen).map { Self.choices[$0] }
    }

    /// Adds the cosines of a photo's groups in a relation, a mean over the groups.
    private func add(_ facts: RelationFacts, of photo: LeaveOneOutSample.Case, to sums: inout ScoreSums) {
        guard let table = tables[facts.relation], let sizes = sizes[facts.relation] else { return }
        for group in photo.others {
            for var neighbour in table.list(of: Int(group)) {
                var size = sizes[Int(neighbour.index)]
                if neighbour.index == photo.leftOut, facts.role == .pool {
                    guard let poolCuts, poolCuts.partLeft(ofNeighbour: neighbour, inListOf: group) > 0 else { continue }
                    neighbour.common -= 1
                    size -= 1
                }
                let cosine = neighbour.cosine(sizes: Double(sizes[Int(group)]), Double(size))
                sums.add(facts.weight * cosine / Double(photo.others.count), to: neighbour.index)
            }
        }
    }
}
