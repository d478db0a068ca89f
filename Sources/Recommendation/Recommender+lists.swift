import Model

extension Recommender {
    /// Groups for a member: the neighbours of the joined groups, without those joined.
    ///
    /// - Parameters:
    ///   - joined: indexes of the groups the member has joined.
    ///   - limit: how many at most.
    public func recommendations(joined: [UInt32], limit: Int) -> [Suggestion] {
        let known = Set(joined)
        return suggest(seeds: known.map { Seed(group: $0) }, limit: limit) { !known.contains($0) }
    }

    /// Groups that are similar to one, in the blend of this recommender's weights.
    public func similar(to group: UInt32, limit: Int) -> [Suggestion] {
        suggest(seeds: [Seed(group: group)], limit: limit) { $0 != group }
    }

    /// Groups that a photo could go to.
    ///
    /// A photo in pools: the neighbours of its groups. A photo in none: the groups that hold its
    /// owner's other photos, each counting by its share of them, and their neighbours; such a group
    /// speaks for itself like a neighbour with the mean best score, and then has no reason.
    ///
    /// - Parameters:
    ///   - groups: indexes of the groups whose pools the photo is in.
    ///   - ownerGroups: indexes of groups that hold other photos of its owner, with the number of those photos.
    ///   - limit: how many at most.
    /// - Returns: groups the photo is not in; of those one enters by invitation only, the owner's.
    public func groups(forPhotoIn groups: [UInt32], ownerGroups: [UInt32: Int], limit: Int) -> [Suggestion] {
        let present = Set(groups)
        let isAllowed = { (group: UInt32) in
            !present.contains(group) && (model.joinPolicy(of: Int(group)) != .invite || ownerGroups[group] != nil)
        }
        guard groups.isEmpty else {
            return suggest(seeds: present.map { Seed(group: $0) }, limit: limit, where: isAllowed)
        }
        let total = Double(ownerGroups.values.reduce(0, +))
        let seeds = ownerGroups.map { Seed(group: $0.key, weight: Double($0.value) / total) }
        return suggest(seeds: seeds, selfScore: weights.photos + weights.members, limit: limit, where: isAllowed)
    }
}
