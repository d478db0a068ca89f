import Answers
import Basics
import CatalogStore
import Model
import ModelStore

extension Endpoint {
    static let overviewPage = Endpoint(page: "overview-page", "/admin", handler: Responder.overviewPage)
}

extension Responder {
    /// Shows what is wrong, or that all is well; then the served version, the jobs, and the daemons of the store.
    @Sendable
    fileprivate static func overviewPage(_ call: Call) throws(Problem) -> Page {
        let now = call.responder.now()
        guard call.state.snapshot != nil else {
            return Page(
                "No version is served yet", in: .overview,
                """
                <p class="bad">Import groups, members, photos and pools, then run <code>coterie recompute</code>. \
                The daemon takes the version up by itself.</p>
                """)
        }
        let readiness = try readiness(call)
        let overview = Overview(call, readiness, now)
        let content: HTML = """
            \(overview.verdict)
            \(facts(readiness, call.responder.pages.requests.total, overview))
            \(ListOutcome(call, overview.versions, now).html)
            \(jobs(overview))
            <h2>Daemons</h2>
            \(daemons(overview, current: readiness.freshness.version.modelVersion))
            """
        return Page("Overview", in: .overview, content)
    }

    private static func facts(
        _ readiness: Readiness, _ answers: RequestMetrics.Total, _ overview: Overview
    ) -> HTML {
        let freshness = readiness.freshness
        var facts: [(name: String, value: HTML)] = [
            ("Version", overview.serving),
            ("Age", "\(HTML.span(seconds: freshness.modelAgeSeconds))"),
            ("Groups", "\(freshness.groupCount.grouped)"),
            ("Store", "\(freshness.store.location)\(freshness.store.reachable ? "" : " (not reachable)")"),
        ]
        if !readiness.missing.isEmpty {
            facts.append(("Started without", "\(readiness.missing.joined(separator: ", "))"))
        }
        if let outbox = readiness.outbox {
            let since = outbox.sinceMilliseconds.map { " for \(overview.span(since: $0))" } ?? ""
            facts.append(("Changes that wait to be sent", "\(outbox.changes.grouped)\(since)"))
        }
        facts.append(("Answers since the start", "\(answers.answers.grouped)"))
        facts.append(("Failures among them", "\(answers.failures.grouped)"))
        if let bound = answers.slowestMicroseconds {
            facts.append(("99% of them within", "\(HTML.decimals(Double(bound) / 1000, 1)) ms"))
        }
        return .facts(facts)
    }

    /// Shows a job that runs, and the last ones.
    private static func jobs(_ overview: Overview) -> HTML {
        var facts: [(name: String, value: HTML)] = []
        if let running = overview.runs.first(where: \.isRunning) {
            facts.append(("Runs now", "\(running.job): \(running.step)"))
        }
        for last in overview.lastRuns {
            let state: HTML = last.isBad ? "<span class=\"bad\">failed</span>" : "done"
            facts.append(("Last \(last.job)", "\(state) \(overview.span(since: last.lastMilliseconds)) ago"))
        }
        return facts.isEmpty ? "" : "<h2><a href=\"/admin/jobs\">Jobs</a></h2>\(HTML.facts(facts))"
    }

    private static func daemons(_ overview: Overview, current: String) -> HTML {
        let rows = overview.reports.map { report -> [HTML] in
            let lag = report.lag(behind: current, since: overview.currentSince, at: overview.now)
            let problems = report.problems.joined(separator: "; ")
            let last = report.lastError.map { error -> HTML in
                "<details><summary>the last</summary>\(error)</details>"
            }
            return [
                "<bdi>\(report.host)</bdi> \(report.address):\(report.port)",
                report.modelVersion.map(overview.name) ?? "none",
                lag.versionSeconds.map { "\(HTML.span(seconds: Int64($0)))" } ?? "–",
                report.outboxChanges.map { "\($0.grouped)" } ?? "–",
                report.sessions.map { "\($0.grouped)" } ?? "–", "\(report.errorsInLastHour)\(last)",
                problems.isEmpty ? "<span class=\"good\">well</span>" : "<span class=\"bad\">\(problems)</span>",
            ]
        }
        return .table(
            "Daemons that report to the store",
            [
                "Daemon", "Version", "Behind", "#Waiting changes", "#Sessions", "Errors and warnings in the last hour",
                "State",
            ], rows)
    }
}

/// The parts of the overview, and its verdict.
private struct Overview {
    let now: Int64
    /// The versions of the store, the oldest first; none if it cannot be reached.
    let versions: [Manifest]
    let runs: [WorkLog.Run]
    /// The reports of the daemons on the store's board; none if it has no board or cannot be reached.
    let reports: [DaemonReport]
    let currentSince: Int64?
    private let readiness: Readiness

    init(_ call: Call, _ readiness: Readiness, _ now: Int64) {
        let store = call.responder.follower.store
        versions = (try? store.versions()) ?? []
        runs = call.responder.community?.catalogPath.flatMap { try? WorkLog.runs(beside: $0) } ?? []
        reports = (try? DaemonReport.all(in: store)) ?? []
        currentSince = try? store.currentSince()
        (self.readiness, self.now) = (readiness, now)
    }

    func span(since milliseconds: Int64) -> String { HTML.span(seconds: max(0, now - milliseconds) / 1000) }

    /// The last ended run of each kind of job, the newest first.
    var lastRuns: [WorkLog.Run] {
        var last: [WorkLog.Run] = []
        for run in runs where !run.isRunning && !last.contains(where: { $0.job == run.job }) { last.append(run) }
        return last
    }

    /// Returns the time of a version, with its name.
    func name(of version: String) -> HTML {
        versions.first { $0.version.description == version }.map(HTML.version) ?? "\(version)"
    }

    /// The serving version, by its time and name.
    var serving: HTML { name(of: readiness.freshness.version.modelVersion) }

    /// All that is wrong, the worst first; or that all is well.
    var verdict: HTML {
        let all = bad.map { ($0, "bad") } + warnings.map { ($0, "warning") }
        guard let worst = all.first else {
            let data = lastRuns.first { $0.job.hasPrefix("import") }.map { run -> HTML in
                ", and the <a href=\"/admin/jobs\">last import</a> ended \(span(since: run.lastMilliseconds)) ago"
            }
            let age = HTML.span(seconds: readiness.freshness.modelAgeSeconds)
            return """
                <p class="good" id="health">All is well. The <a href="/admin/versions">version</a> that serves is \(age) \
                old\(data).</p>
                """
        }
        let clauses = all.enumerated().map { place, one -> HTML in
            // The words of a job may be whole sentences.
            "\(if: place > 0, "<br>")\(one.0)\(if: !one.0.text.hasSuffix("."), ".")"
        }
        return "<p class=\"\(worst.1)\" id=\"health\">\(clauses)</p>"
    }

    /// All that makes lists wrong, old or missing.
    private var bad: [HTML] {
        var found: [HTML] = []
        let freshness = readiness.freshness
        if let reason = freshness.reason { found.append("<a href=\"/readyz\">Degraded</a>: \(reason)") }
        if freshness.stale {
            found.append(
                """
                The <a href="/admin/versions">version</a> is \(HTML.span(seconds: freshness.modelAgeSeconds)) old: the \
                weekly job has not published a new one
                """)
        }
        let serving = freshness.version.modelVersion
        let newest = versions.last
        if let newest, let objections = newest.objections, newest.version.description != serving {
            found.append(
                """
                The gate refused the last recompute: \(objections.joined(separator: "; ")). \
                <a href="/admin/versions/\(newest.version.description)">Compare it</a>
                """)
        }
        // The gate's refusal, which the recompute repeats, is said already.
        let refused = newest?.objections == nil ? nil : newest?.version.description
        found += lastRuns.filter { run in run.isBad && refused.map(run.outcome.contains) != true }.map { run in
            """
            The last <a href="/admin/jobs">\(run.job)</a> failed \(span(since: run.lastMilliseconds)) ago\
            \(if: !run.outcome.isEmpty, ": \(run.outcome)")
            """
        }
        found += reports.filter { !$0.problems.isEmpty && freshness.reason == nil }.map { report in
            "The daemon <bdi>\(report.host)</bdi>:\(report.port): \(report.problems.joined(separator: "; "))"
        }
        return found
    }

    /// All else that should be looked at.
    private var warnings: [HTML] {
        var found: [HTML] = []
        if let last = lastRuns.first(where: { $0.job.hasPrefix("import") }),
            now - last.lastMilliseconds > WorkLog.Run.lifetimeMilliseconds
        {
            found.append("The <a href=\"/admin/jobs\">last import</a> is \(span(since: last.lastMilliseconds)) old")
        }
        if let outbox = readiness.outbox, let since = outbox.sinceMilliseconds, now - since > 60_000 {
            found.append("\(outbox.changes.grouped) changes wait to be sent for \(span(since: since))")
        }
        return found
    }
}

extension WorkLog.Run {
    /// The time after which an import should be repeated, in milliseconds: more than a week.
    static let lifetimeMilliseconds: Int64 = 9 * 86_400_000

    /// Whether the job ended badly, or its process is gone.
    var isBad: Bool { hasFailed || isLost }

    /// The end of the job, or else the last news of it, in Unix milliseconds.
    var lastMilliseconds: Int64 { endedAtMilliseconds ?? notedAtMilliseconds }
}
