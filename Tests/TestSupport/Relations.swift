public import Model

extension Relation {
    /// Groups by the photos in their pools.
    public static let photos = RelationFacts.photos.relation
    /// Groups by their members.
    public static let members = RelationFacts.members.relation
}
