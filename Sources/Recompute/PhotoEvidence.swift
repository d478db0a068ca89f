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
            let sizes = sizes[pools.relation], let popularity = PoolPopularity(sizes)
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
                let before = found.countBefore(choice)
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

/// How large the pools are.
private struct PoolPopularity {
    /// The photos of every group.
    let sizes: [UInt32]
    /// The same, the greatest first.
    let descending: [UInt32]
    let greatest: Double

    /// Nil if all pools are empty.
    init?(_ sizes: [UInt32]) {
        descending = sizes.sorted(by: >)
        guard let first = descending.first, first > 0 else { return nil }
        greatest = Double(first)
        self.sizes = sizes
    }

    /// How many pools pass a test that every larger one passes too.
    func countOfLargest(where passes: (UInt32) -> Bool) -> Int {
        var (low, high) = (0, descending.count)
        while low < high {
            let middle = (low + high) / 2
            if passes(descending[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What was found for one photo.
private struct FoundGroups {
    /// The evidence for a group: by pools, by other relations, and its photos.
    private struct Evidence {
        var near, far: Double
        var photos: UInt32
    }

    private let popularity: PoolPopularity
    /// The group that is left out, without the photo.
    private let wanted: Evidence
    /// All others that may be listed.
    private let others: [Evidence]
    /// The photos of each group that is not to be counted by its size alone.
    private let sizesOfKnown: [UInt32]

    init(_ photo: LeaveOneOutSample.Case, _ sums: ScorePair, _ popularity: PoolPopularity) {
        self.popularity = popularity
        func evidence(_ group: UInt32) -> Evidence {
            Evidence(near: sums.first[group], far: sums.second[group], photos: popularity.sizes[Int(group)])
        }
        var wanted = evidence(photo.leftOut)
        wanted.photos -= min(1, wanted.photos)
        self.wanted = wanted
        let touched = sums.first.touched + sums.second.touched.filter { sums.first[$0] == 0 }
        let excluded = Set(photo.others).union([photo.leftOut])
        let found = touched.filter { !excluded.contains($0) }
        others = found.map(evidence)
        sizesOfKnown = (found + excluded).map { popularity.sizes[Int($0)] }
    }

    /// How many groups stand before the one that is left out.
    func countBefore(_ weights: Manifest.PhotoWeights) -> Int {
        let unit = weights.popularity / popularity.greatest
        func score(_ evidence: Evidence) -> Double {
            evidence.near + weights.otherRelations * evidence.far + unit * Double(evidence.photos)
        }
        let least = score(wanted)
        // Groups without evidence have nothing but their size.
        func isLarge(_ photos: UInt32) -> Bool { unit * Double(photos) > least }
        return others.count { score($0) > least } + popularity.countOfLargest(where: isLarge)
            - sizesOfKnown.count(where: isLarge)
    }
}
