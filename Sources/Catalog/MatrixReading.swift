public import SparseMatrix

/// A matrix groups × users or groups × photos as it was read, and what was left out.
public struct MatrixReading: Sendable {
    /// A row a public group, in ascending order of the bytes of the groups' outside ids; columns are
    /// numbers of users or photos that mean nothing outside this reading.
    public var matrix: BinaryMatrix
    /// Memberships or pool entries left out because the group is private.
    public var entriesOfPrivateGroups: Int
    /// Pool entries of public groups left out because the photo is private.
    public var entriesOfPrivatePhotos: Int
}

/// What a matrix says of: the photos in a group's pool, or its members.
public enum MatrixKind: Sendable {
    /// Groups × photos.
    case pools
    /// Groups × users.
    case memberships

    var table: RelationshipTable { self == .pools ? .pools : .memberships }
}
