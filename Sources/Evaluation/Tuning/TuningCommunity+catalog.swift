public import CatalogStore
public import Model
import SparseMatrix

extension TuningCommunity {
    /// With fewer members chance would choose.
    private static let leastMembers = 100
    /// More members take longer and hardly tell more.
    private static let mostMembers = 18_000
    /// With fewer members every one is looked at several times, each time with other groups left out.
    private static let usualMembers = 15_000
    private static let mostFolds = 5
    /// The part of each member's groups that is left out if times of joining are not known.
    private static let share = 0.2

    /// Reads what a catalog has, and leaves out the group that each member joined last, or else a fifth of each
    /// member's groups.
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
            let degrees = matrix.columnDegrees()
            let usable = degrees.indices.filter { degrees[$0] > 1 }
            let step = max(1, (usable.count + Self.mostMembers - 1) / Self.mostMembers)
            let users = usable.enumerated().filter { $0.offset.isMultiple(of: step) }.map { UInt32($0.element) }
            let rule: HoldOutRule = try snapshot.mayHaveTimes(membership.source) ? .last : .share(Self.share)
            let foldCount = rule == .last ? 1 : min(Self.mostFolds, max(1, Self.usualMembers / max(1, users.count)))
            let heldOut = try snapshot.heldOut(ofUsers: users, by: rule, folds: foldCount)
            let tested = users.indices.filter { user in heldOut.allSatisfy { !$0[user].isEmpty } }
            guard tested.count >= Self.leastMembers else {
                throw EvaluationError(
                    """
                    \(catalog.path) has \(tested.count) members in two groups or more: \
                    a tuning needs \(Self.leastMembers)
                    """)
            }
            let folds = heldOut.map { heldOut in
                tested.map { Member(column: users[$0], heldOut: heldOut[$0]) }
            }
            try self.init(
                membership: membership.relation, matrix, others: others, folds: folds, pairLimit: pairLimit)
        } catch let error as EvaluationError { throw error } catch { throw EvaluationError("\(error)") }
    }
}
