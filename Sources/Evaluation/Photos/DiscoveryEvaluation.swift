package import Basics
package import CatalogStore
package import Model
package import Recommendation
import Similarity

/// A measurement of the photos or the contacts of members, against popular ones and plain item-based filtering.
///
/// The measurement counts the favourites or follows that were held out and are found again.
package struct DiscoveryEvaluation {
    /// The lists that are compared.
    package enum List: String, CaseIterable, Sendable {
        /// The photos with the most favourites, or the members with the most followers.
        case popular
        /// The sums of plain cosines with what the member told of: two are alike if the same members told of them.
        case items
        /// The list by scores, before it is varied.
        case raw
        case served
    }

    /// A member in terms of keys, which are columns of matrices.
    private struct Member {
        var id: String
        var told: [UInt32]
        var heldOut: [UInt32]
        /// The photos or members that may not be in the member's list.
        var leftOut: Set<UInt32>
    }

    private let kind: ToldKind
    private let training: Facts
    private let snapshot: Matrices
    private let planner: Planner
    private let instant: Int64
    private let items: NeighbourTable
    private let popular: [UInt32]
    private let isEligible: [Bool]
    private let members: [Member]

    /// The number of members who are measured.
    package var memberCount: Int { members.count }

    /// The most items that are compared with each one.
    private static let neighbourLimit = 1000

    /// Reads members and what was held out of them.
    ///
    /// Held-out photos count if they are public and in the pool of a shown group, and members if they agreed to be
    /// shown.
    ///
    /// - Parameters:
    ///   - kind: favourites for photos, follows for contacts.
    ///   - training: the catalog that was learned from, a copy of `whole` without some entries.
    ///   - planner: the planner of a version computed from the training set.
    ///   - instant: the instant for which lists are made, in Unix milliseconds.
    package init(
        _ kind: ToldKind, training: Facts, whole: Facts, planner: Planner, atMilliseconds instant: Int64,
        share: Double, threads: Int
    ) throws(Failure) {
        (self.kind, self.training, self.planner, self.instant) = (kind, training, planner, instant)
        snapshot = try Matrices(of: training, threads: threads)
        let known = try snapshot.matrix(kind.source) { _ in }.matrix
        let all = try Matrices(of: whole, threads: threads).matrix(kind.source) { _ in }.matrix
        guard known.rowCount <= all.rowCount, known.columnCount <= all.columnCount else {
            throw Failure(.badData, "\(training.path) is not a copy of \(whole.path)")
        }
        let isEligible = try Self.eligible(kind, snapshot, count: known.columnCount)
        self.isEligible = isEligible
        let toldBy = try known.transposed()
        items = NeighbourSearch(
            parameters: SimilarityParameters(
                minimumEntries: 1, minimumCommon: 1, limit: min(Self.neighbourLimit, max(1, toldBy.rowCount))),
            threads: threads
        ).run(on: toldBy)
        popular = [UInt32](below: isEligible.count) { toldBy.size(ofRow: $0) }.filter { isEligible[Int($0)] }
        members = try Self.members(kind, snapshot, known, all, isEligible, share: share)
    }

    private static func eligible(_ kind: ToldKind, _ snapshot: Matrices, count: Int)
        throws(Failure) -> [Bool]
    {
        var isEligible = [Bool](repeating: false, count: count)
        switch kind {
        case .favourites:
            let pools = try snapshot.matrix(.pools) { _ in }.matrix
            for (photo, degree) in pools.columnDegrees().enumerated() where photo < count {
                isEligible[photo] = degree > 0
            }
        case .follows:
            for user in try snapshot.listedUsers() where Int(user) < count { isEligible[Int(user)] = true }
        }
        return isEligible
    }

    /// Returns members of whom something was held out, spread over all.
    private static func members(
        _ kind: ToldKind, _ snapshot: Matrices, _ known: BinaryMatrix, _ all: BinaryMatrix,
        _ isEligible: [Bool], share: Double
    ) throws(Failure) -> [Member] {
        let ids = try snapshot.users().ids
        var chosen = EvenShare(share)
        var members: [Member] = []
        for row in 0..<known.rowCount {
            let told = Array(known.row(row))
            var leftOut = Set(told)
            switch kind {
            case .favourites: leftOut.formUnion(try snapshot.photos(ofOwner: UInt32(row)))
            case .follows: leftOut.insert(UInt32(row))
            }
            let heldOut = all.row(row).filter { entry in
                Int(entry) < isEligible.count && isEligible[Int(entry)] && !leftOut.contains(entry)
            }
            guard !heldOut.isEmpty, chosen.next() else { continue }
            members.append(Member(id: ids[row], told: told, heldOut: heldOut, leftOut: leftOut))
        }
        return members
    }

    /// Measures all lists.
    ///
    /// - Parameters:
    ///   - lengths: the numbers of photos or members that count, each 1 or more.
    ///   - progress: receives the number of members done, from time to time.
    package func measures(lengths: [Int], samples: Int, progress: (_ done: Int) -> Void) throws(Failure)
        -> [ComparedList]
    {
        try ComparedList.compared(
            List.allCases.map(\.rawValue), of: members, lengths: lengths, samples: samples, progress: progress
        ) { member, length throws(Failure) in
            let (raw, served) = try lists(member, length)
            return (
                [popular.first(length, without: member.leftOut), itemBased(member, length), raw, served], member.heldOut
            )
        }
    }

    private func itemBased(_ member: Member, _ length: Int) -> [UInt32] {
        var sums: [UInt32: Double] = [:]
        for item in member.told {
            for neighbour in items.list(of: Int(item)) where isEligible[Int(neighbour.index)] {
                sums[neighbour.index, default: 0] += Double(neighbour.score)
            }
        }
        return sums.best(length, without: member.leftOut)
    }

    /// Returns the list by scores and the served one, as a daemon makes them.
    private func lists(_ member: Member, _ length: Int) throws(Failure) -> (raw: [UInt32], served: [UInt32]) {
        let profile = try MemberProfile(ofUser: member.id, from: training, for: planner, atMilliseconds: instant)
        let plan = planner.plan(
            PlanRequest(profile: profile ?? MemberProfile(userID: member.id), atMilliseconds: instant))
        let request = planner.tasteRequest(profile ?? MemberProfile(userID: member.id), plan)
        switch kind {
        case .favourites:
            let found = try training.photos(for: request, planner: planner)
            let varied = planner.varied(found, request, plan, limit: length)
            return (
                try columns(of: found.prefix(length).map(\.id), in: .photos),
                try columns(of: varied.map(\.photo.id), in: .photos)
            )
        case .follows:
            let contacts = try training.contacts(for: request, planner: planner).prefix(length)
            let found = try columns(of: contacts.map(\.id), in: .users)
            return (found, found)
        }
    }

    private func columns(of ids: [String], in table: EntityTable) throws(Failure) -> [UInt32] {
        var columns: [UInt32] = []
        for id in ids { if let column = try snapshot.column(of: id, in: table) { columns.append(column) } }
        return columns
    }
}
