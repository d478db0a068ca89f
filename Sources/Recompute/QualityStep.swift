import Basics
import CatalogStore
import Evaluation
import Model
import ModelStore

/// The members with whom the lists of the version that serves are measured: some who have joined groups since.
struct QualityStep {
    private let version: VersionName
    /// The time in Unix seconds from which on the version has counted no membership.
    private let moment: Int64
    private var userIDs: [String] = []
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
        moment = manifest.createdAtMilliseconds / 1000 + Int64(applying.rounded(.up)) + RelationSource.clockLeadSeconds
        guard run.job.tablesPath == nil else {
            reason = "the memberships are in tables"
            return
        }
        joinsWithoutTime = memberships.compared.report.entries - memberships.dates.count
        let columns = memberships.events?.recent(in: moment...max(moment, run.instant)).persons ?? []
        // Neighbours are passed once for each of the two versions, and ids are looked up one by one.
        let neighbours = manifest.relations.reduce(0) { $0 + $1.neighbours }
        let preparing = Double(neighbours) * 1e-8 + Double(columns.count) * 1.5e-6
        let work = run.clock.expectedSeconds * Double(run.parameters.threads)
        let allowed = max(Self.leastSeconds, Self.part * work) - preparing
        var limit = QualityMeasurement.memberLimit
        while limit > 0, Double(limit) * Self.secondsPerMember > allowed { limit /= 2 }
        guard limit >= min(Self.fewestMembers, columns.count) else {
            reason = "measuring would take more than \(Formats.percent(Self.part, digits: 0)) of the job"
            return
        }
        userIDs = Array(QualityMeasurement.sample(of: try snapshot.ids(ofUsers: columns)).prefix(limit))
    }

    /// Measures the lists of the version.
    ///
    /// What cannot be read is a reason, and no failure.
    fileprivate func quality(_ current: LoadedVersion, next: ModelVersion, _ manifest: Manifest, _ job: RecomputeJob)
        -> Manifest.Quality
    {
        var quality = Manifest.Quality(of: version)
        quality.reason = reason
        if reason == nil {
            let measurement = QualityMeasurement(
                (current.manifest, current.model), next: (manifest, next), relations: job.parameters.relations,
                from: moment)
            do throws(Failure) {
                quality = try measurement.quality(
                    ofUsers: userIDs, inCatalog: job.catalogPath, threads: job.parameters.threads)
            } catch {
                quality.reason = "the catalog could not be read: \(error.message)"
            }
        }
        quality.joinsWithoutTime = joinsWithoutTime
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
