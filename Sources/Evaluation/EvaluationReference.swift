import Model
import Recommendation

/// What the lists of an evaluation are compared with, member by member.
public enum EvaluationReference: Sendable {
    /// One of them.
    case list(EvaluatedList)
    /// Those of another evaluation: each with the one of its name there, or all with the only one there is.
    case baseline(BaselineLists)

    /// Where the values of what a list is compared with stand, after those of all lists.
    func index(for list: EvaluatedList) -> Int {
        switch self {
        case .list(let reference): reference.index
        case .baseline(let baseline): EvaluatedList.allCases.count + baseline.index(for: list)
        }
    }

    /// The values of a measure by list and member; empty if they are those of the evaluation's own lists.
    func values(_ measure: KeyPath<Accuracy, Double>, of members: [Int]) -> [[Double]] {
        guard case .baseline(let baseline) = self else { return [] }
        return baseline.values(measure, of: members)
    }
}

/// The accuracy of lists that were made elsewhere for the members of an evaluation: with other settings, by another
/// version of this program, or by another program.
public struct BaselineLists: Sendable {
    private struct List: Sendable {
        /// A bit for each bucket of any member.
        var buckets: UInt64 = 0
        /// By member; who is not there has empty lists.
        var sums: [Int: Sum] = [:]
    }

    /// The sum over a member's buckets.
    private struct Sum: Sendable {
        var accuracy = Accuracy()
        var buckets: UInt64 = 0
    }

    /// The buckets that there may be.
    public static let buckets = 0..<64

    private let set: EvaluationSet
    private let length: Int
    private let members: [[UInt8]: Int]
    private var names: [String] = []
    private var lists: [List] = []

    /// No lists yet.
    ///
    /// - Parameter length: how many groups of a list count.
    public init(_ set: EvaluationSet, length: Int) {
        self.set = set
        self.length = length
        members = Dictionary(
            set.members.enumerated().map { (Array($0.element.profile.userID.utf8), $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Adds a list.
    ///
    /// - Parameters:
    ///   - name: of the list, as of `EvaluatedList`, or any other.
    ///   - bucket: which of the lists of that name and member, whose mean counts; one of `buckets`, each given once.
    ///   - groupIDs: in the order of the list; those that the training set does not know only take up a place.
    /// - Throws: if there is no such member in the evaluation.
    public mutating func add(
        _ name: String, bucket: Int, ofUser userID: String, _ groupIDs: [String]
    ) throws(EvaluationError) {
        guard let place = members[Array(userID.utf8)] else {
            throw EvaluationError("user \"\(userID)\" is not measured here")
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

    /// The lists of an evaluation that would have nothing to be compared with.
    ///
    /// - Parameter names: of the lists that there are, each once.
    public static func missing(among names: [String]) -> [EvaluatedList] {
        names.count == 1 ? [] : EvaluatedList.allCases.filter { !names.contains($0.rawValue) }
    }

    fileprivate func index(for list: EvaluatedList) -> Int { names.firstIndex(of: list.rawValue) ?? 0 }

    fileprivate func values(_ measure: KeyPath<Accuracy, Double>, of members: [Int]) -> [[Double]] {
        lists.map { list in
            members.map { (list.sums[$0]?.accuracy[keyPath: measure] ?? 0) / Double(list.buckets.nonzeroBitCount) }
        }
    }
}
