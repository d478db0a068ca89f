import Basics
import CatalogStore
import Model
import ModelStore
import Recommendation
import Similarity

/// A job under way: what its steps share.
struct JobRun {
    let job: RecomputeJob
    /// The source of the entries: the tables if there are any, otherwise the catalog.
    let entries: any EntrySource
    let clock: StepClock
    /// The kinds of evidence that the source has data of.
    let told: [EvidenceKind]

    init(_ job: RecomputeJob, _ snapshot: Matrices, _ clock: StepClock) throws(Failure) {
        (self.job, self.clock) = (job, clock)
        entries = if let path = job.tablesPath { try TableSnapshot(path, snapshot) } else { snapshot }
        told = try EvidenceKind.known(in: entries, job.parameters.relations)
    }

    var parameters: RecomputeParameters { job.parameters }
    /// The beginning of the job, in Unix seconds.
    var instant: Int64 { job.startedAtMilliseconds / 1000 }

    func search(_ relation: Relation) -> NeighbourSearch {
        NeighbourSearch(parameters: parameters[relation], threads: parameters.threads, path: parameters.path)
    }
}

/// A version before it is published.
struct BuiltVersion {
    let manifest: Manifest
    let model: EncodedModel
    let members: RecomputedMembers?
    /// The state of the site; nil for a dry run.
    let site: PublishedSite?
    /// The measuring of the version that serves, or nil if there is none.
    let quality: QualityStep?
}

extension RecomputeJob {
    /// Reads the catalog in one snapshot and computes everything.
    ///
    /// Large values are consumed by the step that needs them last.
    ///
    /// - Returns: the version, and its model as readers see it.
    func build(_ clock: StepClock, _ observer: any RecomputeObserver) throws(Failure) -> (BuiltVersion, ModelVersion) {
        let snapshot = try Matrices(
            of: Facts(path: catalogPath, relations: parameters.relations),
            threads: parameters.threads, isChecked: parameters.checksCatalog)
        let catalog = snapshot.catalog
        try checkDescent(of: catalog)
        let run = try JobRun(self, snapshot, clock)
        let work = try plan(run, catalog, observer)
        // The file is opened at once, because it disappears when another program writes it anew. Tables number the
        // photos in their own way.
        let vectors = tablesPath == nil ? try PhotoVectors(of: catalog) : nil
        let groups = try clock.step(.readGroups) { () throws(Failure) in try readGroups(snapshot) }
        guard groups.contains(where: \.isShown) else {
            throw Failure(.badData, "\(catalogPath) has no public group: import groups, \(sourceNames) first")
        }
        let site = parameters.isDryRun ? nil : try SitePublication(of: catalog, groups, for: store).site()
        let tables = try readTables(work, vectors, run)
        let facts = tables.facts(of: groups)
        let (samples, matrices, dates, events) = (
            EvidenceSamples(tables), HintMatrices(tables), tables.dates, tables.events
        )
        let quality = try QualityStep(tables[.membership], snapshot, run)
        let (content, looks) = (tables[.pool]?.content?.signals ?? .init(), tables[.pool]?.content?.looks)
        var relations = (consume tables).map(\.compared)
        let (hints, admirers) = try (consume matrices).told(run)
        let features = try FeatureMatrices(content, looks?.typical, consume admirers, rowCount: facts.count)
        relations += try (consume features).compared(run)
        let reports = relations.map(\.report)
        try checkThatSomethingCameOut(reports, looks?.report, observer)
        let evidence = try clock.step(.weigh) {
            let evidence = Evidence(relations, samples, hints, parameters)
            return (evidence, evidence.summary)
        }
        _ = consume samples
        let members = try members((consume hints).counting(in: evidence.told), groupCount: facts.count, run)
        let (activity, reach) = try clock.step(.activity) { () throws(Failure) in
            let activity = ActivitySignals(events, dates, groupCount: facts.count, run)
            let reach =
                if let members { members.reach } else {
                    try ListReach(run.entries, atMilliseconds: startedAtMilliseconds)
                }
            return ((activity, reach.groups(joins: activity.joins, groupCount: facts.count)), activity.summary)
        }
        let signals = GroupSignals(
            trending: activity.trending, seasons: activity.seasons, tags: content.tags, places: content.places,
            curated: try CuratedGroup.curated(catalog, facts, run), reach: reach)
        let (model, decoded) = try encode(facts, consume relations, evidence, signals, looks, clock)
        var photoWeights = evidence.photos
        if let looks, let vectors {
            photoWeights = try clock.step(.weighLooks) { () throws(Failure) in
                try looks.weights(beside: evidence.photos, vectors, decoded, catalog, run)
            }
        }
        if parameters.checksCatalog {
            try clock.step(.check) { () throws(Failure) in
                try snapshot.finishCheck()
                return ((), "nothing is damaged")
            }
        }
        let counts = Manifest.GroupCounts(included: facts.count, leftOutPrivate: groups.count - facts.count)
        var manifest = try manifest(of: model, catalog, counts, relations: reports, evidence)
        manifest.photoWeights = photoWeights
        manifest.looks = looks?.report
        return (BuiltVersion(manifest: manifest, model: model, members: members, site: site, quality: quality), decoded)
    }

    private func manifest(
        of model: EncodedModel, _ catalog: Facts, _ groups: Manifest.GroupCounts,
        relations: [Manifest.RelationReport], _ evidence: Evidence
    ) throws(Failure) -> Manifest {
        var manifest = Manifest(
            version: try versionName(of: model), createdAtMilliseconds: startedAtMilliseconds,
            catalog: .init(
                schemaVersion: catalog.schemaVersion, changeCount: try catalog.changeCount(),
                memberChanges: try catalog.memberChanges()),
            groups: groups, relations: relations, steps: [], sections: [])
        for index in relations.indices {
            manifest.relations[index].evidenceWeight = evidence.relations[relations[index].relation]
        }
        let taken = try catalog.appliedChanges()
        manifest.changesTaken = taken.sequences.isEmpty ? nil : taken
        manifest.isFromTables = tablesPath == nil ? nil : true
        manifest.popularityWeight = evidence.popularity.weight
        if evidence.popularity.wins { manifest.popularityWins = true }
        manifest.memberEvidence = evidence.told
        manifest.tunedAtMilliseconds = parameters.tunedAtMilliseconds
        return manifest
    }

    /// Whether members are published with the version, for readers whose catalog does not have them.
    private var publishesMembers: Bool {
        (store.shared != nil || tablesPath != nil || parameters.publishesMembers) && !parameters.isDryRun
    }

    /// Reads the members to publish.
    private func members(_ hints: MemberHints, groupCount: Int, _ run: JobRun) throws(Failure) -> RecomputedMembers? {
        guard publishesMembers else { return nil }
        return try run.clock.step(.members) { () throws(Failure) in
            let members = try RecomputedMembers(
                run.entries, parameters.relations[.membership]?.source ?? .memberships,
                MemberCoding(createdAtMilliseconds: startedAtMilliseconds, groupCount: groupCount), { _ in hints },
                atMilliseconds: startedAtMilliseconds)
            return (members, "\(members.userCount) users")
        }
    }

    /// Encodes a model, reads it back, and adds the map.
    private func encode(
        _ facts: [GroupFacts], _ relations: consuming [ComparedRelation], _ evidence: Evidence,
        _ signals: GroupSignals, _ looks: BuiltLooks?, _ clock: StepClock
    ) throws(Failure) -> (EncodedModel, ModelVersion) {
        var relations = relations
        let (model, decoded) = try clock.step(.encode) { () throws(Failure) in
            let model = try EncodedModel(
                groups: facts, relations: relations.map(\.report.relation), sizes: relations.sizes,
                tables: relations.tables, evidenceWeights: evidence.relations, signals: signals,
                looks: looks?.sections)
            // The lists make room for the copy that is read back.
            relations = []
            let bytes = model.sections.reduce(0) { $0 + $1.bytes.count }
            return ((model, try ModelVersion(model)), "\(bytes) bytes")
        }
        guard parameters.drawsMap else { return (model, decoded) }
        return (try clock.step(.map) { drawMap(of: decoded, model, clock) }, decoded)
    }

    /// Adds the map of the groups, on which the neighbours of all relations together attract each other.
    private func drawMap(of version: ModelVersion, _ model: EncodedModel, _ clock: StepClock)
        -> (EncodedModel, outcome: String)
    {
        let recommender = Recommender(model: VisibleModel(version), relations: parameters.relations)
        let lists = Parallel.map(version.groupCount, inPortionsOf: 256, threads: parameters.threads) { _ in
        } _: { _, groups in
            groups.map { recommender.similar(to: UInt32($0), limit: MapLayout.neighbourLimit).map(\.group) }
        }
        let places = MapLayout(lists.flatMap(\.self)) { clock.advance(done: $0, total: $1) }.places
        return (model.adding(places), "\(places.count { $0 != nil }) groups, \(places.count { $0 == nil }) beside it")
    }

    /// Reads the relations of tables, without those that need data and have none.
    private func readTables(_ work: [Relation: WorkEstimate], _ vectors: PhotoVectors?, _ run: JobRun)
        throws(Failure) -> [ReadRelation]
    {
        var tables: [ReadRelation] = []
        for facts in parameters.relations.tabled {
            guard let source = facts.source else { continue }
            let isKnown = facts.isRequired ? true : try run.entries.hasRows(source)
            guard isKnown else { continue }
            let rowCount = work[facts.relation]?.rows ?? 0
            tables.append(try ReadRelation(facts, after: tables, vectors, rowCount: rowCount, run))
        }
        return tables
    }

    /// Reports the amount of work, and throws if the memory cannot suffice.
    private func plan(_ run: JobRun, _ catalog: Facts, _ observer: any RecomputeObserver)
        throws(Failure) -> [Relation: WorkEstimate]
    {
        let relations = parameters.relations.tabled
        let estimates = try run.entries.workEstimates(
            relations.compactMap(\.source), recentWeeks: ActivitySignals.trendWeeks)
        var told = 0
        for source in parameters.relations.memberTables { told += try run.entries.rowCount(source) }
        let estimate = RecomputeEstimate(
            JobAmounts(
                work: Dictionary(uniqueKeysWithValues: zip(relations.map(\.relation), estimates)),
                content: try run.entries.contentEstimate(), told: told, groups: try catalog.groupCount(),
                parameters: parameters, isShared: store.shared != nil, publishesMembers: publishesMembers,
                previous: previousManifest()))
        let available = memoryLimitBytes ?? AvailableMemory.bytes()
        observer.planned(estimate, availableBytes: available)
        run.clock.expect(estimate.steps)
        if let available, estimate.memoryBytes > available {
            throw Failure(
                .tryLater,
                """
                this needs about \(estimate.memoryBytes >> 20) MiB of memory, and \(available >> 20) MiB are available: \
                close other programs, run it on a machine with more, or list fewer neighbours with --neighbours
                """)
        }
        return estimate.work
    }

    /// Returns the newest version with the same parameters, or `nil` if there is none.
    ///
    /// A store that cannot be read is no failure at this point.
    private func previousManifest() -> Manifest? {
        let manifests = (try? store.versions()) ?? []
        return manifests.last { manifest in
            parameters.relations.tabled.allSatisfy { facts in
                guard let report = manifest[facts.relation] else { return !facts.isRequired }
                return report.parameters == parameters[facts.relation]
            }
        }
    }

    private func readGroups(_ snapshot: Matrices) throws(Failure) -> ([GroupRecord], outcome: String) {
        let groups = try snapshot.groups()
        let shown = groups.count { $0.isShown }
        let hidden = groups.count { $0.isHidden }
        let undescribed = groups.count { $0.visibility == .unknown && !$0.isHidden }
        let leftOut =
            ["\(groups.count - shown - hidden - undescribed) private"]
            + (undescribed > 0 ? ["\(undescribed) undescribed"] : []) + (hidden > 0 ? ["\(hidden) hidden"] : [])
        return (groups, "\(shown) public, \(leftOut.joined(separator: " and ")) left out")
    }

    private func checkThatSomethingCameOut(
        _ relations: [Manifest.RelationReport], _ looks: Manifest.LooksReport?, _ observer: any RecomputeObserver
    ) throws(Failure) {
        for report in relations {
            let name = report.relation.rawValue
            if report.entries == 0 {
                let source = parameters.relations[report.relation]?.source?.table ?? name
                observer.warn("there are no public \(source): \(name) is empty")
            } else if report.neighbours == 0, parameters.relations[report.relation]?.source != nil {
                observer.warn(
                    "no two groups have \(report.minimumCommon) common \(name) and "
                        + "\(report.minimumEntries) \(name) each: \(name) is empty"
                )
            }
        }
        guard relations.contains(where: { $0.neighbours > 0 }) || looks != nil else {
            throw Failure(
                .badData,
                """
                no group has a neighbour in any relation, so nothing is published: import \(sourceNames), or lower the \
                minimums
                """)
        }
    }

    /// The import names of the relations, as a phrase such as "memberships or pools".
    private var sourceNames: String {
        let names = parameters.relations.compactMap(\.source?.table).sorted()
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension [ReadRelation] {
    /// Returns the facts of the shown groups, with what the relations tell of them.
    func facts(of groups: [GroupRecord]) -> [GroupFacts] {
        var facts = groups.filter(\.isShown).map { group in
            GroupFacts(
                id: group.id, title: group.title, topics: group.topics, joinPolicy: group.joinPolicy,
                createdAt: group.createdAt, lastActiveAt: group.lastActiveAt)
        }
        for table in self {
            for (row, talk) in table.talk.enumerated() { facts[row].talk = talk }
            // A file may be older than what members did since.
            for (row, seconds) in table.events?.lastTimes ?? [] {
                if let active = facts[row].lastActiveAt { facts[row].lastActiveAt = Swift.max(active, seconds) }
            }
        }
        return facts
    }
}
