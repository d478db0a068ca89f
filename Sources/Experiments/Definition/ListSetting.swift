package import Model
package import Recommendation

/// A numeric setting of lists that an arm may change.
package struct ListSetting: Sendable {
    /// The name in files: words in lower case with hyphens.
    package let name: String
    /// The meaning of the setting, with its unit.
    package let meaning: String
    /// The least and the greatest value, both inclusive.
    package let bounds: ClosedRange<Double>
    private let set: @Sendable (inout PlanConfiguration, Double) -> Void

    private init(
        _ name: String, _ meaning: String, _ bounds: ClosedRange<Double>,
        _ set: @escaping @Sendable (inout PlanConfiguration, Double) -> Void
    ) {
        self.name = name
        self.meaning = meaning
        self.bounds = bounds
        self.set = set
    }

    /// Changes the setting in a configuration.
    ///
    /// - Parameter value: the new value, within `bounds`.
    package func apply(_ value: Double, to configuration: inout PlanConfiguration) { set(&configuration, value) }

    /// Returns all settings of lists from some relations, in the order of the stages that they concern.
    package static func all(of relations: RelationTable) -> [ListSetting] {
        relations.map { weight(of: $0) } + [
            ListSetting(
                "ceiling", "The plain cosine to a joined group from which a group is left out as too similar", 0.01...1
            ) {
                $0.filters.ceiling = $1
            },
            ListSetting("inactive-after-days", "Days without activity after which a group is left out", 1...3650) {
                $0.filters.inactiveAfterDays = $1
            },
            ListSetting("rotation-hours", "Hours for which the order stays", 0.1...720) { $0.rotation.hours = $1 },
            ListSetting("rotation-noise", "How much the order changes", 0...4) { $0.rotation.noise = $1 },
            ListSetting("rotation-tail-noise", "How much the order changes among popular groups", 0...4) {
                $0.rotation.tailNoise = $1
            },
            ListSetting("impressions-to-half", "Impressions without a click that halve a score", 1...1000) {
                $0.feedback.impressionsToHalf = $1
            },
            ListSetting(
                "dismissal-depth", "The part of their scores that close neighbours of a dismissed group lose", 0...1
            ) {
                $0.feedback.dismissalDepth = $1
            },
            ListSetting("lambda", "The penalty for similarity to groups chosen before", 0...1) {
                $0.selection.lambda = $1
            },
            ListSetting("loss-limit", "The greatest part of the sum of scores that diversity may cost", 0...1) {
                $0.selection.lossLimit = $1
            },
            ListSetting(
                "groups-to-half", "The number of joined groups with which half of a list is personal", 0.1...100
            ) {
                $0.coldStart.groupsToHalf = $1
            },
            ListSetting("topic-weight", "The weight of groups about stated interests", 0...100) {
                $0.coldStart.topicWeight = $1
            },
            ListSetting("curated-weight", "The weight of curated groups", 0...100) { $0.coldStart.curatedWeight = $1 },
            ListSetting("trending-weight", "The weight of trending groups", 0...100) {
                $0.coldStart.trendingWeight = $1
            },
        ]
    }

    private static func weight(of facts: RelationDescription) -> ListSetting {
        let relation = facts.relation
        return ListSetting(
            "weight-\(facts.name)", "The factor of the weight of similarity by \(facts.name)", 0...100
        ) { configuration, factor in
            let weights = configuration.relations.map { facts in
                (facts.relation, facts.relation == relation ? facts.weight * factor : facts.weight)
            }
            configuration.relations = configuration.relations.weighted(Dictionary(uniqueKeysWithValues: weights))
        }
    }
}

extension PlanConfiguration {
    /// Returns the same configuration with the settings of an arm; unknown names change nothing.
    ///
    /// - Parameter values: the values by the names of settings.
    package func setting(_ values: [String: Double]) -> PlanConfiguration {
        var configuration = self
        for setting in ListSetting.all(of: relations) {
            if let value = values[setting.name] { setting.apply(value, to: &configuration) }
        }
        return configuration
    }
}
