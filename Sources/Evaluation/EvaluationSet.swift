public import CatalogStore
public import Model
public import Similarity
public import SparseMatrix

/// Memberships to learn from, and memberships held out to see what was learned.
public struct EvaluationSet: Sendable {
    /// A member with the groups to learn from and those held out, as ascending indexes.
    public struct Member: Sendable {
        /// The external id.
        public let id: String
        /// Groups joined, as far as they are known.
        public let joined: [UInt32]
        /// Groups joined, which the lists do not know of.
        public let heldOut: [UInt32]
    }

    /// The groups, in ascending order of the bytes of their ids.
    public let groups: [GroupFacts]
    /// Groups × users, what is learned from.
    public let matrix: BinaryMatrix
    /// All members who are in a group.
    public let members: [Member]

    /// Reads two catalogs.
    ///
    /// - Parameters:
    ///   - training: memberships to learn from.
    ///   - heldOut: memberships held out; groups and users that the other catalog does not have are passed over.
    public init(training: Catalog, heldOut: Catalog?) throws(EvaluationError) {
        do {
            var read: (records: [GroupRecord], matrix: BinaryMatrix, ids: PackedIDs)?
            try training.snapshot { () throws(CatalogError) in
                let records = try training.groups()
                let reading = try training.matrix(RelationFacts.members.source, groups: records, threads: 1) { _ in }
                read = (records, reading.matrix, try training.userIDs())
            }
            guard let read else { preconditionFailure("the snapshot was read") }
            let publicGroups = read.records.filter { $0.isShown }
            // By their bytes: to Swift, ids are equal already if they look the same.
            let indexes = Dictionary(
                uniqueKeysWithValues: zip(publicGroups.map { Array($0.id.utf8) }, 0..<UInt32.max))
            matrix = read.matrix
            groups = publicGroups.map { GroupFacts(id: $0.id, title: $0.title) }
            let byUser = try read.matrix.transposed()
            var members: [Member] = []
            for user in 0..<byUser.rowCount where byUser.size(ofRow: user) > 0 {
                guard let id = read.ids[user] else { continue }
                let record = try heldOut?.member(withID: id)
                let held = (record?.memberships ?? []).compactMap { indexes[Array($0.groupID.utf8)] }
                let joined = Array(byUser.row(user))
                members.append(
                    Member(id: id, joined: joined, heldOut: Set(held).subtracting(joined).sorted()))
            }
            self.members = members
        } catch { throw EvaluationError("\(error)") }
    }

    /// A model version of what is to be learned from, by members only.
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
