import CatalogStore
import Changes
import CommandLine
import Model
import ModelStore

/// The instant up to which the catalog knows what members were shown and did.
///
/// Daemons with a shared store record in journals of their own, and a recompute takes these records into the catalog.
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
        let store = try parsed.openStore()
        guard let channel = store.shared?.channel else {
            guard !parsed.flag("take-changes") else {
                throw UsageError("--take-changes needs a store in Redis: with a folder, the catalog has all changes")
            }
            knownUntil = instant
            return
        }
        var streams = try channel.journals()
        let survey = try streams.survey()
        if parsed.flag("take-changes") {
            _ = try Catalog(path: parsed.text("catalog"), mode: .recording).takeOver(
                through: survey.mapValues(\.last), skipsMissing: false, wrap: { $0 as any Error }
            ) { origin, after, limit throws(any Error) in
                try streams.changes(of: origin, after: after, limit: limit)
            }
        }
        let applied = try parsed.openCatalog().appliedChanges()
        var known = instant
        var waiting = 0
        for (origin, numbers) in survey where applied.last(of: origin) < numbers.last {
            waiting += Int(numbers.last - applied.last(of: origin))
            let next = try streams.changes(of: origin, after: applied.last(of: origin), limit: 1).first
            known = min(known, (next?.stampMilliseconds ?? 0) - Self.exposureDelay)
        }
        knownUntil = max(0, known)
        if knownUntil < instant {
            lines += [
                """
                known until \(CourseWords.text(knownUntil)): \(waiting) changes of daemons wait for the next recompute; \
                --take-changes takes them now
                """
            ]
        }
    }
}
