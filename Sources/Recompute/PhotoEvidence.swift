import Glibc
import Model

/// What counts in lists for photos: as much as finds the groups best that are left out of photos' pools.
///
/// The lists were computed with the entries that are left out. Their own part is taken away: one of the c common photos
/// of two groups, and one photo of the group's pool.
struct PhotoEvidence: Sendable {
    private static let choices = [1, 0, 0.25, 4].flatMap { other in
        // Above 0 even where it does not help: popular groups stand at the end of lists.
        [0.001, 0.01, 0.03, 0.1, 0.3, 1, 10, 1000].map {
            Manifest.PhotoWeights(otherRelations: other, popularity: $0)
        }
    }
    /// With fewer photos chance would choose.
    private static let leastPhotos = 100
    /// What stands further down counts for nothing.
    private static let length = 10

    private let relations: RelationTable
    private let tables: [Relation: NeighbourTable]
    private let sizes: [Relation: [UInt32]]
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
    }

    /// The weights with the greatest gain; nil if there is nothing to learn from.
    func weights() -> Manifest.PhotoWeights? {
        guard photos.cases.count >= Self.leastPhotos, let pools = relations[.pool],
            let sizes = sizes[pools.relation], let popularity = Popularity(sizes, of: { $0 })
        else { return nil }
        let gains = photos.totalGains(threads: threads, scratch: { ScorePair(groupCount: sizes.count) }) {
            photo, sums in
            defer { sums.clear() }
            for facts in relations where facts.weight > 0 {
                if facts.role == .pool {
                    add(facts, of: photo, without: 1, to: &sums.first)
                } else {
                    add(facts, of: photo, without: 0, to: &sums.second)
                }
            }
            let found = FoundGroups(photo, sums, popularity)
            return Self.choices.map { choice in
                let before = found.countBefore(secondWeight: choice.otherRelations, popularity: choice.popularity)
                return before < Self.length ? 1 / log2(Double(before + 2)) : 0
            }
        }
        return gains.max().flatMap { gains.firstIndex(of: $0) }.map { Self.choices[$0] }
    }

    /// Adds the cosines of a photo's groups in a relation, a mean over the groups.
    ///
    /// - Parameter missing: how many entries of the group that is left out are not to be counted.
    private func add(
        _ facts: RelationFacts, of photo: LeaveOneOutSample.Case, without missing: UInt32, to sums: inout ScoreSums
    ) {
        guard let table = tables[facts.relation], let sizes = sizes[facts.relation] else { return }
        for group in photo.others {
            for var neighbour in table.list(of: Int(group)) {
                var size = sizes[Int(neighbour.index)]
                if neighbour.index == photo.leftOut {
                    neighbour.common -= min(missing, neighbour.common)
                    size -= min(missing, size)
                }
                let cosine = neighbour.cosine(sizes: Double(sizes[Int(group)]), Double(size))
                sums.add(facts.weight * cosine / Double(photo.others.count), to: neighbour.index)
            }
        }
    }
}
