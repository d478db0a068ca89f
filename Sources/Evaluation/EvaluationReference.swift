package import Basics
import Model
import Recommendation

/// The lists that an evaluation compares its own lists with, member by member.
package enum EvaluationReference: Sendable {
    /// One of the evaluation's own lists.
    case list(EvaluatedList)
    /// The lists of another evaluation: each list is compared with its namesake, or all with the only one.
    case baseline(BaselineLists)

    /// Returns the index of a list's reference among the values; a baseline's values follow those of all own lists.
    func index(for list: EvaluatedList) -> Int {
        switch self {
        case .list(let reference): reference.index
        case .baseline(let baseline): EvaluatedList.allCases.count + baseline.index(for: list)
        }
    }

    /// Returns the values of a measure by list and member, or nothing if the reference is one of the own lists.
    func values(_ measure: KeyPath<Accuracy, Double>, of members: [Int]) -> [[Double]] {
        guard case .baseline(let baseline) = self else { return [] }
        return baseline.values(measure, of: members)
    }
}

/// The accuracy of lists that were made elsewhere for the members of an evaluation.
///
/// Other settings, another version of this program or another program may have made them.
package struct BaselineLists: Sendable {
    private struct List: Sendable {
        /// The buckets that any member has, one bit each.
        var buckets: UInt64 = 0
        /// The sums by member; a member without an entry has empty lists.
        var sums: [Int: Sum] = [:]
    }

    /// The sum over a member's buckets.
    private struct Sum: Sendable {
        var accuracy = Accuracy()
        var buckets: UInt64 = 0
    }

    /// The allowed bucket numbers.
    package static let buckets = 0..<64

    private let set: EvaluationSet
    private let length: Int
    private let members: [[UInt8]: Int]
    private var names: [String] = []
    private var lists: [List] = []

    /// Creates a baseline without lists.
    ///
    /// - Parameter set: the members, with their held-out groups.
    package init(_ set: EvaluationSet, length: Int) {
        self.set = set
        self.length = length
        members = Dictionary(
            set.members.enumerated().map { (Array($0.element.profile.userID.utf8), $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Adds a list.
    ///
    /// - Parameters:
    ///   - name: the name of the list, as in `EvaluatedList`, or any other.
    ///   - bucket: the number of the list among those of that name and member, whose mean counts; one of `buckets`,
    ///     each given once.
    ///   - groupIDs: the groups in the order of the list; groups that the training set does not know only take up a
    ///     place.
    /// - Throws: `Failure` if there is no such member in the evaluation.
    package mutating func add(
        _ name: String, bucket: Int, ofUser userID: String, _ groupIDs: [String]
    ) throws(Failure) {
        guard let place = members[Array(userID.utf8)] else {
            throw Failure(.badData, "user \"\(userID)\" is not measured here")
        }
        let index = names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? names.count
        if index == names.count {
            names.append(name)
            lists.append(List())
        }
        let bit: UInt64 = 1 << UInt64(bucket)
        lists[index].buckets |= bit
        let member = set.members[place]
        var sum = lists[index].sums[place] ?? Sum()
        precondition(sum.buckets & bit == 0, "list \(name), bucket \(bucket), is given twice")
        sum.buckets |= bit
        if member.heldOutCount > 0 {
            let groups = groupIDs.map { set.model.index(ofID: $0).map(UInt32.init) ?? .max }
            sum.accuracy.add(
                Accuracy(of: groups, length: length, heldOut: member.heldOut, heldOutCount: member.heldOutCount),
                weight: 1)
        }
        lists[index].sums[place] = sum
    }

    /// The number of members with held-out groups, and of those among them who have no list.
    package var memberCounts: (tested: Int, without: Int) {
        let tested = set.members.indices.filter { set.members[$0].heldOutCount > 0 }
        return (tested.count, tested.count { place in !lists.contains { $0.sums[place] != nil } })
    }

    /// Returns the lists of an evaluation that would have nothing to be compared with.
    ///
    /// - Parameter names: the names of the lists that there are, each once.
    package static func missing(among names: [String]) -> [EvaluatedList] {
        names.count == 1 ? [] : EvaluatedList.allCases.filter { !names.contains($0.rawValue) }
    }

    fileprivate func index(for list: EvaluatedList) -> Int { names.firstIndex(of: list.rawValue) ?? 0 }

    fileprivate func values(_ measure: KeyPath<Accuracy, Double>, of members: [Int]) -> [[Double]] {
        lists.map { list in
            members.map { (list.sums[$0]?.accuracy[keyPath: measure] ?? 0) / Double(list.buckets.nonzeroBitCount) }
        }
    }
}
