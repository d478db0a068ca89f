import Basics
import CatalogStore
import Model
import ModelStore
import Similarity

/// All parts of a version, before it is published.
struct BuiltModel {
    var catalog: Manifest.CatalogState
    var changesTaken: AppliedChanges?
    var groupCounts: Manifest.GroupCounts
    var relations: [Manifest.RelationReport]
    var model: EncodedModel
    var members: RecomputedMembers?
    /// The state of the site; nil for a dry run.
    var site: PublishedSite?
    var popularity: PopularityTrial
    var memberEvidence: [Manifest.EvidenceWeight]?
    var photoWeights: Manifest.PhotoWeights?
    var looks: Manifest.LooksReport?
}

extension RecomputeJob {
    /// Reads the catalog in one snapshot and computes everything.
    func build(_ clock: StepClock, _ observer: any RecomputeObserver) throws(Failure) -> BuiltModel {
        let snapshot = try CatalogSnapshot(
            of: openCatalog(), threads: parameters.threads, isChecked: parameters.checksCatalog)
        let catalog = snapshot.catalog
        let entries = try entrySource(snapshot)
        let work = try plan(catalog, entries, clock, observer)
        let vectors = try vectorFile(catalog)
        let groups = try clock.step(StepName.readGroups) { () throws(Failure) in try readGroups(snapshot) }
        let site = parameters.isDryRun ? nil : try site(of: catalog, groups)
        let facts = groups.filter { $0.isShown }.map(GroupFacts.init)
        guard !facts.isEmpty else {
            throw Failure(.badData, "\(catalogPath) has no public group: import groups, \(sourceNames) first")
        }
        var version = try GrowingVersion(self, facts, entries, vectors, clock)
        for relation in try knownRelations(in: entries) {
            try version.read(relation, rowCount: work[relation.relation]?.rows ?? 0)
        }
        try version.readHints()
        try version.compareFeatures()
        try checkThatSomethingCameOut(version.relations, version.looks?.report, observer)
        try version.weigh()
        try version.readMembers()
        try version.addSignals(curated: curatedGroups(catalog, facts))
        let model = try version.encode()
        try version.weighLooks(model, catalog)
        if parameters.checksCatalog {
            try clock.step(StepName.check) { () throws(Failure) in
                try snapshot.finishCheck()
                return ((), "nothing is damaged")
            }
        }
        return BuiltModel(
            catalog: .init(schemaVersion: catalog.schemaVersion, changeCount: try changeCount(of: catalog)),
            changesTaken: try changesTaken(of: catalog),
            groupCounts: .init(included: facts.count, leftOutPrivate: groups.count - facts.count),
            relations: version.relations, model: model, members: version.members, site: site,
            popularity: version.evidence.popularity, memberEvidence: version.evidence.told,
            photoWeights: version.evidence.photos, looks: version.looks?.report)
    }

    /// Returns the state of the site in the snapshot.
    private func site(of catalog: Facts, _ groups: [GroupRecord]) throws(Failure) -> PublishedSite {
        let publication = try SitePublication(of: catalog, groups, for: store)
        return try publication.site()
    }

    /// Returns the source of the entries: the tables if there are any, otherwise the catalog.
    private func entrySource(_ snapshot: CatalogSnapshot) throws(Failure) -> any EntrySource {
        guard let tablesPath else { return snapshot }
        return try TableSnapshot(tablesPath, snapshot)
    }

    /// Returns the relations of tables, without those that need data and have none.
    private func knownRelations(in entries: any EntrySource) throws(Failure) -> [RelationDescription] {
        var found: [RelationDescription] = []
        for facts in parameters.relations.tabled {
            guard let source = facts.source else { continue }
            let isKnown = facts.isRequired ? true : try entries.hasRows(source)
            if isKnown { found.append(facts) }
        }
        return found
    }

    /// Reports the amount of work, and throws if the memory cannot suffice.
    private func plan(
        _ catalog: Facts, _ entries: any EntrySource, _ clock: StepClock, _ observer: any RecomputeObserver
    ) throws(Failure) -> [Relation: WorkEstimate] {
        let estimate: RecomputeEstimate
        let relations = parameters.relations.tabled
        let estimates = try entries.workEstimates(
            relations.compactMap(\.source), recentWeeks: Self.trendWeeks)
        let work = Dictionary(uniqueKeysWithValues: zip(relations.map(\.relation), estimates))
        var told = 0
        for source in parameters.relations.memberTables { told += try entries.rowCount(source) }
        estimate = RecomputeEstimate(
            work: work, content: try entries.contentEstimate(), told: told, groups: try catalog.groupCount(),
            parameters: parameters, isShared: store.shared != nil, publishesMembers: publishesMembers,
            previous: previousManifest())
        let available = memoryLimitBytes ?? AvailableMemory.bytes()
        observer.planned(estimate, availableBytes: available)
        clock.expect(estimate.steps)
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

    private func readGroups(_ snapshot: CatalogSnapshot) throws(Failure) -> ([GroupRecord], outcome: String) {
        let groups = try snapshot.groups()
        let shown = groups.count { $0.isShown }
        let hidden = groups.count { $0.isHidden }
        let undescribed = groups.count { $0.visibility == .unknown && !$0.isHidden }
        let leftOut =
            ["\(groups.count - shown - hidden - undescribed) private"]
            + (undescribed > 0 ? ["\(undescribed) undescribed"] : []) + (hidden > 0 ? ["\(hidden) hidden"] : [])
        return (groups, "\(shown) public, \(leftOut.joined(separator: " and ")) left out")
    }

    func readMatrix(
        _ facts: RelationDescription, _ entries: any EntrySource, _ window: ActivityWindow?, rowCount: Int,
        _ clock: StepClock
    ) throws(Failure) -> (MatrixReading, outcome: String) {
        guard let source = facts.source else { preconditionFailure("\(facts.name) has no table") }
        let reading = try entries.matrix(source, keeping: window) { rows in
            clock.advance(done: rows, total: rowCount, unit: "rows")
        }
        var outcome = "\(reading.matrix.entryCount) entries"
        if reading.entriesOfPrivateGroups > 0 {
            outcome += ", \(reading.entriesOfPrivateGroups) of groups left out"
        }
        if reading.entriesOfPrivatePhotos > 0 {
            outcome += ", \(reading.entriesOfPrivatePhotos) private \(source.entries.rawValue)"
        }
        return (reading, outcome)
    }

    func compare(_ relation: Relation, _ matrix: BinaryMatrix, _ clock: StepClock)
        throws(Failure) -> (NeighbourTable, outcome: String)
    {
        let search = NeighbourSearch(
            parameters: parameters[relation], threads: parameters.threads, path: parameters.path)
        let identity = UInt64(bitPattern: startedAtMilliseconds)
        let table = try finding.neighbours(relation, of: matrix, search, identity: identity) { done, total in
            clock.advance(done: done, total: total, unit: nil)
        }
        return (table, "\(table.neighbours.count) neighbours")
    }

    func report(_ relation: Relation, _ matrix: BinaryMatrix, _ table: NeighbourTable)
        -> Manifest.RelationReport
    {
        let path = parameters.path
        let parameters = parameters[relation]
        let counted = (0..<matrix.rowCount).count { matrix.size(ofRow: $0) >= parameters.minimumEntries }
        let formula = parameters.measure.forManifest
        var report = Manifest.RelationReport(
            relation: relation, measure: formula.name, measureParameters: formula.parameters,
            weights: parameters.weights(in: matrix),
            minimumEntries: parameters.minimumEntries, minimumCommon: parameters.minimumCommon,
            limit: parameters.limit, entries: matrix.entryCount,
            entriesOfPrivateGroups: 0, entriesOfPrivatePhotos: 0, groupsCounted: counted,
            groupsBelowMinimum: matrix.rowCount - counted,
            groupsWithNeighbours: (0..<matrix.rowCount).count { table.offsets[$0] < table.offsets[$0 + 1] },
            neighbours: table.neighbours.count, path: path.rawValue)
        report.cut = parameters.measure.cut.forManifest
        report.columns = matrix.columnDegrees().count { $0 > 0 }
        return report
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

    /// Returns the changes taken from journals, or `nil` if none was ever applied.
    private func changesTaken(of catalog: Facts) throws(Failure) -> AppliedChanges? {
        let taken = try catalog.appliedChanges()
        return taken.sequences.isEmpty ? nil : taken
    }

    private func changeCount(of catalog: Facts) throws(Failure) -> Int64 {
        return try catalog.changeCount()
    }
}

extension GroupFacts {
    init(_ group: GroupRecord) {
        self.init(
            id: group.id, title: group.title, topics: group.topics,
            joinPolicy: group.joinPolicy, createdAt: group.createdAt, lastActiveAt: group.lastActiveAt)
    }
}
