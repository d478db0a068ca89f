import Model

/// The measurements of an evaluation, for reports.
package struct EvaluationResult: Sendable {
    /// The number of members who were measured.
    package let memberCount: Int
    /// The number of measured members who have held-out groups.
    package let testedCount: Int
    /// The number of groups in the training set.
    package let groupCount: Int
    /// The lengths at which accuracy is measured; the first is the length for everything else.
    package let lengths: [Int]
    private let rows: [MemberRow]
    private let part: EvaluationPart

    init(_ set: EvaluationSet, _ part: EvaluationPart, lengths: [Int]) {
        self.part = part
        self.lengths = lengths
        groupCount = set.model.groupCount
        rows = part.rows.sorted { $0.key < $1.key }.map(\.value)
        memberCount = rows.count
        testedCount = rows.count { $0.heldOutCount > 0 }
    }

    /// Returns the measures of all lists.
    ///
    /// - Parameters:
    ///   - reference: the lists for comparison, member by member.
    ///   - samples: the number of samples of the bootstrap, 0 for no intervals.
    package func measures(against reference: EvaluationReference, samples: Int) -> [ListMeasures] {
        let places = rows.indices.filter { rows[$0].heldOutCount > 0 }
        let tested = places.map { rows[$0] }
        // The values of the reference come after those of the lists.
        let (recallBootstrap, gainBootstrap) = (
            Bootstrap(values(\.recall, of: tested) + reference.values(\.recall, of: places), samples: samples),
            Bootstrap(values(\.gain, of: tested) + reference.values(\.gain, of: places), samples: samples)
        )
        return EvaluatedList.allCases.map { list in
            var measures = ListMeasures(list)
            let other = reference.index(for: list)
            if !tested.isEmpty {
                for (index, length) in lengths.enumerated() {
                    var sum = Accuracy()
                    for row in tested {
                        sum.add(row.lists[list.index].accuracy[index], weight: 1 / Double(tested.count))
                    }
                    measures.accuracy[length] = sum
                }
                measures.recallInterval = recallBootstrap.interval(of: list.index)
                measures.difference = recallBootstrap.difference(of: list.index, minus: other)
                measures.gainInterval = gainBootstrap.interval(of: list.index)
                measures.gainDifference = gainBootstrap.difference(of: list.index, minus: other)
                addSizes(tested, to: &measures)
            }
            addLists(to: &measures)
            return measures
        }
    }

    /// Returns the accuracy of the first groups, by list and member.
    private func values(_ measure: KeyPath<Accuracy, Double>, of members: [MemberRow]) -> [[Double]] {
        EvaluatedList.allCases.map { list in
            members.map { $0.lists[list.index].accuracy[0][keyPath: measure] }
        }
    }

    private func addLists(to measures: inout ListMeasures) {
        let mine = rows.map { $0.lists[measures.list.index] }
        let blend = rows.map { $0.lists[EvaluatedList.blend.index] }
        func cut(_ value: KeyPath<MemberMeasures, Double>) -> Double {
            let before = mean(blend.map { $0[keyPath: value] })
            return before > 0 ? 1 - mean(mine.map { $0[keyPath: value] }) / before : 0
        }
        measures.similarity = mean(mine.map(\.exact))
        measures.similarityCut = cut(\.exact)
        measures.storedCut = cut(\.stored)
        measures.novelty = mean(mine.map(\.novelty))
        measures.loss = 1 - mean(ratios(of: measures.list, to: .blend))
        if measures.list.rotates { measures.kept = mean(ratios(of: measures.list, to: .diversity)) }
        measures.shareError = mean(mine.compactMap(\.shareError))
        measures.nearDuplicates = mean(mine.map(\.duplicates))
        let changes = mine.compactMap(\.change)
        measures.change = mean(changes)
        measures.changeOfMany = mean(mine.compactMap(\.changeOfMany))
        measures.frozen = measures.list.rotates ? mean(changes.map { $0 == 0 ? 1 : 0 }) : 0
        if measures.list == .served { measures.stability = mean(mine.compactMap(\.stability)) }
        let shown = part.counts[measures.list.index].shown
        measures.coverage = Double(shown.count { $0 > 0 }) / Double(max(1, groupCount))
        measures.gini = Self.gini(shown)
    }

    private func addSizes(_ tested: [MemberRow], to measures: inout ListMeasures) {
        for size in SizeClass.allCases {
            let rows = tested.filter { SizeClass($0.groupCount) == size }
            if !rows.isEmpty {
                measures.recallByMemberSize[size] = mean(rows.map { $0.lists[measures.list.index].accuracy[0].recall })
            }
            let held = part.heldOut[size.index]
            if held > 0 {
                measures.recallByGroupSize[size] = part.counts[measures.list.index].found[size.index] / held
            }
        }
    }

    /// Returns the sums of scores of one list relative to another, for members whose other sum is above 0.
    private func ratios(of list: EvaluatedList, to other: EvaluatedList) -> [Double] {
        rows.compactMap { row in
            let whole = row.lists[other.index].score
            return whole > 0 ? row.lists[list.index].score / whole : nil
        }
    }

    private func mean(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }

    /// Returns the Gini coefficient: half the mean difference of two counts, relative to the mean count.
    static func gini(_ counts: [UInt32]) -> Double {
        let sorted = counts.sorted()
        let sum = sorted.reduce(0.0) { $0 + Double($1) }
        guard sum > 0 else { return 0 }
        let ranked = sorted.enumerated().reduce(0.0) { $0 + Double($1.offset + 1) * Double($1.element) }
        let count = Double(sorted.count)
        return 2 * ranked / (count * sum) - (count + 1) / count
    }
}

/// An estimated difference of means.
package struct Estimate: Sendable, Equatable {
    package var mean = 0.0
    /// The 95% interval.
    package var interval = 0.0...0.0
}

/// Confidence intervals of means from samples of members, drawn with replacement (Efron 1979).
///
/// All lists have the same samples, so that differences between them are paired.
struct Bootstrap {
    /// The means by list and sample.
    private let means: [[Double]]
    /// The mean of all members, by list.
    private let wholes: [Double]

    /// Draws the samples.
    ///
    /// - Parameter values: the values by list and member.
    init(_ values: [[Double]], samples: Int) {
        let count = values.first?.count ?? 0
        var means = [[Double]](repeating: [], count: values.count)
        // The samples are the same in every run.
        var random = SplitMix64(seed: 1)
        var chosen = [Int](repeating: 0, count: count)
        for _ in 0..<(count > 0 ? samples : 0) {
            for index in chosen.indices { chosen[index] = Int(random.next() % UInt64(count)) }
            for list in values.indices {
                means[list].append(chosen.reduce(0) { $0 + values[list][$1] } / Double(count))
            }
        }
        self.means = means
        wholes = values.map { $0.isEmpty ? 0 : $0.reduce(0, +) / Double($0.count) }
    }

    func interval(of list: Int) -> ClosedRange<Double> { interval(means[list]) }

    func difference(of list: Int, minus other: Int) -> Estimate {
        Estimate(
            mean: wholes[list] - wholes[other], interval: interval(zip(means[list], means[other]).map { $0 - $1 }))
    }

    /// Returns the middle 95% of the samples.
    private func interval(_ samples: [Double]) -> ClosedRange<Double> {
        let sorted = samples.sorted()
        guard let last = sorted.indices.last else { return 0...0 }
        let margin = Double(last) * 0.025
        return sorted[Int(margin.rounded())]...sorted[Int((Double(last) - margin).rounded())]
    }
}
