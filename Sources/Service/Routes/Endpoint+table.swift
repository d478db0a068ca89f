import Model

extension Endpoint {
    /// All that the service answers, with these relations.
    static func table(of relations: RelationTable) -> [Endpoint] {
        health + documents + groups(of: relations) + members + interactions + photos + administration + hiding
            + curation
    }
}
