public import Model

extension LoadedVersion {
    /// A neighbour's score as exactly as the version allows: plain cosine in double precision, other measures as stored.
    public func score(of neighbour: Neighbour, to group: Int, by relation: Relation) -> Double {
        manifest[relation]?.measure == "cosine" ? cosine(of: neighbour, to: group, by: relation) : Double(neighbour.score)
    }

    /// The plain cosine of a group and its neighbour, c / √(nᵢ nⱼ), which follows from the counts whatever the measure.
    public func cosine(of neighbour: Neighbour, to group: Int, by relation: Relation) -> Double {
        let sizes = Double(model.size(of: group, in: relation)) * Double(model.size(of: Int(neighbour.index), in: relation))
        return sizes > 0 ? Double(neighbour.common) / sizes.squareRoot() : 0
    }
}
