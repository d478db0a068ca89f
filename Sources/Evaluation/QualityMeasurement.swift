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
    /// The members who are looked at for each one who is measured, because old memberships may have new times.
    private static let candidates = 8

    private let version: Manifest
    private let model: ModelVersion
    private let planners: (measured: Planner, next: Planner)
    /// The groups with the most members, the greatest first.
    private let popular: [UInt32]
    private let rule: HoldOutRule
    /// The times of joins in Unix seconds.
    private let times: ClosedRange<Int64>
    private let relations: RelationTable
    private let known: KnownGroups

    /// A function that returns groups that a member was in when the measured version was made, by their indexes in it.
    package typealias KnownGroups = @Sendable (_ userID: String) throws(Failure) -> Set<UInt32>

    /// - Parameters:
    ///   - measured: the version whose lists are measured.
    ///   - next: the version that was made after it.
    ///   - times: the times of joins in Unix seconds, from the one on from which the measured version counted none.
    ///   - known: all groups of a member in the measured version, or at least those whose time may have changed since.
    package init(
        _ measured: (manifest: Manifest, model: ModelVersion), next: (manifest: Manifest, model: ModelVersion),
        relations: RelationTable, in times: ClosedRange<Int64>, known: @escaping KnownGroups
    ) {
        var configuration = PlanConfiguration()
        configuration.relations = relations
        (version, model, self.relations) = (measured.manifest, measured.model, relations)
        (rule, self.times, self.known) = (.after(times.lowerBound), times, known)
        let (before, after) = (configuration.weighted(by: measured.manifest), configuration.weighted(by: next.manifest))
        planners = (
            Planner(model: measured.model, configuration: before, key: RotationKey(0, 0)),
            Planner(model: next.model, configuration: after, key: RotationKey(0, 0))
        )
        let membership = relations[.membership]?.relation ?? RelationDescription.members.relation
        popular = [UInt32](below: model.groupCount) { Int(measured.model.size(of: $0, in: membership)) }
    }

    /// The measurement of one member.
    private struct Row: Sendable {
        let id: String
        /// The groups that the version had.
        let known: Set<UInt32>
        /// The ids of the groups that were joined since.
        var joined: [String] = []
        /// The number of groups that the version had, and that only have a new time.
        var repeatedCount = 0
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
    /// The members with the least hashes of their ids are measured, of those who joined a group since.
    ///
    /// - Parameters:
    ///   - userIDs: the members who may have joined a group since.
    ///   - limit: the most members to measure.
    ///   - path: the path of the catalog with what they joined since.
    package func quality(
        ofUsers userIDs: [String], limit: Int, inCatalog path: String, threads: Int
    ) throws(Failure) -> Manifest.Quality {
        let hashed = userIDs.lazy.filter { !$0.isEmpty }.map { (hash: Checksum.number(of: Array($0.utf8)), id: $0) }
        var candidates = hashed.sorted { $0.hash < $1.hash }.prefix(Self.candidates * limit).map(\.id)[...]
        var (joiners, repeatedCount) = ([Row](), 0)
        while joiners.count < limit, !candidates.isEmpty {
            let next = Array(candidates.prefix(limit))
            let found = try Parallel.map(
                next.count, inPortionsOf: Self.portion, threads: threads,
                state: { _ throws(Failure) in try Facts(path: path, relations: relations) }
            ) { catalog, portion throws(Failure) in
                try next[portion].map { id throws(Failure) in try joiner(id, catalog) }
            }.flatMap(\.self)
            repeatedCount += found.reduce(0) { $0 + $1.repeatedCount }
            joiners += found.filter { !$0.joined.isEmpty }.prefix(limit - joiners.count)
            candidates = candidates.dropFirst(limit)
        }
        let measured = joiners
        let rows = try Parallel.map(
            measured.count, inPortionsOf: Self.portion, threads: threads,
            state: { _ throws(Failure) in try rule.past(ofCatalog: path, relations: relations) }
        ) { catalog, portion throws(Failure) in
            try measured[portion].map { joiner throws(Failure) in try row(of: joiner, catalog) }
        }
        var quality = quality(rows.flatMap(\.self))
        quality.joinsWithNewTime = repeatedCount
        return quality
    }

    private func joiner(_ id: String, _ catalog: Facts) throws(Failure) -> Row {
        var joiner = Row(id: id, known: try known(id))
        for membership in try catalog.member(withID: id)?.memberships ?? [] {
            guard let time = membership.joinedAt, times.contains(time) else { continue }
            let isKnown = model.index(ofID: membership.groupID).map { joiner.known.contains(UInt32($0)) } ?? false
            if isKnown { joiner.repeatedCount += 1 } else { joiner.joined.append(membership.groupID) }
        }
        return joiner
    }

    private func row(of joiner: Row, _ catalog: Facts) throws(Failure) -> Row {
        var row = joiner
        let instant = version.createdAtMilliseconds
        let knownIDs = joiner.known.sorted().map { model.id(of: Int($0)) }
        func request(_ planner: Planner) throws(Failure) -> PlanRequest? {
            guard
                var profile = try MemberProfile(
                    ofUser: joiner.id, from: catalog, for: planner, atMilliseconds: instant)
            else { return nil }
            // The past of the catalog lacks memberships that have a new time.
            let had = Set(profile.joined.map(\.group))
            let missing = knownIDs.compactMap { planner.model.index(ofID: $0).map(UInt32.init) }
            profile.joined += missing.filter { !had.contains($0) }.map { MemberProfile.JoinedGroup(group: $0) }
            profile.joined.sort { $0.group < $1.group }
            return PlanRequest(profile: profile, atMilliseconds: instant, length: QualityFigures.length)
        }
        func groups(_ items: [PlanItem]) -> [UInt32] { items.prefix(QualityFigures.length).map(\.group) }
        guard let first = try request(planners.measured), !first.isPaused else { return row }
        let member = EvaluationSet.Member(first.profile, without: joiner.joined, in: model)
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
