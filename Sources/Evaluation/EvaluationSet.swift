public import CatalogStore
public import Model
public import Similarity
public import SparseMatrix

/// Memberships for training, and held-out memberships to test what was learned.
public struct EvaluationSet: Sendable {
    /// A member with the groups for training and the held-out groups, as ascending indexes.
    public struct Member: Sendable {
        /// The external id.
        public let id: String
        /// The joined groups of the training set.
        public let joined: [UInt32]
        /// The held-out groups that the training set has.
        public let heldOut: [UInt32]
        /// How many were held out, with those that the training set lacks and no list can find.
        public let heldOutCount: Int
    }

    /// The groups, in ascending order of the bytes of their ids.
    public let groups: [GroupFacts]
    /// The training set, groups × users.
    public let matrix: BinaryMatrix
    /// All members who are in a group.
    public let members: [Member]

    /// Reads two catalogs.
    ///
    /// - Parameters:
    ///   - training: the memberships for training.
    ///   - heldOut: the held-out memberships; users that are not in the other catalog are ignored.
    public init(training: Catalog, heldOut: Catalog?) throws(EvaluationError) {
        do {
            let snapshot = try CatalogSnapshot(of: training, threads: 1)
            let publicGroups = try snapshot.groups().filter { $0.isShown }
            let userIDs = try snapshot.userIDs()
            // By their bytes: a dictionary of strings would take canonically equivalent ids for equal.
            let indexes = Dictionary(
                uniqueKeysWithValues: zip(publicGroups.map { Array($0.id.utf8) }, 0..<UInt32.max))
            matrix = try snapshot.matrix(RelationFacts.members.source) { _ in }.matrix
            groups = publicGroups.map { GroupFacts(id: $0.id, title: $0.title) }
            let byUser = try matrix.transposed()
            var members: [Member] = []
            for user in 0..<byUser.rowCount where byUser.size(ofRow: user) > 0 {
                let id = userIDs[user]
                guard !id.isEmpty else { continue }
                let record = try heldOut?.member(withID: id)
                let held = (record?.memberships ?? []).map { indexes[Array($0.groupID.utf8)] }
                let joined = Array(byUser.row(user))
                let known = Set(held.compactMap(\.self)).subtracting(joined)
                members.append(
                    Member(
                        id: id, joined: joined, heldOut: known.sorted(),
                        heldOutCount: known.count + held.count { $0 == nil }))
            }
            self.members = members
        } catch { throw EvaluationError("\(error)") }
    }

    /// A model version of the training set, with neighbours by members only.
    public func model(_ parameters: SimilarityParameters, threads: Int) throws(EvaluationError) -> ModelVersion {
        let members = RelationFacts.members.relation
        let table = NeighbourSearch(parameters: parameters, threads: threads).run(on: matrix)
        let sizes = groups.indices.map { UInt32(matrix.size(ofRow: $0)) }
        do {
            let model = try EncodedModel(groups: groups, sizes: [members: sizes], tables: [members: table])
            return try ModelVersion(ByteRegion(copying: model.fileBytes))
        } catch { throw EvaluationError("\(error)") }
    }
}

/// Why an evaluation is not possible.
public struct EvaluationError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String

    init(_ description: String) { self.description = description }
}
