import CivilTime
import Model

/// The cold-start groups of a model version.
struct ColdStartIndex: Sendable {
    private static let popularLimit = 400
    /// The most groups of one topic that are considered.
    private static let topicLimit = 5000

    /// Groups with the most members, equal ones with the most photos, then in ascending order of the index.
    private let popular: [UInt32]
    private let relations: RelationTable

    /// - Complexity: O(groups · log groups).
    init(_ model: VisibleModel, _ relations: RelationTable) {
        self.relations = relations
        let sized = (0..<model.groupCount).map { group in
            let members = UInt64(relations.size(of: group, in: .membership, model))
            return (group: UInt32(group), size: members << 32 | UInt64(relations.size(of: group, in: .pool, model)))
        }
        let ordered = sized.sorted { $0.size != $1.size ? $0.size > $1.size : $0.group < $1.group }
        popular = ordered.prefix(Self.popularLimit).map(\.group)
    }

    /// The cold-start sources for a member's list.
    func sources(for request: PlanRequest, in model: VisibleModel, _ configuration: PlanConfiguration.ColdStart)
        -> ColdStart
    {
        let seconds = request.atMilliseconds / 1000
        let curated = model.curated.filter { $0.isValid(at: seconds) }
        return ColdStart(
            sources: [
                .init(
                    .topic, weight: configuration.topicWeight,
                    groups: groups(about: request.profile.topics, in: model)),
                .init(.curated, weight: configuration.curatedWeight, groups: curated.map(\.group)),
                .init(
                    .trending, weight: configuration.trendingWeight,
                    groups: Self.trending(in: model, atMilliseconds: request.atMilliseconds)),
            ], popular: popular.filter(model.shows))
    }

    /// Groups about some topics: those about the most of them first, then those with the most members.
    private func groups(about topics: [String], in model: VisibleModel) -> [UInt32] {
        var matches: [UInt32: Int] = [:]
        for topic in Set(topics.map(Term.normalized)) {
            for group in model.groups(withTopic: topic).prefix(Self.topicLimit) { matches[group, default: 0] += 1 }
        }
        let sized = matches.map {
            (group: $0.key, matches: $0.value, size: relations.size(of: Int($0.key), in: .membership, model))
        }
        return sized.sorted { ($0.matches, $0.size, $1.group) > ($1.matches, $1.size, $0.group) }.map(\.group)
    }

    /// Trending groups, best first, with the seasonal factors of the month.
    private static func trending(in model: VisibleModel, atMilliseconds instant: Int64) -> [UInt32] {
        let month = CalendarDate(unixMilliseconds: instant).month - 1
        let scored = model.trending.map { trend in
            (group: trend.group, score: Double(trend.score) * model.seasonalFactor(of: Int(trend.group), month: month))
        }
        return scored.sorted { ($0.score, $1.group) > ($1.score, $0.group) }.map(\.group)
    }
}
