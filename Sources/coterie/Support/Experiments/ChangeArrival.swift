import CatalogStore
import Changes
import CommandLine
import Model
import ModelStore
import Recompute

/// The instant up to which the catalog knows what members were shown and did.
///
/// Daemons record in journals, and applying takes these records into the catalog. With a folder, the report does so.
struct ChangeArrival {
    /// The instant up to which everything is known, in Unix milliseconds; at most the asked one.
    let knownUntil: Int64
    /// Lines for the report if changes wait, or if its time lies ahead.
    private(set) var lines: [String] = []

    /// A daemon writes exposures so long after their time, in milliseconds.
    private static let exposureDelay: Int64 = 1000

    /// Finds out what the catalog knows; with `--take-changes`, it first takes all that waits.
    ///
    /// - Parameter instant: the time of the report, in Unix milliseconds.
    init(_ parsed: ParsedCommand, atMilliseconds instant: Int64) throws {
        let present = ParsedCommand.nowMilliseconds
        if instant > present {
            lines = [
                """
                --at lies ahead: nothing is known from \(CourseWords.text(present)) on, so this is a rehearsal and \
                no result
                """
            ]
        }
        let (store, path) = (try parsed.openStore(), parsed.text("catalog"))
        var problem: String?
        do {
            if parsed.flag("take-changes") || store.shared == nil {
                _ = try CatalogLog.apply(to: path, store, relations: Coterie.relations, at: present)
            }
        } catch {
            guard !parsed.flag("take-changes") else { throw error }
            problem = "\(error)"
        }
        let applied = try parsed.openCatalog().appliedChanges()
        let waiting: (count: Int, firstStamp: Int64)?
        if let channel = store.shared?.channel {
            var streams = try channel.journals()
            waiting = try streams.waiting(beyond: applied)
        } else if let log = Catalog.existingJournal(beside: path) {
            var journal = try ChangeJournal(path: log, mode: .reading)
            waiting = try journal.waiting(beyond: applied)
        } else {
            waiting = nil
        }
        let known = waiting.map { min(instant, $0.firstStamp - Self.exposureDelay) } ?? instant
        knownUntil = max(0, known)
        if knownUntil < instant {
            lines += [
                """
                known until \(CourseWords.text(knownUntil)): \(waiting?.count ?? 0) changes of daemons wait to be \
                applied; \(problem ?? "--take-changes takes them now")
                """
            ]
        }
    }
}
