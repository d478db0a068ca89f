import Basics
import CatalogStore
import HTTP
import Model
import ModelStore

extension Endpoint {
    static let jobsPage = Endpoint(page: "jobs-page", "/admin/jobs", handler: Responder.jobsPage)
}

extension Responder {
    /// Shows what imports and recomputes did last, and how far a running one is.
    @Sendable
    fileprivate static func jobsPage(_ call: Call) throws(Problem) -> Page {
        let now = call.responder.now()
        let content: HTML
        if let path = call.responder.community?.catalogPath {
            do throws(Failure) {
                content = jobs(try WorkLog.runs(beside: path), now)
            } catch { content = "<p class=\"bad\">\(error.message)</p>" }
        } else {
            content = "<p class=\"nothing\">This daemon has no catalog, beside which jobs are logged.</p>"
        }
        let manifests = try call.orStoreProblem { () throws(Failure) in
            try call.responder.follower.store.versions()
        }
        return Page(
            "Jobs", in: .jobs, subtitle: "Imports and recomputes, the newest first.",
            """
            \(content)
            <h2>Recomputes of the store's versions</h2>
            \(manifests.reversed().map(steps))
            """)
    }

    private static func jobs(_ runs: [WorkLog.Run], _ now: Int64) -> HTML {
        let rows = runs.map { run -> [HTML] in
            let end = run.endedAtMilliseconds ?? run.notedAtMilliseconds
            let notes = run.notes.map { line -> HTML in "<li>\(line)</li>" }
            return [
                "\(run.job)", .day(run.startedAtMilliseconds),
                "\(Formats.seconds(Double(max(0, end - run.startedAtMilliseconds)) / 1000))", state(of: run),
                """
                \(run.outcome)\(if: !notes.isEmpty, """
                    <details><summary>\(notes.count) \(notes.count == 1 ? "note" : "notes")<span class="unseen"> on the \(run.job)</span></summary>\
                    <ul>\(notes)</ul></details>
                    """)
                """,
            ]
        }
        let isRunning = runs.contains { $0.isRunning }
        return """
            <div\(if: isRunning, " data-refresh=\"2\"")>
            \(HTML.table("Jobs of the catalog", ["Job", "Started", "#Took", "State", "Outcome"], rows))
            </div>
            """
    }

    private static func state(of run: WorkLog.Run) -> HTML {
        if run.endedAtMilliseconds != nil {
            return run.hasFailed ? "<span class=\"bad\">failed</span>" : "<span class=\"good\">done</span>"
        }
        guard run.isRunning else { return "<span class=\"bad\">ended without a word</span>" }
        let left = run.remainingSeconds.map { ", about \(HTML.span(seconds: Int64($0.rounded()))) left" } ?? ""
        return """
            <span class="good">runs</span>: \(run.step)\(run.amount)\(left)\(run.bar)
            """
    }

    /// Shows the steps of the recompute that made a version, and what the gate said.
    private static func steps(_ manifest: Manifest) -> HTML {
        let rows = manifest.steps.map { step -> [HTML] in
            ["\(step.name)", "\(Formats.seconds(step.seconds))", "\(step.peakBytes >> 20)"]
        }
        let seconds = manifest.steps.reduce(0) { $0 + $1.seconds }
        let gate: HTML =
            manifest.objections.map { "<span class=\"bad\">refused: \($0.joined(separator: "; "))</span>" }
            ?? "<span class=\"good\">accepted</span>"
        return """
            <details><summary>\(HTML.day(manifest.createdAtMilliseconds, hasYear: false)), \
            \(Formats.seconds(seconds)), \(gate) <small>\(manifest.version.description)</small></summary>
            \(HTML.table("Steps of \(manifest.version.description)", ["Step", "#Took", "#Peak MiB"], rows))
            </details>
            """
    }
}

extension WorkLog.Run {
    /// Whether the job has not ended, and its process is there.
    var isRunning: Bool { endedAtMilliseconds == nil && !isLost }

    /// The work done, in words, after a comma; empty if it is not known.
    fileprivate var amount: String {
        guard let done else { return "" }
        if let total, total > 0 { return ", \(min(100, done * 100 / total))%" }
        return unit.map { ", \(done) \($0)" } ?? ""
    }

    /// A bar of the work done, if all work of the step is known.
    fileprivate var bar: HTML {
        guard let done, let total, total > 0 else { return "" }
        return """
            <progress max="\(total)" value="\(min(done, total))" aria-label="Progress of the \(job)"></progress>
            """
    }
}
