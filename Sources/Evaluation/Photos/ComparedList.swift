import Basics

/// The accuracy of one of several lists, compared with the last of them, which is the served one.
package struct ComparedList: Sendable {
    package var name: String
    package var accuracy: [Int: Accuracy]
    /// The list's recall at the first length minus that of the served list, with its 95% interval.
    package var difference: Estimate

    /// Compares lists over the same members or photos.
    ///
    /// - Parameters:
    ///   - names: the names of the lists, the served one last.
    ///   - lengths: the numbers of entries that count, each 1 or more.
    ///   - progress: receives the number of members or photos done, from time to time.
    ///   - make: returns the lists of one, in the order of the names, and what was held out.
    static func compared<Subject>(
        _ names: [String], of subjects: [Subject], lengths: [Int], samples: Int, progress: (_ done: Int) -> Void,
        _ make: (Subject, _ length: Int) throws(Failure) -> (lists: [[UInt32]], heldOut: [UInt32])
    ) throws(Failure) -> [ComparedList] {
        var sums = names.map { _ in [Accuracy](repeating: Accuracy(), count: lengths.count) }
        var recalls = names.map { _ in [Double]() }
        for (number, subject) in subjects.enumerated() {
            let (lists, heldOut) = try make(subject, lengths.max() ?? 0)
            for (index, list) in lists.enumerated() {
                for (place, length) in lengths.enumerated() {
                    let accuracy = Accuracy(of: list, length: length, heldOut: heldOut, heldOutCount: heldOut.count)
                    sums[index][place].add(accuracy, weight: 1 / Double(subjects.count))
                    if place == 0 { recalls[index].append(accuracy.recall) }
                }
            }
            if number.isMultiple(of: 64) { progress(number) }
        }
        let (bootstrap, served) = (Bootstrap(recalls, samples: samples), names.count - 1)
        return names.enumerated().map { index, name in
            var difference = bootstrap.difference(of: index, minus: served)
            difference.mean = (sums[index].first?.recall ?? 0) - (sums[served].first?.recall ?? 0)
            return ComparedList(
                name: name, accuracy: Dictionary(uniqueKeysWithValues: zip(lengths, sums[index])),
                difference: difference)
        }
    }
}

/// A choice of a share of all, spread evenly.
package struct EvenShare {
    private let share: Double
    private var sum = 0.0

    package init(_ share: Double) { self.share = share }

    package mutating func next() -> Bool {
        sum += share
        guard sum >= 1 - 1e-9 else { return false }
        sum -= 1
        return true
    }
}

extension [UInt32] {
    /// Creates the numbers below a count, the greatest by a size first; equal ones in ascending order.
    init(below count: Int, greatestBy size: (Int) -> Int) {
        let sizes = (0..<count).map(size)
        self = sizes.indices.sorted { (sizes[$0], $1) > (sizes[$1], $0) }.map(UInt32.init)
    }

    /// Returns the first numbers that are not left out.
    func first(_ count: Int, without leftOut: some Sequence<UInt32>) -> [UInt32] {
        let leftOut = Set(leftOut)
        return Array(lazy.filter { !leftOut.contains($0) }.prefix(count))
    }
}

extension [UInt32: Double] {
    /// Returns the keys of the greatest values, best first; equal ones in ascending order.
    func best(_ count: Int, without leftOut: some Sequence<UInt32>) -> [UInt32] {
        var kept = self
        for key in leftOut { kept[key] = nil }
        return kept.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(count).map(\.key)
    }
}
