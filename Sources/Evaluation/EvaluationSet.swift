package import Basics
package import CatalogStore
package import Model
package import Recommendation
package import Similarity

/// Members with held-out memberships, and the model that was learned without these memberships.
package struct EvaluationSet: Sendable {
    /// A member, in terms of the model's groups.
    package struct Member: Sendable {
        /// The profile from which lists are made.
        package let profile: MemberProfile
        /// The held-out groups that the model has, ascending.
        package let heldOut: [UInt32]
        /// The number of all held-out groups, also those that the model lacks and no list can find.
        package let heldOutCount: Int
        /// The number of groups that would be held out if the profile did not have them.
        fileprivate let repeatedCount: Int

        /// - Parameter groupIDs: the groups to hold out; those of the profile are not held out.
        init(_ profile: MemberProfile, without groupIDs: [String], in model: ModelVersion) {
            let indexes = groupIDs.map { model.index(ofID: $0).map(UInt32.init) }
            let joined = Set(profile.joined.map(\.group))
            let known = Set(indexes.compactMap(\.self)).subtracting(joined)
            self.profile = profile
            heldOut = known.sorted()
            heldOutCount = known.count + indexes.count { $0 == nil }
            repeatedCount = indexes.count { $0.map(joined.contains) ?? false }
        }
    }

    package let model: ModelVersion
    /// The training set, groups × users; its groups are those of the model.
    package let matrix: BinaryMatrix
    /// All members who are in a group of the training set, or whose favourites or follows point to one.
    package let members: [Member]
    /// The number of memberships of these members that both sets have; they are not held out.
    package let repeatedCount: Int
    /// The number of users of the held-out set whom the training set lacks, so that no list can be made for them.
    package let unknownUserCount: Int

    /// Reads members and their held-out memberships.
    ///
    /// - Parameters:
    ///   - training: the catalog that was learned from.
    ///   - heldOut: a catalog with the held-out memberships, or `nil` to measure no accuracy. The catalog may have
    ///     those of the training set too; users that the training catalog lacks are ignored.
    ///   - planner: the planner for which profiles are read.
    ///   - instant: the instant for which lists are made, in Unix milliseconds.
    ///   - isWanted: whether a member is measured, by id.
    ///   - progress: receives the numbers of users done and in all, from time to time.
    package init(
        model: ModelVersion, training: Facts, heldOut: Facts?, planner: Planner, atMilliseconds instant: Int64,
        where isWanted: (_ id: String) -> Bool = { _ in true },
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(Failure) {
        self.model = model
        let snapshot = try Matrices(of: training, threads: 1)
        let userIDs = try snapshot.users().ids
        matrix = try snapshot.matrix(.memberships) { _ in }.matrix
        guard matrix.rowCount == model.groupCount else {
            throw Failure(.badData, "the model is not of the groups of the catalog \(training.path)")
        }
        let isShown = try heldOut.map { catalog throws(Failure) in try Self.shownGroups(of: catalog) }
        let sizes = matrix.columnDegrees()
        var members: [Member] = []
        let tells = planner.configuration.evidence.contains { $0.weight > 0 }
        for user in 0..<matrix.columnCount where sizes[user] > 0 || tells {
            let id = userIDs[user]
            guard !id.isEmpty, isWanted(id),
                let profile = try MemberProfile(
                    ofUser: id, from: training, for: planner, atMilliseconds: instant),
                sizes[user] > 0 || !planner.hints(of: profile).isEmpty
            else { continue }
            let held = try heldOut?.member(withID: id)?.memberships.map(\.groupID) ?? []
            let shown = held.filter { isShown?.contains(Array($0.utf8)) ?? true }
            members.append(Member(profile, without: shown, in: model))
            if user.isMultiple(of: 256) { progress(user, matrix.columnCount) }
        }
        self.members = members
        repeatedCount = members.reduce(0) { $0 + $1.repeatedCount }
        let others = try heldOut.map { catalog throws(Failure) in try Self.users(of: catalog) } ?? []
        unknownUserCount = try others.subtracting(Self.users(of: training)).count
    }

    /// Returns the users of a catalog, by the bytes of their ids.
    private static func users(of catalog: Facts) throws(Failure) -> Set<[UInt8]> {
        let ids = try Matrices(of: catalog, threads: 1).users().ids
        return Set((0..<ids.count).lazy.map { Array(ids[$0].utf8) }.filter { !$0.isEmpty })
    }

    /// Returns the groups that may be shown, by the bytes of their ids.
    ///
    /// A set of strings would take canonically equivalent ids for equal.
    private static func shownGroups(of catalog: Facts) throws(Failure) -> Set<[UInt8]> {
        Set(try catalog.groups().lazy.filter { $0.isShown }.map { Array($0.id.utf8) })
    }

    /// Computes a model of the same memberships alone with another formula, for comparison.
    package func model(_ parameters: SimilarityParameters, threads: Int) throws(Failure) -> ModelVersion {
        let members = RelationDescription.members.relation
        let table = NeighbourSearch(parameters: parameters, threads: threads).run(on: matrix)
        let groups = (0..<model.groupCount).map { GroupFacts(id: model.id(of: $0), title: "") }
        let sizes = groups.indices.map { UInt32(matrix.size(ofRow: $0)) }
        return try ModelVersion(EncodedModel(groups: groups, sizes: [members: sizes], tables: [members: table]))
    }
}

/// The measurements of one thread.
struct EvaluationPart: Sendable {
    /// The rows by the member's index.
    var rows: [Int: MemberRow] = [:]
    /// The counts, in the order of `EvaluatedList`.
    var counts: [ListCounts]
    /// The number of held-out groups in each size class of groups.
    var heldOut = [Double](repeating: 0, count: SizeClass.allCases.count)

    var cosines: PairCosines

    init(_ set: EvaluationSet) {
        cosines = PairCosines(set.matrix)
        counts = EvaluatedList.allCases.map { _ in
            ListCounts(shown: [UInt32](repeating: 0, count: set.model.groupCount))
        }
    }

    mutating func merge(_ other: EvaluationPart) {
        rows.merge(other.rows) { first, _ in first }
        for index in counts.indices { counts[index].merge(other.counts[index]) }
        for index in heldOut.indices { heldOut[index] += other.heldOut[index] }
    }
}

/// The lists that are compared: plain ones as a benchmark, and the personal list stage by stage.
package enum EvaluatedList: String, Sendable, CaseIterable {
    /// The groups with the most members.
    case popular
    /// The sums of plain cosines by members, with X = Y = 1.
    case cosine
    /// The sums of the model's scores by members.
    case raw
    /// The sums of the scores by all relations, and of the scores for the size of a group.
    case blend
    /// The blend without groups that may not be shown, or are too similar to a joined one.
    case filters
    /// The same list with diversity.
    case diversity
    /// The same list with rotation.
    case rotation
    /// The list that is served: all stages.
    case served

    /// Whether the list changes from one bucket to the next.
    package var rotates: Bool { self == .rotation || self == .served }

    /// The stages that are left out: all that can be, except those that the list is about.
    var omitted: Set<PlanStage> {
        let kept: Set<PlanStage> =
            switch self {
            case .popular, .cosine, .raw: []
            case .blend: [.popularity]
            case .filters: [.popularity, .filters]
            case .diversity: [.popularity, .filters, .diversity]
            case .rotation: [.popularity, .filters, .diversity, .rotation]
            case .served: Set(PlanStage.allCases)
            }
        return Set(PlanStage.allCases.filter(\.canBeOmitted)).subtracting(kept)
    }
}
