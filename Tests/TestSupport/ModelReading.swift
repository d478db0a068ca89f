package import Model

/// Everything that can be read of a model.
package enum ModelReading {
    /// Reads everything.
    ///
    /// - Returns: what does not hold of a model that could be opened; nil if all is well.
    package static func flaw(in model: ModelVersion) -> String? {
        let count = model.groupCount
        for group in 0..<count {
            let id = model.id(of: group)
            guard model.facts(of: group).id == id, !id.isEmpty, model.index(ofID: id) == group else {
                return "group \(group) is not found by its id"
            }
            for relation in model.relations {
                guard model.size(of: group, in: relation) >= 0,
                    model.neighbours(of: group, by: relation).allSatisfy({ $0.index < count })
                else { return "group \(group) has a neighbour by \(relation) that there is not" }
            }
            guard (0..<12).allSatisfy({ (0.5...2).contains(model.seasonalFactor(of: group, month: $0)) }) else {
                return "group \(group) has a month that is not between a half and twice as good"
            }
        }
        for relation in model.relations {
            guard model.neighbourCount(of: relation) >= 0, model.meanBestScore(of: relation) > 0 else {
                return "\(relation) has no scale"
            }
        }
        return signalFlaw(in: model)
    }

    private static func signalFlaw(in model: ModelVersion) -> String? {
        let count = model.groupCount
        func isSound(_ postings: [Posting]) -> Bool { postings.allSatisfy { $0.group < count && $0.weight > 0 } }
        guard model.trending.allSatisfy({ $0.group < count && $0.score > 0 && $0.usualWeek >= 0 }) else {
            return "a trending group is none"
        }
        guard model.curated.allSatisfy({ $0.group < count }) else { return "a curated group is none" }
        guard model.topics.allSatisfy({ model.groups(withTopic: $0).allSatisfy { $0 < count } }) else {
            return "a topic has a group that there is not"
        }
        guard model.tags.allSatisfy({ isSound(Array(model.groups(withTag: $0))) }) else {
            return "a tag has a group that there is not"
        }
        guard model.places.allSatisfy({ isSound(Array(model.groups(at: $0))) }) else {
            return "a place has a group that there is not"
        }
        return nil
    }
}
