package import Basics
package import CatalogStore
package import Model
package import Similarity

/// The data of a tuning: matrices, and members with held-out memberships.
package struct TuningCommunity: Sendable {
    /// A member with held-out groups.
    package struct Member: Sendable, Equatable {
        /// The member's column in the matrix of memberships.
        var column: UInt32
        var heldOut: [UInt32]
    }

    /// One choice of held-out memberships.
    struct Fold: Sendable {
        /// Groups × users, without the held-out memberships.
        let memberships: BinaryMatrix
        let members: [(joined: [UInt32], heldOut: [UInt32])]
    }

    /// The relation with the held-out entries.
    let membership: Relation
    /// The folds that settings are chosen on; all have the same members in the same order.
    let choosing: [Fold]
    /// Groups × entries of the other relations, if they have entries.
    let others: [Relation: BinaryMatrix]
    /// The part of the entries that is left of each matrix, as large ones are thinned out.
    let keptParts: [Relation: Double]
    /// The memberships with nothing held out.
    private let known: BinaryMatrix
    private let judges: [[Member]]

    /// Holds memberships out.
    ///
    /// - Parameters:
    ///   - memberships: All memberships, groups × users.
    ///   - others: Groups × entries of other relations.
    ///   - choosing: For each fold, the members that settings are chosen on, with their held-out groups. All folds have
    ///     the same members in the same order.
    ///   - judging: For each fold, other members with held-out groups, who judge the chosen settings.
    ///   - pairLimit: The Σ d² beyond which a matrix is thinned out. Members with held-out groups always stay.
    package init(
        membership: Relation, _ memberships: BinaryMatrix, others: [Relation: BinaryMatrix], choosing: [[Member]],
        judging: [[Member]], pairLimit: Double
    ) throws(Failure) {
        self.membership = membership
        var tested = [Bool](repeating: false, count: memberships.columnCount)
        for member in (choosing.first ?? []) + (judging.first ?? []) { tested[Int(member.column)] = true }
        let thinnedOut = try memberships.thinned(pairLimit: pairLimit) { tested[Int($0)] }
        let known = thinnedOut.matrix
        var keptParts = [membership: thinnedOut.keptPart]
        var thinned: [Relation: BinaryMatrix] = [:]
        for (relation, matrix) in others where matrix.entryCount > 0 {
            let found = try matrix.thinned(pairLimit: pairLimit) { _ in false }
            thinned[relation] = found.matrix
            keptParts[relation] = found.keptPart
        }
        self.others = thinned
        self.keptParts = keptParts
        self.choosing = try choosing.map { members throws(Failure) in try Fold(known, members) }
        self.known = known
        judges = judging
    }

    var groupCount: Int { known.rowCount }

    /// The numbers of members that settings are chosen on, and of members who judge the settings.
    package var memberCounts: (choosing: Int, judging: Int) {
        (choosing.first?.members.count ?? 0, judges.first?.count ?? 0)
    }

    /// The number of folds for judging, each with other held-out groups.
    var judgingFoldCount: Int { judges.count }

    /// Returns a fold for judging, which is made on demand because it takes memory.
    func judging(_ number: Int) throws(Failure) -> Fold { try Fold(known, judges[number]) }

    /// The relations with entries, memberships first.
    var relations: [Relation] { [membership] + others.keys.sorted { $0.rawValue < $1.rawValue } }
}

extension TuningCommunity.Fold {
    init(_ memberships: BinaryMatrix, _ members: [TuningCommunity.Member]) throws(Failure) {
        var places = [Int32](repeating: -1, count: memberships.columnCount)
        for (place, member) in members.enumerated() { places[Int(member.column)] = Int32(place) }
        let leftOut = members.map { Set($0.heldOut) }
        var joined = [[UInt32]](repeating: [], count: members.count)
        let left = try memberships.filtered { row, column in
            let place = Int(places[Int(column)])
            guard place >= 0 else { return true }
            guard !leftOut[place].contains(row) else { return false }
            joined[place].append(row)
            return true
        }
        self.memberships = left
        self.members = zip(joined, members).map { ($0, $1.heldOut) }
    }
}

extension BinaryMatrix {
    /// Returns every n-th column and those that must stay, with the least n that is expected to bring Σ d² down to a
    /// limit.
    fileprivate func thinned(pairLimit: Double, keeping mustStay: (_ column: UInt32) -> Bool) throws(Failure)
        -> (matrix: BinaryMatrix, keptPart: Double)
    {
        let pairs = columnDegrees().reduce(0.0) { $0 + Double($1) * Double($1) }
        let step = UInt32(clamping: Int((pairs / pairLimit).rounded(.up)))
        guard step > 1, entryCount > 0 else { return (self, 1) }
        let matrix = try filtered { _, column in column.isMultiple(of: step) || mustStay(column) }
        return (matrix, Double(matrix.entryCount) / Double(entryCount))
    }
}

extension TuningCommunity {
    /// The least number of members; with fewer, chance would decide.
    private static let leastMembers = 100
    /// The largest sample of members; more take longer and hardly add information.
    private static let mostMembers = 36_000
    /// The number of members from which one fold is enough; fewer are measured in several folds with other held-out
    /// groups.
    private static let usualMembers = 15_000
    private static let mostFolds = 5
    /// The part of each member's groups to hold out if too few join times are known.
    private static let share = 0.2
    /// The least number of a member's groups, if there are enough such members.
    ///
    /// For a smaller number, one group is more than a fifth. The remaining groups then say little about lists made from
    /// all.
    private static let usualGroups = 5
    private static let enoughMembers = 1000

    /// Reads a catalog, and holds out the group that each member joined last, or a fifth of each member's groups.
    ///
    /// The last group is held out if join times of half of the members are known. Settings are chosen on every other
    /// member; the rest judge them.
    ///
    /// - Parameter pairLimit: The Σ d² beyond which a matrix is thinned out.
    /// - Throws: `Failure` if there are too few members, or if reading fails.
    package init(_ catalog: Facts, _ relations: RelationTable, pairLimit: Double, threads: Int)
        throws(Failure)
    {
        guard let membership = relations[.membership], let memberships = membership.source else {
            throw Failure(.badData, "there are no memberships")
        }
        let snapshot = try Matrices(of: catalog, threads: threads)
        let matrix = try snapshot.matrix(memberships) { _ in }.matrix
        var others: [Relation: BinaryMatrix] = [:]
        for facts in relations where facts.weight > 0 && facts.relation != membership.relation {
            if let source = facts.source { others[facts.relation] = try snapshot.matrix(source) { _ in }.matrix }
        }
        let users = Self.sample(of: matrix.columnDegrees())
        var heldOut: [[[UInt32]]] = []
        if try snapshot.mayHaveTimes(memberships) {
            heldOut = try snapshot.heldOut(ofUsers: users, by: .last, folds: 1)
        }
        // Daemons note times also where no import has any.
        let timed = heldOut.first?.count { !$0.isEmpty } ?? 0
        if timed < max(Self.leastMembers, users.count / 2) {
            heldOut = try snapshot.heldOut(ofUsers: users, by: .share(Self.share), folds: Self.mostFolds)
        }
        let tested = users.indices.filter { user in heldOut.allSatisfy { !$0[user].isEmpty } }
        guard tested.count >= Self.leastMembers else {
            throw Failure(
                .badData,
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
    }

    /// Returns members with enough groups, spread evenly, at most `mostMembers`.
    ///
    /// They are at most two thirds of all members, and half of them miss groups at a time. If more did, memberships
    /// would be too thin, and longer lists would seem better than they are.
    private static func sample(of degrees: [UInt32]) -> [UInt32] {
        func members(of count: Int) -> [Int] { degrees.indices.filter { degrees[$0] >= count } }
        let usual = members(of: usualGroups)
        let usable = usual.count >= enoughMembers ? usual : members(of: 2)
        let most = min(mostMembers, max(leastMembers, members(of: 1).count * 2 / 3), usable.count)
        return (0..<most).map { UInt32(usable[$0 * usable.count / most]) }
    }
}
