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
        var (known, waiting) = (instant, 0)
        if let channel = store.shared?.channel {
            var streams = try channel.journals()
            for (origin, numbers) in try streams.survey() where applied.last(of: origin) < numbers.last {
                waiting += Int(numbers.last - applied.last(of: origin))
                let next = try streams.changes(of: origin, after: applied.last(of: origin), limit: 1).first
                known = min(known, (next?.stampMilliseconds ?? 0) - Self.exposureDelay)
            }
        } else if let log = Catalog.resolved(Catalog.journalPath(beside: path)),
            let (count, first) = try ChangeJournal(path: log, mode: .reading).waiting(beyond: applied)
        {
            (waiting, known) = (count, min(known, first - Self.exposureDelay))
        }
        knownUntil = max(0, known)
        if knownUntil < instant {
            lines += [
                """
                known until \(CourseWords.text(knownUntil)): \(waiting) changes of daemons wait to be applied; \
                \(problem ?? "--take-changes takes them now")
                """
            ]
        }
    }
}
