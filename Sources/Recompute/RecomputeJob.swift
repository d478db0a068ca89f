package import Basics
package import Model
package import ModelStore

/// The weekly job, which makes a new model version from a catalog.
package struct RecomputeJob: Sendable {
    package var catalogPath: String
    package var store: any VersionStore
    /// The parameters of similarity, and of the job itself.
    package var parameters: RecomputeParameters
    /// The beginning of the job, in Unix milliseconds; it is part of the version's name.
    package var startedAtMilliseconds: Int64

    /// The folder of tables with the entries, users and photos, or `nil` to read them from the catalog.
    package var tablesPath: String?

    /// The processes that find neighbours, or `nil` for threads of this one.
    package var finding: SharedFinding?

    /// The memory limit of the job in bytes, or `nil` for the memory that the system has available.
    package var memoryLimitBytes: Int?

    package init(
        catalogPath: String, store: any VersionStore, parameters: RecomputeParameters, startedAtMilliseconds: Int64
    ) {
        self.catalogPath = catalogPath
        self.store = store
        self.parameters = parameters
        self.startedAtMilliseconds = startedAtMilliseconds
    }

    /// The outcome of a job.
    package struct Outcome: Sendable {
        /// The manifest of the new version, which a dry run does not publish.
        package let manifest: Manifest
        /// All steps, including those after the manifest was written.
        package let steps: [Manifest.StepReport]
        /// The older versions that were removed.
        package let pruned: [VersionName]
        /// Whether the version is now current.
        package let isPublished: Bool
        /// The comparison with the previous version, or `nil` if there was none or it could not be read.
        package let comparison: VersionComparison?
    }

    /// Reads the catalog, computes and publishes a version, and makes it current.
    ///
    /// - Throws: `Failure`; the previous version then stays current.
    package func run(observer: any RecomputeObserver) throws(Failure) -> Outcome {
        let clock = StepClock(observer: observer)
        try applyChanges(clock, observer)
        let (built, decoded) = try build(clock, observer)
        var manifest = built.manifest
        let name = manifest.version
        let current = loadedCurrent(observer)
        let finding = try current.map { old throws(Failure) in try compare(decoded, with: old, manifest, clock) }
        manifest.quality = try QualityStep.qualities(built.quality, current, decoded, manifest, of: self, clock)
        _ = consume decoded
        _ = consume current
        manifest.steps = clock.reports
        if let finding, !finding.objections.isEmpty, !parameters.isForced { manifest.objections = finding.objections }
        guard !parameters.isDryRun else {
            manifest.sections = built.model.sections.map {
                .init(name: $0.name.rawValue, byteCount: $0.bytes.count, checksum: "")
            }
            for objection in manifest.objections ?? [] { observer.warn("a recompute would be refused: \(objection)") }
            return Outcome(
                manifest: manifest, steps: clock.reports, pruned: [], isPublished: false,
                comparison: finding?.comparison)
        }
        manifest = try clock.step(.publish) { () throws(Failure) in
            let written = try publish(built, manifest, clock)
            return (written, "version \(name) in \(store.location), verified")
        }
        if let finding, let objections = manifest.objections {
            let current = finding.current
            throw Failure(
                .refused,
                """
                version \(name) is published, and \(current) stays current, because they differ too much: \
                \(objections.joined(separator: "; ")). Look at it with "coterie models diff \(current) \(name)"; make \
                it current with "coterie rollback \(name)", or allow more with --max-lost, --max-emptied, \
                --min-overlap, --max-drift or --force
                """)
        }
        let pruned = try clock.step(.makeCurrent) { () throws(Failure) in
            try store.makeCurrent(name)
            let pruned = prune(observer)
            return (pruned, "it is current" + (pruned.isEmpty ? "" : "; \(pruned.count) older removed"))
        }
        return Outcome(
            manifest: manifest, steps: clock.reports, pruned: pruned, isPublished: true,
            comparison: finding?.comparison)
    }

    /// Removes older versions; a failure is only a warning, as the new version is current already.
    private func prune(_ observer: any RecomputeObserver) -> [VersionName] {
        var pruned: [VersionName] = []
        do throws(Failure) {
            pruned = try store.prune(keeping: parameters.versionsKept)
            try store.trimStreams()
        } catch {
            observer.warn("not all that is older could be removed; the next recompute tries again: \(error.message)")
        }
        return pruned
    }

    private func publish(_ built: BuiltVersion, _ manifest: Manifest, _ clock: StepClock)
        throws(Failure) -> Manifest
    {
        // Groups that are not public any more stay away from now on, even if the version is refused.
        if var site = built.site {
            if parameters.isForced { site.unknown = [:] }
            try store.setSite(site)
        }
        return try store.publish(built.model, manifest: manifest, members: built.members) { done, total in
            clock.advance(done: done, total: total)
        }
    }

    /// Returns a version name such as `20261121T170808354-e6707fef`.
    ///
    /// The first part is the beginning of the job, to the millisecond. The second part is a digest of the sections.
    /// Versions are ordered by the first part. So it is always greater than in every version of the store, even if the
    /// clock was ahead before.
    func versionName(of model: EncodedModel) throws(Failure) -> VersionName {
        guard let time = UnixTime(seconds: startedAtMilliseconds / 1000) else {
            throw Failure(.badData, "the clock does not show a time in the years 1800 to 2200")
        }
        let milliseconds = String(1000 + startedAtMilliseconds % 1000).suffix(3)
        let number = Self.number(
            time.description.filter { $0 == "T" || $0.isNumber } + milliseconds,
            above: (try? store.versions())?.map(\.version).max())
        let checksums = model.sections.map { Checksum.text(of: $0.bytes) }.joined()
        let digest = Checksum.text(of: Array(checksums.utf8)).prefix(8)
        return try VersionName(number + "-" + digest)
    }

    /// Returns a time in digits, or the newest version's number + 1 if the time is not greater.
    private static func number(_ time: String, above newest: VersionName?) -> String {
        let last = newest.map { String($0.description.prefix(time.count)) } ?? ""
        guard last >= time, let number = Int64(last.filter(\.isNumber)) else { return time }
        let digits = String(number + 1)
        return digits.prefix(8) + "T" + digits.dropFirst(8)
    }
}
