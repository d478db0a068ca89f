import Glibc
import Model
import Similarity

/// A scorer of settings: it looks for the held-out groups, and their ranks, in lists of the greatest sums of scores.
final class TuningScorer {
    /// The number of groups of a list that count.
    static let length = 20
    /// The limit for groups × folds × pairs of a group, which bounds the memory.
    private static let pairLimit = 24_000_000

    private let community: TuningCommunity
    private let folds: [TuningCommunity.Fold]
    private let threads: Int
    /// The most pairs that a group keeps.
    let limit: Int
    private var pairs = RecentValues<Place<PairChoice>, PairLists>(limit: 3)
    private var lists = RecentValues<Place<TunedSettings.Part>, ScoredLists>(limit: 2)
    private let sizes: [Relation: [[Float]]]

    /// A cache key for one fold and relation.
    private struct Place<Key: Hashable>: Hashable {
        let fold: Int
        let relation: Relation
        let key: Key
    }

    /// - Parameter folds: Folds with the same members.
    init(_ community: TuningCommunity, _ folds: [TuningCommunity.Fold], threads: Int) {
        self.community = community
        self.folds = folds
        self.threads = threads
        let room = Self.pairLimit / max(1, community.groupCount * folds.count)
        limit = PairLists.limits.last { $0 <= room } ?? PairLists.limits[0]
        var sizes = community.others.mapValues { [$0.logarithmsOfSizes] }
        sizes[community.membership] = folds.map(\.memberships.logarithmsOfSizes)
        self.sizes = sizes
        // Room for the values of all folds and relations at once, for a few choices.
        pairs.limit *= folds.count * community.relations.count
        lists.limit *= folds.count * community.relations.count
    }

    /// Returns the accuracy for some members, each a mean over the folds.
    func accuracies(_ settings: TunedSettings, of members: [Int]) -> [Accuracy] {
        var accuracies = members.map { _ in Accuracy() }
        for fold in folds.indices {
            let weighted = community.relations.compactMap { relation -> (lists: ScoredLists, factor: Float)? in
                guard let part = settings[relation], part.weight > 0 else { return nil }
                let lists = scored(part, relation, fold)
                return (lists, Float(part.weight / lists.meanBestScore))
            }
            let found = self.accuracies(weighted, of: members, fold)
            for (index, accuracy) in found.enumerated() {
                accuracies[index].add(accuracy, weight: 1 / Double(folds.count))
            }
        }
        return accuracies
    }

    /// Returns the accuracy of the groups with the most members, the same for everybody but for the groups joined.
    func accuraciesOfPopular(of members: [Int]) -> [Accuracy] {
        var accuracies = members.map { _ in Accuracy() }
        for fold in folds {
            let matrix = fold.memberships
            let popular = [UInt32](below: matrix.rowCount) { matrix.size(ofRow: $0) }
            for (index, number) in members.enumerated() {
                let member = fold.members[number]
                let accuracy = Accuracy(
                    of: popular.first(Self.length, without: member.joined), length: Self.length,
                    heldOut: member.heldOut, heldOutCount: member.heldOut.count)
                accuracies[index].add(accuracy, weight: 1 / Double(folds.count))
            }
        }
        return accuracies
    }

    private func scored(_ part: TunedSettings.Part, _ relation: Relation, _ fold: Int) -> ScoredLists {
        // The matrices of other relations are the same in all folds.
        let fold = relation == community.membership ? fold : 0
        var unweighted = part
        unweighted.weight = 1
        return lists.value(for: Place(fold: fold, relation: relation, key: unweighted)) {
            let choice = PairChoice(part.formula)
            let found = pairs.value(for: Place(fold: fold, relation: relation, key: choice)) {
                PairLists(
                    matrix(of: relation, fold), choice, keptPart: community.keptParts[relation] ?? 1, limit: limit,
                    threads: threads)
            }
            return ScoredLists(
                found, part, logarithmsOfSizes: sizes[relation]?[fold] ?? [], threads: threads)
        }
    }

    private func matrix(of relation: Relation, _ fold: Int) -> BinaryMatrix {
        community.others[relation] ?? folds[fold].memberships
    }

    private func accuracies(
        _ weighted: [(lists: ScoredLists, factor: Float)], of members: [Int], _ fold: Int
    ) -> [Accuracy] {
        let all = folds[fold].members
        let groupCount = community.groupCount
        return Parallel.map(
            members.count, inPortionsOf: 64, threads: threads, state: { _ in ListSums(groupCount: groupCount) }
        ) { sums, portion in
            portion.map { index in
                let member = all[members[index]]
                for group in member.joined {
                    for relation in weighted {
                        relation.lists.forEach(of: Int(group)) { sums.add(relation.factor * $1, to: $0) }
                    }
                }
                return Accuracy(
                    of: sums.takeBest(Self.length, without: member.joined), length: Self.length,
                    heldOut: member.heldOut, heldOutCount: member.heldOut.count)
            }
        }.flatMap(\.self)
    }
}

/// The sums of scores for one member at a time.
private struct ListSums {
    private var sums: [Float]
    private var touched: [UInt32] = []

    init(groupCount: Int) { sums = [Float](repeating: 0, count: groupCount) }

    @inline(__always)
    mutating func add(_ score: Float, to group: UInt32) {
        if sums[Int(group)] == 0 { touched.append(group) }
        sums[Int(group)] += score
    }

    /// Returns the groups with the greatest sums, and sets all sums to 0; of equal sums, smaller group numbers come
    /// first.
    mutating func takeBest(_ count: Int, without joined: [UInt32]) -> [UInt32] {
        for group in joined { sums[Int(group)] = 0 }
        var best: [(sum: Float, group: UInt32)] = []
        for group in touched {
            let sum = sums[Int(group)]
            sums[Int(group)] = 0
            guard sum > 0 else { continue }
            if let last = best.last, best.count == count, (last.sum, group) > (sum, last.group) { continue }
            let place = best.firstIndex { ($0.sum, group) < (sum, $0.group) } ?? best.count
            best.insert((sum, group), at: place)
            if best.count > count { best.removeLast() }
        }
        touched.removeAll(keepingCapacity: true)
        return best.map(\.group)
    }
}

/// A cache of the most recently used values.
private struct RecentValues<Key: Hashable, Value> {
    var limit: Int
    private var values: [(key: Key, value: Value)] = []

    init(limit: Int) { self.limit = limit }

    mutating func value(for key: Key, _ make: () -> Value) -> Value {
        let value: Value
        if let index = values.firstIndex(where: { $0.key == key }) {
            value = values.remove(at: index).value
        } else {
            // The least recently used value goes first: the new one needs its memory.
            if values.count >= limit { values.removeFirst() }
            value = make()
        }
        values.append((key, value))
        return value
    }
}

extension BinaryMatrix {
    fileprivate var logarithmsOfSizes: [Float] { (0..<rowCount).map { logf(Float(max(1, size(ofRow: $0)))) } }
}
