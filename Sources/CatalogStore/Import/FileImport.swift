import Basics
import RecordReading
import SQLite

/// The frame of every import of files: one transaction, and the records that it rejects.
protocol FileImport: AnyObject {
    var catalog: Catalog { get }
    var options: ImportOptions { get }
    var rejects: RejectedRecords { get set }
    var summary: ImportSummary { get set }

    func begin() throws(Failure)
    /// Checks what was read, and throws if the import must not happen.
    func check() throws(Failure)
    /// Writes the rest, which a dry run takes back as well.
    func finish() throws(Failure)
    /// Ends the transaction.
    func commit() throws(Failure)
}

extension FileImport {
    /// Imports files in one transaction; each is opened once, because a pipe can be.
    ///
    /// - Throws: `Failure`; nothing has changed then. A dry run puts the failures that concern the import as a whole
    ///   into its summary instead.
    func run(_ paths: [String], read: ([InputFile]) throws(Failure) -> Void) throws(Failure) {
        let clock = ContinuousClock()
        let began = clock.now
        var inputs: [InputFile] = []
        for path in paths { inputs.append(try InputFile(path: path)) }
        rejects = RejectedRecords(
            path: options.rejectsPath, inputs: Set(inputs.map(\.identity)), writesFiles: !options.isDryRun)
        do throws(Failure) {
            try begin()
            try read(inputs)
            // Rejected records are useful even if they make the import fail.
            try rejects.finish()
            summary.take(rejects)
            do throws(Failure) {
                try refuseEmpty(summary, rejects, options, inputs)
                try check()
            } catch {
                guard options.isDryRun else { throw error }
                summary.failure = error
            }
            try finish()
            try options.isDryRun ? catalog.database.rollBack() : commit()
        } catch {
            try? rejects.flush()
            try? catalog.database.rollBack()
            throw error
        }
        let elapsed = began.duration(to: clock.now).components
        summary.seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }

    /// Rejects the current record of a reader, or ends a strict import.
    func reject(_ reader: borrowing RecordReader, _ line: Int, _ reason: String, _ excerpt: String) throws(Failure) {
        guard !options.isStrict else { throw strictError(reader.source, line, reason) }
        try rejects.add(.init(source: reader.source, line: line, reason: reason, excerpt: excerpt), reader)
    }

    func strictError(_ source: String, _ line: Int, _ reason: String) -> Failure {
        Failure(.badData, "\(source), line \(line): \(reason); nothing was changed (--strict)")
    }
}
