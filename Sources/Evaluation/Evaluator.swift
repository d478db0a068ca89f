import Glibc
import Model
import Recommendation
import Similarity
import Synchronization

/// Measures the lists of members, stage by stage.
package struct Evaluator: Sendable {
    private let set: EvaluationSet
    private let maker: ListMaker
    private let lengths: [Int]

    /// Creates an evaluator.
    ///
    /// - Parameters:
    ///   - maker: a maker of lists of the greatest length.
    ///   - lengths: the numbers of groups that count, each 1 or more; the first is the length for all measures but
    ///     accuracy.
    package init(_ set: EvaluationSet, _ maker: ListMaker, lengths: [Int]) {
        precondition(!lengths.isEmpty && lengths.allSatisfy { $0 >= 1 })
        self.set = set
        self.maker = maker
        self.lengths = lengths
    }

    /// A function that is called with the lists of a member, in the order of the members.
    package typealias Visit = (_ member: EvaluationSet.Member, _ lists: [ListMaker.MeasuredList]) throws -> Void

    /// Visits the lists of all members, one member after the other.
    package func forEachMember(_ visit: Visit) rethrows {
        for member in set.members { try visit(member, maker.lists(of: member.profile)) }
    }

    /// Measures all members.
    ///
    /// - Parameter progress: receives the numbers of members done and in all, from time to time and from any thread.
    package func measure(
        threads: Int, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) -> EvaluationResult {
        let next = Atomic(0)
        // A thread's measurements are large, so that there is one part for each thread, not for each portion.
        let parts = Parallel.map(max(1, threads), threads: threads) { _ in
            var part = EvaluationPart(set)
            while true {
                let portion = 64
                let start = next.add(portion, ordering: .relaxed).oldValue
                guard start < set.members.count else { break }
                for index in start..<min(set.members.count, start + portion) { measure(index, into: &part) }
                progress(min(set.members.count, start + portion), set.members.count)
            }
            return part
        }
        var whole = EvaluationPart(set)
        for part in parts { whole.merge(part) }
        return EvaluationResult(set, whole, lengths: lengths)
    }

    private func measure(_ index: Int, into part: inout EvaluationPart) {
        let member = set.members[index]
        var rows = EvaluatedList.allCases.map { _ in MemberMeasures(lengths: lengths.count) }
        var before: Set<UInt32> = []
        for made in maker.lists(of: member.profile) {
            let index = made.list.index
            let weight = 1 / Double(made.list.rotates ? ListMaker.buckets : 1)
            let items = made.items.prefix(lengths[0])
            let groups = items.map(\.group)
            add(made, items, groups, member, weight, to: &rows[index])
            // One bucket is exact enough, and takes a sixth of the time.
            if made.bucket == 0 {
                rows[index].stored = IntraListSimilarity.stored(groups, in: VisibleModel(set.model))
                rows[index].exact = IntraListSimilarity.exact(groups, &part.cosines)
                rows[index].duplicates = IntraListSimilarity.duplicates(groups, &part.cosines, set.matrix)
            }
            let shown = Set(groups)
            if made.bucket > 0, made.wholeCount >= 60 {
                let changed = Double(shown.subtracting(before).count) / Double(max(1, shown.count))
                let part = changed / Double(ListMaker.buckets - 1)
                rows[index].change = (rows[index].change ?? 0) + part
                if made.candidateCount >= 100 { rows[index].changeOfMany = (rows[index].changeOfMany ?? 0) + part }
            }
            before = shown
            part.counts[index].shown.add(groups)
            for group in Set(groups).intersection(member.heldOut) {
                part.counts[index].found[SizeClass(set.matrix.size(ofRow: Int(group))).index] += weight
            }
        }
        rows[EvaluatedList.served.index].stability = maker.stability(of: member.profile)
        for group in member.heldOut { part.heldOut[SizeClass(set.matrix.size(ofRow: Int(group))).index] += 1 }
        part.rows[index] = MemberRow(
            groupCount: member.profile.joined.count, heldOutCount: member.heldOutCount, lists: rows)
    }

    private func add(
        _ made: ListMaker.MeasuredList, _ items: ArraySlice<PlanItem>, _ groups: [UInt32],
        _ member: EvaluationSet.Member,
        _ weight: Double, to row: inout MemberMeasures
    ) {
        if member.heldOutCount > 0 {
            for (index, length) in lengths.enumerated() {
                row.accuracy[index].add(
                    Accuracy(
                        of: made.items.lazy.map(\.group), length: length, heldOut: member.heldOut,
                        heldOutCount: member.heldOutCount), weight: weight)
            }
        }
        row.score += weight * items.reduce(0) { $0 + $1.score }
        let memberCount = Double(max(1, set.members.count))
        let novelty = groups.reduce(0) { $0 - log2(Double(max(1, set.matrix.size(ofRow: Int($1)))) / memberCount) }
        row.novelty += groups.isEmpty ? 0 : weight * novelty / Double(groups.count)
        if items.count == lengths[0], !made.interests.isEmpty {
            row.shareError = (row.shareError ?? 0) + weight * shareError(items, made.interests)
        }
    }

    private func shareError(_ items: ArraySlice<PlanItem>, _ interests: [Interest]) -> Double {
        var counts = [Int](repeating: 0, count: interests.count)
        for item in items { if let interest = item.interest { counts[interest] += 1 } }
        return zip(interests, counts).reduce(0) { $0 + abs(Double($1.1) / Double(items.count) - $1.0.share) } / 2
    }
}

extension EvaluatedList {
    /// The index of the list in `allCases`.
    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Accuracy {
    mutating func add(_ other: Accuracy, weight: Double) {
        recall += weight * other.recall
        gain += weight * other.gain
        precision += weight * other.precision
        hitRate += weight * other.hitRate
        reciprocalRank += weight * other.reciprocalRank
    }
}

extension [UInt32] {
    /// Counts one more at some places.
    fileprivate mutating func add(_ places: [UInt32]) { for index in places { self[Int(index)] += 1 } }
}
