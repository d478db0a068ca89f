/// The accuracy of one of several lists, compared with the last of them, which is the served one.
package struct ComparedList: Sendable {
    package var name: String
    package var accuracy: [Int: Accuracy]
    /// The list's recall at the first length minus that of the served list, with its 95% interval.
    package var difference: (mean: Double, interval: ClosedRange<Double>)
}

/// The sums of a comparison of lists over the same members or photos.
struct ListComparison {
    private let names: [String]
    private let lengths: [Int]
    private let count: Int
    private var sums: [[Accuracy]]
    private var recalls: [[Double]]

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - names: the names of the lists, the served one last.
    ///   - lengths: the numbers of entries that count, each 1 or more.
    ///   - count: the number of members or photos.
    init(_ names: [String], lengths: [Int], count: Int) {
        (self.names, self.lengths, self.count) = (names, lengths, count)
        sums = names.map { _ in [Accuracy](repeating: Accuracy(), count: lengths.count) }
        recalls = names.map { _ in [] }
    }

    /// Adds the lists of one member or photo, in the order of the names.
    mutating func add(_ lists: [[UInt32]], heldOut: [UInt32]) {
        for (index, list) in lists.enumerated() {
            for (place, length) in lengths.enumerated() {
                let accuracy = Accuracy(of: list, length: length, heldOut: heldOut, heldOutCount: heldOut.count)
                sums[index][place].add(accuracy, weight: 1 / Double(count))
                if place == 0 { recalls[index].append(accuracy.recall) }
            }
        }
    }

    /// Returns the accuracy of all lists.
    func result(samples: Int) -> [ComparedList] {
        let bootstrap = Bootstrap(recalls, samples: samples)
        let served = names.count - 1
        return names.enumerated().map { index, name in
            ComparedList(
                name: name, accuracy: Dictionary(uniqueKeysWithValues: zip(lengths, sums[index])),
                difference: (
                    (sums[index].first?.recall ?? 0) - (sums[served].first?.recall ?? 0),
                    bootstrap.interval(of: index, minus: served)
                ))
        }
    }
}
