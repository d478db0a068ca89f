import Basics
import CatalogStore
import Model
import ModelStore
import Similarity

/// A version while it is built: one relation after another, and then all that follows from them.
struct GrowingVersion {
    private let job: RecomputeJob
    private let entries: any EntrySource
    private let vectors: PhotoVectors?
    private let clock: StepClock
    /// The kinds of evidence that the catalog has data of.
    private let told: [EvidenceKind]

    private var facts: [GroupFacts]
    private var sizes: [Relation: [UInt32]] = [:]
    private var tables: [Relation: NeighbourTable] = [:]
    private var (users, photos) = (LeaveOneOutSample.none, LeaveOneOutSample.none)
    private var honest: RecomputeJob.HonestNeighbours?
    private var dates = EventDates()
    private var events: [RelationDescription.Role: GroupEvents] = [:]
    private var signals = GroupSignals()
    private var features: FeatureMatrices
    private var hintMatrices = HintMatrices()
    private var hints = MemberHints.none

    /// The reports of the relations that were compared, in order.
    private(set) var relations: [Manifest.RelationReport] = []
    /// The members, if the version has them.
    private(set) var members: RecomputedMembers?
    /// The photos with vectors, if there are any in public pools.
    private(set) var looks: BuiltLooks?
    private(set) var evidence = RecomputeJob.Evidence()

    /// Creates a version without relations.
    ///
    /// - Parameter vectors: the vectors of public photos, or `nil` if there are none.
    init(
        _ job: RecomputeJob, _ facts: [GroupFacts], _ entries: any EntrySource, _ vectors: PhotoVectors?,
        _ clock: StepClock
    ) throws(Failure) {
        (self.job, self.facts, self.entries, self.vectors, self.clock) = (job, facts, entries, vectors, clock)
        told = try job.evidenceKinds(entries)
        features = FeatureMatrices(rowCount: facts.count)
    }

    /// Reads a relation from its table, compares the groups by it, and adds all that its role calls for.
    ///
    /// - Parameter rowCount: the number of rows in the table, for the progress.
    mutating func read(_ relation: RelationDescription, rowCount: Int) throws(Failure) {
        var reading = try clock.step(StepName.read(relation.relation)) { () throws(Failure) in
            let kept = relation.role == nil ? nil : job.activityWindow
            return try job.readMatrix(relation, entries, kept, rowCount: rowCount, clock)
        }
        var report = try compare(relation.relation, reading.matrix)
        (report.entriesOfPrivateGroups, report.entriesOfPrivatePhotos) =
            (reading.entriesOfPrivateGroups, reading.entriesOfPrivatePhotos)
        relations.append(report)
        if relation.role == .pool { try addContent(&reading) }
        keepEvents(of: reading, relation.role)
        switch relation.role {
        case .conversation: try addTalk(relation)
        case .membership: try addCases(relation.relation, reading)
        case .pool, nil: break
        }
        hintMatrices.take(reading, of: relation, for: told)
    }

    /// Compares the groups by a relation, and returns the report.
    private mutating func compare(_ relation: Relation, _ matrix: BinaryMatrix)
        throws(Failure) -> Manifest.RelationReport
    {
        sizes[relation] = facts.indices.map { UInt32(matrix.size(ofRow: $0)) }
        let table = try clock.step(StepName.compare(relation)) { () throws(Failure) in
            try job.compare(relation, matrix, clock)
        }
        tables[relation] = table
        return job.report(relation, matrix, table)
    }

    /// Adds the features, tags, places and looks of the photos in pools.
    private mutating func addContent(_ pools: inout MatrixReading) throws(Failure) {
        photos = LeaveOneOutSample(pools.matrix, threads: job.parameters.threads)
        let content = try clock.step(StepName.content) { () throws(Failure) in
            try job.contentSignals(
                entries, pools.matrix, &pools.events, wantsOwners: told.contains(.photos), clock)
        }
        hintMatrices.owners = content.owners
        (signals.tags, signals.places) = (content.tags, content.places)
        try features.take(content)
        guard let vectors else { return }
        looks = try clock.step(StepName.looks) { () throws(Failure) in
            try job.lookSections(vectors, pools.matrix, clock)
        }
        if let looks { try features.take(.looks, looks.typical.groups) }
    }

    /// Keeps the events of a relation with a role, and the time of each group's last one.
    private mutating func keepEvents(of reading: MatrixReading, _ role: RelationDescription.Role?) {
        guard let role, let read = reading.events else { return }
        dates = dates.union(reading.dates)
        events[role] = read
        // A file may be older than what members did since.
        for (row, seconds) in read.lastTimes {
            if let active = facts[row].lastActiveAt { facts[row].lastActiveAt = max(active, seconds) }
        }
    }

    /// Adds the posts of each group, up to the last known date.
    private mutating func addTalk(_ relation: RelationDescription) throws(Failure) {
        guard let source = relation.source, let span = dates.span else { return }
        let talks = try clock.step(StepName.posts) { () throws(Failure) in
            try job.talk(source, entries, until: span.upperBound)
        }
        for (row, talk) in talks.enumerated() { facts[row].talk = talk }
    }

    /// Adds the cases to learn weights from.
    private mutating func addCases(_ relation: Relation, _ reading: MatrixReading) throws(Failure) {
        guard let table = tables[relation] else { return }
        users = LeaveOneOutSample(reading.matrix, threads: job.parameters.threads)
        honest = try clock.step(StepName.popularity) { () throws(Failure) in
            try job.honestNeighbours(
                relation, reading.matrix, table, users, sizes[relation] ?? [],
                isAsked: !told.isEmpty || !features.isEmpty, clock)
        }
    }

    /// Reads what members told, once all relations are read.
    mutating func readHints() throws(Failure) {
        hints = try job.memberHints(entries, told, hintMatrices, &features, clock)
        // The matrices of groups are large, and not needed any more.
        hintMatrices = HintMatrices()
    }

    /// Compares the groups by the features of their photos and members.
    mutating func compareFeatures() throws(Failure) {
        for (relation, matrix) in features.matrices(of: job.parameters.relations) {
            relations.append(try compare(relation, matrix))
        }
        features = FeatureMatrices(rowCount: facts.count)
    }

    /// Chooses the weights of the evidence.
    mutating func weigh() throws(Failure) {
        evidence = try clock.step(StepName.weigh) { job.weigh(tables, sizes, users, photos, hints, honest) }
        for index in relations.indices {
            relations[index].evidenceWeight = evidence.relations[relations[index].relation]
        }
        // The weights were learned from much data, which is not needed any more.
        (users, photos, honest) = (.none, .none, nil)
    }

    /// Reads the members to publish, once the matrices are not needed any more.
    mutating func readMembers() throws(Failure) {
        let hints = hints.counting(in: evidence.told)
        self.hints = .none
        guard job.publishesMembers else { return }
        members = try clock.step(StepName.members) { () throws(Failure) in
            let members = try RecomputedMembers(
                entries, job.parameters.relations[.membership]?.source ?? .memberships,
                MemberCoding(createdAtMilliseconds: job.startedAtMilliseconds, groupCount: facts.count), hints,
                atMilliseconds: job.startedAtMilliseconds)
            return (members, "\(members.userCount) users")
        }
    }

    /// Adds the groups that trend, the seasons, and the curated groups.
    mutating func addSignals(curated: [CuratedGroup]) throws(Failure) {
        (signals.trending, signals.seasons) = try clock.step(StepName.activity) {
            job.activitySignals(events, dates, groupCount: facts.count)
        }
        signals.curated = curated
    }

    func encode() throws(Failure) -> EncodedModel {
        try clock.step(StepName.encode) { () throws(Failure) in
            do throws(ModelError) {
                let model = try EncodedModel(
                    groups: facts, relations: relations.map(\.relation), sizes: sizes, tables: tables,
                    evidenceWeights: evidence.relations, signals: signals, looks: looks?.sections)
                return (model, "\(model.sections.reduce(0) { $0 + $1.bytes.count }) bytes")
            } catch { throw Failure(.badData, error.description) }
        }
    }

    /// Chooses the weights of looks, which need the model.
    mutating func weighLooks(_ model: EncodedModel, _ catalog: Facts) throws(Failure) {
        guard let looks, let vectors else { return }
        evidence.photos = try clock.step(StepName.weighLooks) { () throws(Failure) in
            try job.weighLooks(beside: evidence.photos, looks, vectors, model, catalog, clock)
        }
    }
}
