public import Model

extension LoadedVersion {
    /// A neighbour's score as exactly as the version allows: plain cosine in double precision, other measures as stored.
    public func score(of neighbour: Neighbour, to group: Int, by relation: Relation) -> Double {
        guard manifest[relation]?.measure == "cosine" else { return Double(neighbour.score) }
        return cosine(of: neighbour, to: group, by: relation)
    }

    /// The plain cosine of a group and its neighbour, c / √(nᵢ nⱼ), which follows from the counts whatever the measure.
    public func cosine(of neighbour: Neighbour, to group: Int, by relation: Relation) -> Double {
        let size = Double(model.size(of: group, in: relation))
        let otherSize = Double(model.size(of: Int(neighbour.index), in: relation))
        return size > 0 && otherSize > 0 ? Double(neighbour.common) / (size * otherSize).squareRoot() : 0
    }
}
