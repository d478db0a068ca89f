import Glibc
import Model

/// Finds the weights for lists of groups for a photo.
///
/// The best weights rank the groups that are left out of a photo's pools highest. The neighbour lists were computed
/// with the entries that are left out. So the influence of such an entry is taken away. That is one of the c common
/// photos of two groups, and one photo of the group's pool. A group also loses its place in a list if it would not
/// have the place without that entry.
struct PhotoEvidence: Sendable {
    /// The weights of popularity to try; all are above 0, because popular groups fill the end of a list.
    private static let popularityChoices = [0.001, 0.01, 0.03, 0.1, 0.3, 1, 10, 1000]
    /// The weights to try: relations other than pools get a factor on their own weights, 0 first.
    private static let choices = [0, 1, 0.25, 4].flatMap { other in
        popularityChoices.map { Manifest.PhotoWeights(otherRelations: other, popularity: $0) }
    }
    /// The least relative rise of the gain for other relations to count; a smaller rise may be chance.
    private static let leastRise = 0.02
    /// The least number of photos; with fewer the choice would be chance.
    private static let leastPhotos = 100
    /// The number of ranks that count.
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
            tables[pools.relation].map {
                CutScores(of: $0, parameters[pools.relation], sizes: sizes[pools.relation] ?? [])
            }
        }
    }

    /// Returns the weights with the greatest gain, or `nil` if there is too little to learn from.
    func weights() -> Manifest.PhotoWeights? {
        guard photos.cases.count >= Self.leastPhotos, let relation = relations[.pool]?.relation,
            let sizes = sizes[relation], let popularity = Popularity(sizes, of: { $0 })
        else { return nil }
        let gains = photos.totalGains(threads: threads, scratch: { ScorePair(groupCount: sizes.count) }) {
            photo, sums in
            defer { sums.clear() }
            for facts in relations.tabled where facts.weight > 0 {
                if facts.role == .pool {
                    add(facts, of: photo, to: &sums.first)
                } else {
                    add(facts, of: photo, to: &sums.second)
                }
            }
            let found = LeaveOneOutRanking(photo, sums, popularity)
            return Self.choices.map { choice in
                let before = found.countBefore(secondWeight: choice.otherRelations, popularity: choice.popularity)
                return before < Self.length ? 1 / log2(Double(before + 2)) : 0
            }
        }
        guard let best = gains.max(), let alone = gains.prefix(Self.popularityChoices.count).max() else { return nil }
        let chosen = best > alone * (1 + Self.leastRise) ? best : alone
        return gains.firstIndex(of: chosen).map { Self.choices[$0] }
    }

    /// Adds the cosines between a photo's groups and their neighbours in a relation, as a mean over the photo's groups.
    private func add(_ facts: RelationDescription, of photo: LeaveOneOutSample.Case, to sums: inout ScoreSums) {
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
