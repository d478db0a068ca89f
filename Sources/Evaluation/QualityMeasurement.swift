package import Basics
import CatalogStore
import Experiments
package import Model
import Recommendation

/// Measures the lists of a version, made at its time, on the groups that members have joined since.
///
/// The lists are those of `coterie recommend` with the usual settings, so that versions are compared and not settings.
package struct QualityMeasurement: Sendable {
    /// The most members who are measured.
    package static let memberLimit = 2000
    /// The members that a thread takes at a time.
    private static let portion = 16

    private let version: Manifest
    private let model: ModelVersion
    private let planners: (measured: Planner, next: Planner)
    /// The groups with the most members, the greatest first.
    private let popular: [UInt32]
    private let rule: HoldOutRule
    private let relations: RelationTable

    /// - Parameters:
    ///   - measured: the version whose lists are measured.
    ///   - next: the version that was made after it.
    ///   - moment: the time in Unix seconds from which on no membership was counted in the measured version.
    package init(
        _ measured: (manifest: Manifest, model: ModelVersion), next: (manifest: Manifest, model: ModelVersion),
        relations: RelationTable, from moment: Int64
    ) {
        var configuration = PlanConfiguration()
        configuration.relations = relations
        (version, model, rule, self.relations) = (measured.manifest, measured.model, .after(moment), relations)
        let (before, after) = (configuration.weighted(by: measured.manifest), configuration.weighted(by: next.manifest))
        planners = (
            Planner(model: measured.model, configuration: before, key: RotationKey(0, 0)),
            Planner(model: next.model, configuration: after, key: RotationKey(0, 0))
        )
        let membership = relations[.membership]?.relation ?? RelationDescription.members.relation
        popular = [UInt32](below: model.groupCount) { Int(measured.model.size(of: $0, in: membership)) }
    }

    /// Returns the members to measure: those with the least hashes of their ids, in the order of the hashes.
    package static func sample(of userIDs: [String]) -> [String] {
        let hashed = userIDs.lazy.filter { !$0.isEmpty }.map { (hash: Checksum.number(of: Array($0.utf8)), id: $0) }
        return hashed.sorted { $0.hash < $1.hash }.prefix(memberLimit).map(\.id)
    }

    /// The measurement of one member.
    private struct Row: Sendable {
        var joins = 0
        var joinsOfOtherGroups = 0
        /// The first groups of the list; nil if no group was joined that the list could have.
        var shown: [UInt32]?
        var isHit = false
        var isPopularHit = false
        var isImpersonal = false
        var overlap: Double?
    }

    /// Measures members; the result does not depend on the number of threads.
    ///
    /// - Parameters:
    ///   - userIDs: the members.
    ///   - path: the path of the catalog with what they joined since.
    package func quality(
        ofUsers userIDs: [String], inCatalog path: String, threads: Int
    ) throws(Failure) -> Manifest.Quality {
        let rows = try Parallel.map(
            userIDs.count, inPortionsOf: Self.portion, threads: threads,
            state: { _ throws(Failure) in
                (
                    now: try Facts(path: path, relations: relations),
                    then: try rule.past(ofCatalog: path, relations: relations)
                )
            }
        ) { catalogs, portion throws(Failure) in
            try userIDs[portion].map { id throws(Failure) in
                let joined = try catalogs.now.member(withID: id)?.memberships ?? []
                let later = joined.filter { rule.isLater($0.joinedAt) }
                return try row(ofUser: id, later.map(\.groupID), catalogs.then)
            }
        }
        return quality(rows.flatMap(\.self))
    }

    private func row(ofUser id: String, _ joined: [String], _ catalog: Facts) throws(Failure) -> Row {
        var row = Row()
        let instant = version.createdAtMilliseconds
        func request(_ planner: Planner) throws(Failure) -> PlanRequest? {
            let profile = try MemberProfile(ofUser: id, from: catalog, for: planner, atMilliseconds: instant)
            return profile.map { PlanRequest(profile: $0, atMilliseconds: instant, length: QualityFigures.length) }
        }
        func groups(_ items: [PlanItem]) -> [UInt32] { items.prefix(QualityFigures.length).map(\.group) }
        guard let first = try request(planners.measured), !first.isPaused else { return row }
        let member = EvaluationSet.Member(first.profile, without: joined, in: model)
        row.joins = member.heldOut.count
        row.joinsOfOtherGroups = member.heldOutCount - member.heldOut.count
        guard !member.heldOut.isEmpty else { return row }
        let items = planners.measured.plan(first).items
        let shown = groups(items)
        row.shown = shown
        row.isHit = member.heldOut.contains(where: shown.contains)
        let usual = popular.first(QualityFigures.length, without: first.profile.joined.lazy.map(\.group))
        row.isPopularHit = member.heldOut.contains(where: usual.contains)
        row.isImpersonal = !items.contains { $0.origin == .personal || $0.origin == .topic }
        if !shown.isEmpty, let second = try request(planners.next) {
            let next = Set(
                groups(planners.next.plan(second).items).compactMap {
                    model.index(ofID: planners.next.model.id(of: Int($0))).map(UInt32.init)
                })
            row.overlap = Double(next.intersection(shown).count) / Double(shown.count)
        }
        return row
    }

    private func quality(_ rows: [Row]) -> Manifest.Quality {
        var quality = Manifest.Quality(of: version.version)
        let lists = rows.compactMap(\.shown)
        quality.members = lists.count
        quality.joins = rows.reduce(0) { $0 + $1.joins }
        quality.joinsOfOtherGroups = rows.reduce(0) { $0 + $1.joinsOfOtherGroups }
        guard quality.joins >= Manifest.Quality.leastJoins else { return quality }
        func share(_ isCounted: (Row) -> Bool) -> Double { Double(rows.count(where: isCounted)) / Double(lists.count) }
        let groupCount = popular.count
        var counts = [Int](repeating: 0, count: groupCount)
        for group in lists.joined() { counts[Int(group)] += 1 }
        let most = counts.sorted(by: >).prefix((groupCount + 99) / 100).reduce(0, +)
        let overlaps = rows.compactMap(\.overlap)
        let hits = rows.count(where: \.isHit)
        quality.figures = QualityFigures(
            hitRate: share(\.isHit), interval: Self.interval(hits, of: lists.count),
            popularHitRate: share(\.isPopularHit),
            coverage: Double(counts.count { $0 > 0 }) / Double(max(1, groupCount)),
            mostShown: Double(most) / Double(max(1, counts.reduce(0, +))), impersonal: share(\.isImpersonal),
            overlap: overlaps.reduce(0, +) / Double(max(1, overlaps.count)))
        return quality
    }

    /// Returns the 95% interval of a share (Wilson, "Probable inference, the law of succession", 1927).
    static func interval(_ hits: Int, of count: Int) -> ClosedRange<Double> {
        let (n, p) = (Double(count), Double(hits) / Double(count))
        let z = NormalDistribution.quantile(upperTail: 0.025)
        let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        return max(0, middle - half)...min(1, middle + half)
    }
}
