import Basics
import CatalogStore
import Model
import Recommendation
import Similarity

/// A relation by which the groups are compared.
struct ComparedRelation {
    let report: Manifest.RelationReport
    /// The number of entries of each group.
    let sizes: [UInt32]
    let table: NeighbourTable

    /// Compares the groups by a relation.
    ///
    /// - Parameters:
    ///   - matrix: groups × users, photos or features.
    ///   - reading: the reading that the matrix comes from, or `nil` for features.
    init(_ facts: RelationDescription, _ matrix: BinaryMatrix, of reading: MatrixReading? = nil, _ run: JobRun)
        throws(Failure)
    {
        let (relation, job, clock) = (facts.relation, run.job, run.clock)
        sizes = (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) }
        let search = run.search(relation)
        table = try clock.step(.compare(facts)) { () throws(Failure) in
            let identity = UInt64(bitPattern: job.startedAtMilliseconds)
            let progress: NeighbourSearch.Progress = { clock.advance(done: $0, total: $1) }
            let table =
                try job.finding?.neighbours(relation, of: matrix, search, identity: identity, progress: progress)
                ?? search.run(on: matrix, progress: progress)
            return (table, "\(table.neighbours.count) neighbours")
        }
        report = Self.report(relation, matrix, reading, table, search)
    }

    private static func report(
        _ relation: Relation, _ matrix: BinaryMatrix, _ reading: MatrixReading?, _ table: NeighbourTable,
        _ search: NeighbourSearch
    ) -> Manifest.RelationReport {
        let parameters = search.parameters
        let counted = (0..<matrix.rowCount).count { matrix.size(ofRow: $0) >= parameters.minimumEntries }
        let formula = parameters.measure.forManifest
        var report = Manifest.RelationReport(
            relation: relation, measure: formula.name, measureParameters: formula.parameters,
            weights: parameters.weights(in: matrix),
            minimumEntries: parameters.minimumEntries, minimumCommon: parameters.minimumCommon,
            limit: parameters.limit, entries: matrix.entryCount,
            entriesOfPrivateGroups: reading?.entriesOfPrivateGroups ?? 0,
            entriesOfPrivatePhotos: reading?.entriesOfPrivatePhotos ?? 0, groupsCounted: counted,
            groupsBelowMinimum: matrix.rowCount - counted,
            groupsWithNeighbours: (0..<matrix.rowCount).count { table.offsets[$0] < table.offsets[$0 + 1] },
            neighbours: table.neighbours.count, path: search.path.rawValue)
        if formula.parameters["y"] != nil {
            let sizes = (0..<matrix.rowCount).lazy.map { UInt32(matrix.size(ofRow: $0)) }
            report.measureParameters["C"] = PairLimits(parameters, sizes: sizes).factor
        }
        report.cut = parameters.measure.cut.forManifest
        report.columns = matrix.columnDegrees().count { $0 > 0 }
        return report
    }
}

extension [ComparedRelation] {
    var tables: [Relation: NeighbourTable] { byRelation(\.table) }
    /// The number of entries of each group in each relation.
    var sizes: [Relation: [UInt32]] { byRelation(\.sizes) }

    private func byRelation<Value>(_ value: (ComparedRelation) -> Value) -> [Relation: Value] {
        Dictionary(uniqueKeysWithValues: map { ($0.report.relation, value($0)) })
    }
}

/// A relation of a table: its entries, read and compared, with all that its role calls for.
struct ReadRelation {
    let facts: RelationDescription
    let compared: ComparedRelation
    /// The entries, if hints need them.
    let matrix: BinaryMatrix?
    /// The dates of the entries of a role; none if none are known.
    let dates: EventDates
    let events: GroupEvents?
    /// The tags, the places and the looks of the photos in pools.
    let content: PoolContent?
    /// Some members or photos with a group left out, to learn weights from.
    let sample: LeaveOneOutSample
    let honest: HonestNeighbours?
    /// The posts of each group, up to the last known date.
    let talk: [GroupTalk]

    /// Reads a relation from its table, and compares the groups by it.
    ///
    /// - Parameters:
    ///   - earlier: the relations that were read before.
    ///   - rowCount: the number of rows of the table, for the progress.
    init(
        _ facts: RelationDescription, after earlier: [ReadRelation], _ vectors: PhotoVectors?, rowCount: Int,
        _ run: JobRun
    ) throws(Failure) {
        guard let source = facts.source else { preconditionFailure("\(facts.name) has no table") }
        self.facts = facts
        var reading = try run.clock.step(.read(facts.relation)) { () throws(Failure) in
            let window = facts.role == nil ? nil : ActivitySignals.window(until: run.instant)
            return try Self.reading(source, rowCount, keeping: window, run)
        }
        let compared = try ComparedRelation(facts, reading.matrix, of: reading, run)
        let isSampled = facts.role == .membership || facts.role == .pool
        let sample = isSampled ? LeaveOneOutSample(reading.matrix, threads: run.parameters.threads) : .none
        content =
            facts.role == .pool ? try PoolContent(reading.matrix, &reading.events, vectors, run) : nil
        events = reading.events
        let known = events == nil ? EventDates() : reading.dates
        let last = earlier.dates.union(known).span?.upperBound
        talk =
            if facts.role == .conversation, let last { try GroupTalk.counted(source, until: last, run) } else { [] }
        let isAsked = !run.told.isEmpty || earlier.contains { $0.content?.hasFeatures == true }
        honest =
            facts.role == .membership
            ? try HonestNeighbours.found(compared, reading.matrix, sample, isAsked: isAsked, run) : nil
        matrix = run.told.contains { $0.sizeRole == facts.role } ? reading.matrix : nil
        (self.compared, self.sample, dates) = (compared, sample, known)
    }

    private static func reading(
        _ source: RelationSource, _ rowCount: Int, keeping window: ActivityWindow?, _ run: JobRun
    ) throws(Failure) -> (MatrixReading, outcome: String) {
        let clock = run.clock
        let reading = try run.entries.matrix(source, keeping: window) { clock.advance(done: $0, total: rowCount) }
        var outcome = "\(reading.matrix.entryCount) entries"
        if reading.entriesOfPrivateGroups > 0 {
            outcome += ", \(reading.entriesOfPrivateGroups) of groups left out"
        }
        if reading.entriesOfPrivatePhotos > 0 {
            outcome += ", \(reading.entriesOfPrivatePhotos) private \(source.entries.rawValue)"
        }
        return (reading, outcome)
    }
}

extension [ReadRelation] {
    subscript(role: RelationDescription.Role) -> ReadRelation? { first { $0.facts.role == role } }

    var dates: EventDates { reduce(EventDates()) { $0.union($1.dates) } }
    var events: [RelationDescription.Role: GroupEvents] {
        reduce(into: [:]) { events, table in if let role = table.facts.role { events[role] = table.events } }
    }
}
