public import Model

extension LoadedVersion {
    /// A neighbour's score as exactly as the version allows: plain cosine in double precision, other measures as stored.
    public func score(of neighbour: Neighbour, to group: Int, by relation: Relation) -> Double {
        guard manifest[relation]?.measure == "cosine" else { return Double(neighbour.score) }
        return model.cosine(of: neighbour, to: group, by: relation)
    }
}
