import Answers
import Basics
import CatalogStore
import Changes
import CommandLine
import Experiments
import Model
import ModelStore
import Recompute
import Service

/// The instant up to which the catalog knows what members were shown and did.
///
/// Daemons record in journals, and applying takes these records into the catalog. With a folder, the report does so. A
/// later report of the same time finds what had arrived by then in a note of the catalog.
struct ChangeArrival {
    /// A daemon with a journal of its own, and the time up to which it has sent everything, in Unix milliseconds.
    struct Sender: Answer {
        let name: String
        let sentUntil: Int64

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("daemon", \.name, "Its machine and port")
            fields.always("sentUntilMilliseconds", \.sentUntil, "Up to when it has sent everything")
        }
    }

    /// The actions and pages that arrived after an earlier report although they are from before its end.
    struct Late: Answer {
        let madeAt, before: Int64
        /// Whether they count in the present report.
        let isCounted: Bool
        let counts: (actions: Int, pages: Int, repeatedPages: Int)

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("reportedAtMilliseconds", \.madeAt, "When the earlier report was made")
            fields.always("beforeMilliseconds", \.before, "The time before which they were")
            fields.always("areCounted", \.isCounted, "Whether they count in this report")
            fields.always("actions", \.counts.actions, "Actions of members of the experiment")
            fields.always("pages", \.counts.pages, "Pages that were shown")
            fields.always(
                "repeatedPages", \.counts.repeatedPages,
                "Pages that were shown again on the same day; they count in this report")
        }

        var line: String {
            let (made, end) = (CourseWords.text(madeAt), CourseWords.text(before))
            let again =
                counts.repeatedPages == 0 ? "" : "; \(counts.repeatedPages) pages were shown again later that day"
            return """
                since the report of \(made), \(counts.actions) actions and \(counts.pages) pages from before \(end) have \
                arrived\(isCounted ? ": --at \(made) gives its numbers" : ", which do not count here")\(again)
                """
        }
    }

    /// A report that was made, and what it knew.
    private struct Report: Codable {
        /// The time at which it was made, and the one up to which everything was known, in Unix milliseconds.
        var madeAt, knownUntil: Int64
        var arrival: CatalogArrival

        /// Returns the reports of a note.
        static func all(in note: String?) -> [Report] {
            note.flatMap { try? JSON.decoded([Report].self, from: $0.utf8) } ?? []
        }
    }

    /// The instant up to which everything is known, in Unix milliseconds; at most the asked one, and never to come.
    let knownUntil: Int64
    /// Whether the report is of a time to come, as of which it then judges.
    let isRehearsal: Bool
    /// The time at which a report with these numbers was made first, in Unix milliseconds.
    let madeAt: Int64
    /// The rows that had arrived by then.
    let arrival: CatalogArrival
    /// The daemons that send what they record.
    private(set) var senders: [Sender] = []
    /// The late actions and pages since an earlier report; nil for none.
    private(set) var late: Late?
    /// Lines for the report if changes wait, or if its time lies ahead.
    private var lines: [String] = []
    private var earlier: [Report] = []
    private var isRepeated = false

    /// A daemon writes exposures so long after their time, in milliseconds.
    private static let exposureDelay: Int64 = 1000
    /// The most reports that are noted; of more, the earliest are forgotten.
    private static let limit = 10_000

    /// Finds out what the catalog knows, and notes it; with `--take-changes`, it first takes all that waits.
    ///
    /// - Parameter instant: the time of the report, in Unix milliseconds.
    init(_ parsed: ParsedCommand, atMilliseconds instant: Int64) throws {
        let (present, store, path) = (SystemClock.nowMilliseconds, try parsed.openStore(), parsed.text("catalog"))
        isRehearsal = instant > present
        var problem: String?
        do {
            if parsed.flag("take-changes") || store.shared == nil {
                _ = try CatalogLog.apply(to: path, store, relations: Coterie.relations, at: present)
            }
        } catch {
            guard !parsed.flag("take-changes") else { throw error }
            problem = "\(error)"
        }
        let catalog = try parsed.openCatalog()
        earlier = Report.all(in: try catalog.tuningNote(.reports))
        // Times on a command line are whole seconds.
        if parsed.textIfGiven("at") != nil, !isRehearsal,
            let report = earlier.first(where: { $0.madeAt / 1000 >= instant / 1000 })
        {
            (madeAt, arrival, isRepeated) = (report.madeAt, report.arrival, true)
            knownUntil = instant / 1000 >= report.knownUntil / 1000 ? report.knownUntil : instant
            return
        }
        let waiting = try Self.waiting(store, path, beyond: catalog.appliedChanges())
        senders = try Self.senders(store, parsed)
        var known = senders.map(\.sentUntil).min().map { min($0, present) } ?? present
        if let waiting { known = max(0, min(known, waiting.firstStamp - Self.exposureDelay)) }
        (madeAt, knownUntil, arrival) = (present, min(known, instant), try Exposures(of: catalog).arrival)
        if isRehearsal {
            lines.append(
                """
                --at lies ahead: nothing is known from \(CourseWords.text(present)) on, so this is a rehearsal and \
                no result
                """)
        }
        if !senders.isEmpty {
            let known = senders.map { "\($0.name) until \(CourseWords.text($0.sentUntil))" }
            lines.append("daemons have sent everything: \(known.joined(separator: ", "))")
        }
        if let waiting, knownUntil < instant {
            lines.append(
                """
                known until \(CourseWords.text(knownUntil)): \(waiting.count) changes of daemons wait to be applied; \
                \(problem ?? "--take-changes takes them now")
                """)
        }
        guard !isRehearsal else { return }
        do {
            let report = Report(madeAt: present, knownUntil: known, arrival: arrival)
            try Catalog(path: path, mode: .recording).changeTuningNote(.reports) { note in
                // Another report may have been noted meanwhile.
                let reports = Array(Report.all(in: note).suffix(Self.limit - 1)) + [report]
                return (try? JSON.encoded(reports)).map { String(decoding: $0, as: UTF8.self) } ?? note
            }
        } catch {
            lines.append("this report cannot be noted, and --at may give other numbers later: \(error)")
        }
    }

    /// Returns the lines of a report with what is to be known before and after them.
    func lines(around report: [String]) -> [String] { lines + report + (late.map { [$0.line] } ?? []) }

    /// Returns the number of changes that wait to be applied, and the stamp of the first, in milliseconds.
    private static func waiting(_ store: any VersionStore, _ path: String, beyond applied: AppliedChanges) throws
        -> (count: Int, firstStamp: Int64)?
    {
        if let channel = store.shared?.channel {
            var streams = try channel.journals()
            return try streams.waiting(beyond: applied)
        }
        guard let log = Catalog.existingJournal(beside: path) else { return nil }
        var journal = try ChangeJournal(path: log, mode: .reading)
        return try journal.waiting(beyond: applied)
    }

    /// Returns the daemons with journals of their own that reported in the last weeks, but for those in `--gone`.
    private static func senders(_ store: any VersionStore, _ parsed: ParsedCommand) throws -> [Sender] {
        let gone = Set(parsed.texts("gone"))
        return try DaemonReport.all(in: store, .senders).map {
            Sender(name: $0.name, sentUntil: $0.sentUntilMilliseconds)
        }.filter { !gone.contains($0.name) }
    }

    /// Counts what arrived since an earlier report, of the time before its end.
    ///
    /// That report is the one with these numbers, or else the first that saw the end of the experiment, or the last.
    mutating func countLate(_ entry: ExperimentRegister.Entry, _ course: ExperimentCourse, _ catalog: Facts) throws {
        let first = earlier.first { isRepeated ? $0.madeAt == madeAt : $0.madeAt >= course.end }
        guard let report = first ?? earlier.last else { return }
        // The pages of the last second may not have been written when the report was made.
        let end = min(report.knownUntil, knownUntil) - Self.exposureDelay
        let counts = try Exposures(of: catalog).lateCounts(
            in: entry.definition.name, since: course.startedAt, after: report.arrival, before: end)
        guard counts.actions + counts.pages + counts.repeatedPages > 0 else { return }
        late = Late(madeAt: report.madeAt, before: end, isCounted: !isRepeated, counts: counts)
    }
}
