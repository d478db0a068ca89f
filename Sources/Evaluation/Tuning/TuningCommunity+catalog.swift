public import CatalogStore
public import Model
import SparseMatrix

extension TuningCommunity {
    /// With fewer members chance would choose.
    private static let leastMembers = 100
    /// More members take longer and hardly tell more.
    private static let mostMembers = 36_000
    /// With fewer members every one is looked at several times, each time with other groups left out.
    private static let usualMembers = 15_000
    private static let mostFolds = 5
    /// The part of each member's groups that is left out if times of joining are not known.
    private static let share = 0.2
    /// Members of fewer groups are left aside where there are enough others: one group is more than a fifth of theirs,
    /// and what is left says little about lists made of all.
    private static let usualGroups = 5
    private static let enoughMembers = 1000

    /// Reads what a catalog has, and leaves out the group that each member joined last, or else a fifth of each
    /// member's groups.
    ///
    /// Every other member is one to choose settings on, the rest judge them.
    ///
    /// - Parameter pairLimit: Σ d² beyond which a matrix is thinned out.
    /// - Throws: `EvaluationError` if there are too few members.
    public init(_ catalog: Catalog, _ relations: RelationTable, pairLimit: Double, threads: Int) throws(EvaluationError)
    {
        do {
            guard let membership = relations[.membership] else { throw EvaluationError("there are no memberships") }
            let snapshot = try CatalogSnapshot(of: catalog, threads: threads)
            let matrix = try snapshot.matrix(membership.source) { _ in }.matrix
            var others: [Relation: BinaryMatrix] = [:]
            for facts in relations where facts.weight > 0 && facts.relation != membership.relation {
                others[facts.relation] = try snapshot.matrix(facts.source) { _ in }.matrix
            }
            let users = Self.sample(of: matrix.columnDegrees())
            let rule: HoldOutRule = try snapshot.mayHaveTimes(membership.source) ? .last : .share(Self.share)
            let heldOut = try snapshot.heldOut(ofUsers: users, by: rule, folds: rule == .last ? 1 : Self.mostFolds)
            let tested = users.indices.filter { user in heldOut.allSatisfy { !$0[user].isEmpty } }
            guard tested.count >= Self.leastMembers else {
                throw EvaluationError(
                    """
                    \(catalog.path) has \(tested.count) members in two groups or more: \
                    a tuning needs \(Self.leastMembers)
                    """)
            }
            func members(from first: Int) -> [[Member]] {
                heldOut.map { heldOut in
                    stride(from: first, to: tested.count, by: 2).map { index in
                        Member(column: users[tested[index]], heldOut: heldOut[tested[index]])
                    }
                }
            }
            let rounds = max(1, 2 * Self.usualMembers / max(1, tested.count))
            try self.init(
                membership: membership.relation, matrix, others: others,
                choosing: Array(members(from: 0).prefix(rounds)), judging: members(from: 1), pairLimit: pairLimit)
        } catch let error as EvaluationError { throw error } catch { throw EvaluationError("\(error)") }
    }

    /// Every n-th member of enough groups, so many that they say enough.
    private static func sample(of degrees: [UInt32]) -> [UInt32] {
        func members(of count: Int) -> [Int] { degrees.indices.filter { degrees[$0] >= count } }
        let usual = members(of: usualGroups)
        let usable = usual.count >= enoughMembers ? usual : members(of: 2)
        let step = max(1, (usable.count + mostMembers - 1) / mostMembers)
        return usable.enumerated().filter { $0.offset.isMultiple(of: step) }.map { UInt32($0.element) }
    }
}
