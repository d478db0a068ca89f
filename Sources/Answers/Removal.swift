/// What became of a removal: `DELETE /v1/users/{id}`, and the same of a group, a photo or an entry of a group.
public struct Removal: Answer, Equatable {
    /// Rows that were removed from the catalog, by table.
    public var removed: [String: Int]
    /// Whether the next recompute removes it from the catalog.
    public var pending: Bool

    /// An outcome.
    public init(removed: [String: Int], pending: Bool) {
        self.removed = removed
        self.pending = pending
    }

    /// The name of the schema.
    public static let schemaName: String? = "Removal"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always(
            "removed", \.removed, as: Schema.map(.count),
            "Rows that were removed from the catalog, by table; of photos that stay, those that lost their owner")
        fields.always(
            "pending", \.pending, "Whether it is recorded, and removed from the catalog by the next recompute")
    }
}
