import Basics
import CatalogStore
import Evaluation
import Model
import ModelStore

/// The members with whom the lists of the version that serves are measured: some who have joined groups since.
struct QualityStep {
    private let version: VersionName
    /// The times of joins in Unix seconds, from the one on from which the version has counted none.
    private let times: ClosedRange<Int64>
    private var userIDs: [String] = []
    /// The most members to measure.
    private var limit = QualityMeasurement.memberLimit
    /// The joins of each group since the version, by their times.
    private var joins: [UInt32] = []
    /// The known ends of memberships since the version; groups are those of the next version.
    private var ended: [(row: UInt32, userID: String, isBack: Bool)] = []
    private var joinsWithoutTime = 0
    /// The reason that nothing is measured, or nil.
    private var reason: String?

    /// The part of the forecast work that measuring may take.
    private static let part = 0.03
    /// The processor seconds that it may always take.
    private static let leastSeconds = 0.25
    /// The processor seconds for a member: two lists, each with a profile.
    private static let secondsPerMember = 4e-4
    /// The fewest members who are worth the preparation.
    private static let fewestMembers = 250
    /// The share of the joins that may be old memberships with new times, if a version does not have its members.
    private static let doubtfulPart = 0.01

    /// Chooses members, or returns nil if nothing is to be measured.
    ///
    /// - Parameter memberships: the memberships in shown groups, as they were read.
    init?(_ memberships: ReadRelation?, _ snapshot: Matrices, _ run: JobRun) throws(Failure) {
        let store = run.job.store
        guard run.parameters.measuresQuality, let memberships, let current = try? store.current(),
            let manifest = try? store.versions().first(where: { $0.version == current })
        else { return nil }
        version = current
        // Daemons may have recorded while their changes were applied, and their clocks may be ahead.
        let applying = manifest.steps.first { $0.name == JobStep.applyChanges.name }?.seconds ?? 0
        let moment =
            manifest.createdAtMilliseconds / 1000 + Int64(applying.rounded(.up)) + RelationSource.clockLeadSeconds
        times = moment...max(moment, run.instant + RelationSource.clockLeadSeconds)
        guard run.job.tablesPath == nil else {
            reason = "the memberships are in tables"
            return
        }
        joinsWithoutTime = memberships.compared.report.entries - memberships.dates.count
        let (counts, columns) = memberships.events?.recent(in: times) ?? ([], [])
        joins = counts
        // Neighbours are passed once for each of the two versions, and ids are looked up one by one.
        let neighbours = manifest.relations.reduce(0) { $0 + $1.neighbours }
        let preparing = Double(neighbours) * 1e-8 + Double(columns.count) * 1.5e-6
        let work = run.clock.expectedSeconds * Double(run.parameters.threads)
        let allowed = max(Self.leastSeconds, Self.part * work) - preparing
        while limit > 0, Double(limit) * Self.secondsPerMember > allowed { limit /= 2 }
        guard limit >= min(Self.fewestMembers, columns.count) else {
            reason = "measuring would take more than \(Formats.percent(Self.part, digits: 0)) of the job"
            return
        }
        userIDs = try snapshot.ids(ofUsers: columns)
        // The members that were published with the version tell all that ended.
        guard manifest.members == nil || manifest.erasure?.renewal != nil else { return }
        let pairs = try snapshot.endedMemberships(since: manifest.createdAtMilliseconds)
        ended = zip(pairs, try snapshot.ids(ofUsers: pairs.map(\.user))).map { ($0.row, $1, $0.isBack) }
    }

    /// Returns the function that tells which memberships the version had.
    ///
    /// Published members tell it. Without them, known ends do, unless the sizes of groups then and now say that other
    /// memberships have new times.
    ///
    /// - Returns: the function, and the number of memberships with new times beside those that it tells.
    private func known(_ current: LoadedVersion, next: ModelVersion, _ job: RecomputeJob) throws(Failure)
        -> (known: QualityMeasurement.KnownGroups, count: Int)
    {
        if current.manifest.erasure?.renewal == nil, let members = try job.store.members(of: current) {
            return (
                { id throws(Failure) in Set(try members.member(withID: id)?.joined.map(\.group) ?? []) }, 0
            )
        }
        let model = current.model
        let membership = job.parameters.relations[.membership]?.relation ?? RelationDescription.members.relation
        let groups = (0..<next.groupCount).map { model.index(ofID: next.id(of: $0)) }
        let gone = Dictionary(ended.map { (Int($0.row), 1) }, uniquingKeysWith: +)
        let doubtful = joins.enumerated().map { row, joins in
            let size = groups[row].map { Int(model.size(of: $0, in: membership)) } ?? 0
            let lost = size - (Int(next.size(of: row, in: membership)) - Int(joins)) - (gone[row] ?? 0)
            return max(0, min(lost, Int(joins)))
        }
        let back = Dictionary(grouping: ended.filter(\.isBack), by: \.userID).mapValues {
            Set($0.compactMap { groups[Int($0.row)].map(UInt32.init) })
        }
        return ({ id throws(Failure) in back[id] ?? [] }, doubtful.reduce(0, +))
    }

    /// Measures the lists of the version.
    ///
    /// What cannot be read is a reason, and no failure.
    fileprivate func quality(_ current: LoadedVersion, next: ModelVersion, _ manifest: Manifest, _ job: RecomputeJob)
        -> Manifest.Quality
    {
        var quality = Manifest.Quality(of: version)
        (quality.reason, quality.joinsWithoutTime) = (reason, joinsWithoutTime)
        guard reason == nil else { return quality }
        do throws(Failure) {
            let (known, count) = try known(current, next: next, job)
            guard Double(count) <= Self.doubtfulPart * Double(joins.reduce(0, +)) else {
                quality.joinsWithNewTime = count
                let advice = current.manifest.members == nil ? ": publish members, by --members" : ""
                quality.reason = "\(count.grouped) memberships have a new time or are gone\(advice)"
                return quality
            }
            let measurement = QualityMeasurement(
                (current.manifest, current.model), next: (manifest, next), relations: job.parameters.relations,
                in: times, known: known)
            quality = try measurement.quality(
                ofUsers: userIDs, limit: limit, inCatalog: job.catalogPath, threads: job.parameters.threads)
            quality.joinsWithNewTime? += count
            quality.joinsWithoutTime = joinsWithoutTime
        } catch {
            quality.reason = "its members or the catalog could not be read: \(error.message)"
        }
        return quality
    }

    /// Returns the quality of the lists of earlier versions with that of the version that serves.
    ///
    /// - Parameter current: the version that serves, or nil if it cannot be read.
    /// - Returns: the measurements, oldest first, or nil if there are none.
    static func qualities(
        _ step: QualityStep?, _ current: LoadedVersion?, _ next: ModelVersion, _ manifest: Manifest,
        of job: RecomputeJob,
        _ clock: StepClock
    ) throws(Failure) -> [Manifest.Quality]? {
        var known = Manifest.qualities(in: (try? job.store.versions()) ?? [])
        if let step, let current, current.manifest.version == step.version {
            let quality = try clock.step(.measureLists) { () throws(Failure) in
                let quality = step.quality(current, next: next, manifest, job)
                return (quality, quality.words)
            }
            known.removeAll { $0.version == quality.version }
            known = (known + [quality]).sorted { $0.version < $1.version }.suffix(Manifest.Quality.versionLimit)
        }
        return known.isEmpty ? nil : known
    }
}
