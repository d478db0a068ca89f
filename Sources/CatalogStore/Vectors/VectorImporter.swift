package import Basics
import Looks
import RecordReading
import SQLite

/// An import of photos' vectors into a catalog.
///
/// The vectors are added to the file of vectors, and made durable. One transaction of the catalog then says which of
/// them belong to which photos. If the import fails or is killed, nothing has changed.
package final class VectorImporter: FileImport {
    /// A file of vectors, and the file of its ids if it has none itself.
    package struct Source: Sendable {
        package var path: String
        /// The path of the ids, one a line, or `nil` if the file has ids itself.
        package var idsPath: String?

        package init(path: String, idsPath: String?) {
            self.path = path
            self.idsPath = idsPath
        }
    }

    /// The name of the content of such files.
    package static let kindName = "vectors"
    /// The columns of a text file of vectors, all of them required.
    package static let columnNames = ["photo_id", "vector"]

    let catalog: Catalog
    private let model: String?
    let options: ImportOptions
    private let report: (ImportProgress) -> Void
    var summary = ImportSummary(kind: .photos, name: VectorImporter.kindName)
    var rejects: RejectedRecords
    private var progress = ImportProgress(step: "reading", rows: 0, bytesRead: 0, totalBytes: nil)
    /// The vectors' facts, or `nil` until the first vector of a catalog without vectors.
    private var space: VectorSpace?
    private var appender: VectorAppender?
    /// The file as the catalog knows it, or `nil` if there is none, or all of it is replaced.
    private var known: VectorFile?
    /// The first slot of this import.
    private var firstSlot: Int64 = 0
    private var earlierCount = 0
    /// The vectors of photos that had one, and the number of those that turned by more than 60 degrees.
    private var knownCount = 0, turnedCount = 0

    /// Prepares an import.
    ///
    /// - Parameters:
    ///   - model: the name of the model that made the vectors, or `nil` for the one that the catalog has.
    ///   - options: the options of the import; those of other kinds have no effect.
    ///   - report: receives the progress, often.
    package init(
        into catalog: Catalog, model: String?, options: ImportOptions,
        report: @escaping (ImportProgress) -> Void = { _ in }
    ) {
        self.catalog = catalog
        self.model = model
        self.options = options
        self.report = report
        rejects = RejectedRecords(path: options.rejectsPath, inputs: [], writesFiles: !options.isDryRun)
    }

    /// Imports files, one after the other.
    ///
    /// - Throws: `Failure`; nothing has changed then. A dry run puts the failures that concern the import as a
    ///   whole into its summary instead.
    package func run(_ sources: [Source]) throws(Failure) -> ImportSummary {
        try run(sources.map(\.path)) { inputs throws(Failure) in
            let rows = try IdentifierResolver(.photos, catalog.database, isStrict: options.isStrict)
            for (source, input) in zip(sources, inputs) { try read(source, input, rows) }
            summary.created = ["photos": rows.createdCount].filter { $0.value > 0 }
        }
        if !options.isDryRun { catalog.facts.vectors.removeOtherFiles() }
        return summary
    }

    func begin() throws(Failure) {
        try catalog.database.execute("BEGIN IMMEDIATE")
        try findSpace()
    }

    func finish() {}

    func check() throws(Failure) {
        try checkRejects()
        try checkShrinking()
        try checkTurned()
    }

    /// Finds the vectors that the catalog has, unless all of them are replaced.
    private func findSpace() throws(Failure) {
        let found = try catalog.facts.vectors.space()
        earlierCount = try catalog.facts.vectors.count()
        if options.replaces {
            try catalog.database.execute("DELETE FROM photo_vectors; DELETE FROM vector_file")
            firstGeneration = (found?.generation ?? 0) + 1
            guard model != nil else { throw Self.unnamed }
            return
        }
        guard let found else {
            guard model != nil else { throw Self.unnamed }
            return
        }
        guard model == nil || model == found.model else {
            throw Failure(
                .badData,
                """
                the catalog has vectors of the model \(found.model), not \(model ?? ""), and two models cannot be \
                compared: import the vectors of all photos with --replace
                """)
        }
        space = found
        firstSlot = Int64(found.slots)
        known = try VectorFile(CatalogVectors.path(ofCatalog: catalog.path, found.generation), found)
    }

    private static let unnamed = Failure(
        .badData, "these are the first vectors: name the model that made them, such as --model-name clip-vit-b32")
    private var firstGeneration: Int64 = 1

    // MARK: - Reading

    private func read(_ source: Source, _ input: InputFile, _ rows: IdentifierResolver) throws(Failure) {
        switch try VectorArrays.opened(input) {
        case .arrays(var arrays):
            guard let idsPath = source.idsPath else {
                throw Failure(
                    .badData, "\(source.path) has no ids of photos: name a file that has one a line with --ids")
            }
            let ids = try InputFile.ids(in: idsPath)
            var number = 0
            while let numbers = try arrays.next() {
                guard number < ids.count else { throw Self.uneven(source, "more rows than the \(ids.count) ids") }
                number += 1
                let id = ids[number - 1]
                do throws(RecordProblem) { try take(id, numbers, source.path, rows) } catch {
                    guard !options.isStrict else { throw strictError(source.path, number, error.reason) }
                    try rejects.add(.init(source: source.path, line: number, reason: error.reason, excerpt: id))
                }
                try settle(rows, arrays.bytesRead)
            }
            guard number == ids.count else { throw Self.uneven(source, "\(number) rows for \(ids.count) ids") }
        case .text(let input):
            guard source.idsPath == nil else {
                throw Failure(.badData, "\(source.path) is text, which has the ids itself: leave --ids out")
            }
            try readText(input, source.path, rows)
        }
    }

    private static func uneven(_ source: Source, _ reason: String) -> Failure {
        Failure(.badData, "\(source.path) has \(reason) of \(source.idsPath ?? ""): nothing was changed")
    }

    private func readText(_ input: InputFile, _ path: String, _ rows: IdentifierResolver) throws(Failure) {
        var reader = try input.records(
            Self.columnNames.map {
                RecordColumn($0, sourceName: options.sourceNames[$0], isVector: $0 == "vector", isID: $0 != "vector")
            }, options.dialect)
        var event = try reader.next()
        while event != .end {
            if case .rejected(let record) = event {
                try reject(reader, record.line, record.reason.description, record.excerpt)
            } else {
                do throws(RecordProblem) {
                    guard !reader.isNull(0) else { throw RecordProblem(reason: "photo_id is empty") }
                    try take(
                        reader.text(0),
                        reader.withField(1) { bytes throws(RecordProblem) in try VectorText.numbers(bytes) }, path, rows
                    )
                } catch { try reject(reader, reader.line, error.reason, String(reader.text(0).prefix(200))) }
            }
            try settle(rows, input.bytesRead)
            event = try reader.next()
        }
    }

    /// The failure that a row met beside those of its own, and that ends the import.
    private var failure: Failure?

    private func settle(_ rows: IdentifierResolver, _ bytesRead: Int) throws(Failure) {
        if let failure { throw failure }
        guard summary.rows & 0x3ff == 0 else { return }
        progress.rows = summary.rows
        progress.bytesRead = bytesRead
        report(progress)
    }

    /// Takes a row: the vector of a photo.
    private func take(_ id: String, _ numbers: [Float], _ source: String, _ rows: IdentifierResolver)
        throws(RecordProblem)
    {
        guard (1...255).contains(id.utf8.count) else {
            throw RecordProblem(reason: "the id has \(id.utf8.count) bytes: 1 to 255 are allowed")
        }
        guard VectorLimits.dimensions.contains(numbers.count) else {
            throw RecordProblem(reason: "the vector has \(numbers.count) numbers: 1 to 2048 are allowed")
        }
        guard let vector = UnitVector.of(numbers) else {
            let isZero = numbers.allSatisfy { $0 == 0 }
            throw RecordProblem(reason: "the vector \(isZero ? "is zero" : "has NaN or infinity")")
        }
        if let space, space.dimension != vector.count {
            guard summary.rows > 0 else {
                failure = Failure(
                    .badData,
                    """
                    \(source) has vectors of \(vector.count) numbers, and the catalog's, of the model \(space.model), \
                    have \(space.dimension): import the vectors of all photos with --replace, or make them with that model
                    """)
                return
            }
            throw RecordProblem(reason: "the vector has \(vector.count) numbers, and the others \(space.dimension)")
        }
        do throws(Failure) {
            guard let photo = try rows.key(of: id) else { throw Failure(.badData, "there is no photo \(id)") }
            try place(vector, of: photo)
        } catch { failure = error }
        summary.rows += 1
    }

    /// Adds a vector to the file unless the photo has the same already.
    private func place(_ vector: [Float], of photo: Int64) throws(Failure) {
        var space =
            self.space
            ?? VectorSpace(generation: firstGeneration, dimension: vector.count, model: model ?? "", slots: 0)
        if let slot = try catalog.database.integer("SELECT slot FROM photo_vectors WHERE photo_key = ?", photo) {
            let earlier = slot >= firstSlot ? nil : known?.vector(in: slot)
            if let earlier {
                knownCount += 1
                let cosine = zip(earlier, vector).reduce(0) { $0 + $1.0 * $1.1 }
                turnedCount += cosine < Self.leastCosine ? 1 : 0
            }
            guard earlier != vector else { return }
            if slot >= firstSlot { summary.duplicates += 1 } else { summary.written += 1 }
        } else {
            summary.written += 1
        }
        var slot = Int64(space.slots)
        if !options.isDryRun {
            slot = try opened(space).append(vector)
        }
        space.slots = Int(slot) + 1
        self.space = space
        try catalog.database.run("INSERT OR REPLACE INTO photo_vectors VALUES (?1, ?2)", photo, slot)
    }

    private func opened(_ space: VectorSpace) throws(Failure) -> VectorAppender {
        if let appender { return appender }
        let opened = try VectorAppender(
            CatalogVectors.path(ofCatalog: catalog.path, space.generation), dimension: space.dimension,
            slots: space.slots)
        appender = opened
        return opened
    }

    // MARK: - The end

    private func checkRejects() throws(Failure) {
        guard rejects.count > 0, let first = rejects.examples.first else { return }
        let total = rejects.count + summary.rows
        let share = Double(rejects.count) / Double(total)
        guard share > options.maximumRejectedShare || (options.replaces && !options.allowsRejects) else { return }
        let advice =
            share > options.maximumRejectedShare
            ? "more than --maximum-rejected allows" : "and replacing could remove just those (--allow-rejects)"
        throw Failure(
            .badData,
            """
            \(rejects.count) of \(total) vectors were rejected, \(advice): nothing was changed. The first is \
            \(first.source), line \(first.line): \(first.reason)
            """)
    }

    /// The cosine of 60 degrees: a model gives an edited photo nearly the same vector, and another model any.
    private static let leastCosine: Float = 0.5
    /// The fewest turned vectors that are too many, if they are more than a tenth of those of photos that had one.
    private static let leastTurned = 10

    private func checkTurned() throws(Failure) {
        guard turnedCount >= Self.leastTurned, 10 * turnedCount > knownCount, !options.allowsAnotherModel else {
            return
        }
        throw Failure(
            .badData,
            """
            \(turnedCount) of the \(knownCount) vectors that photos had would turn by more than 60 degrees, as if \
            another model had made the new ones: nothing was changed. Vectors of two models cannot be compared: import \
            those of all photos with --replace. If they are of the same model, add --another-model
            """)
    }

    private func checkShrinking() throws(Failure) {
        guard options.replaces else { return }
        let count = summary.rows - summary.duplicates
        summary.removed = max(0, earlierCount - count)
        guard 2 * count < earlierCount, !options.allowsShrinking else { return }
        throw Failure(
            .badData,
            """
            replacing would leave \(count) of \(earlierCount) vectors, less than half: nothing was changed. If the files \
            are complete, add --allow-shrinking
            """)
    }

    func commit() throws(Failure) {
        try appender?.finish()
        if let space, appender != nil {
            try catalog.database.execute("DELETE FROM vector_file")
            try catalog.database.run(
                "INSERT INTO vector_file VALUES (?1, ?2, ?3, ?4)", space.generation, space.dimension, space.model,
                space.slots)
        }
        try catalog.recordChanges(Int64(summary.written + summary.removed))
        try catalog.database.execute("COMMIT")
    }
}
