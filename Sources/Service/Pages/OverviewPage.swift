import Answers
import CatalogStore
import FoundationEssentials
import HTTP
import Model
import ModelStore

extension Endpoint {
    static let overviewPage = Endpoint(page: "overview-page", "/admin", handler: Responder.overviewPage)
}

extension Responder {
    /// Shows whether all is well: the served version, the daemons of the store, and what waits.
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
        let reports = call.daemonReports
        let since = try? call.responder.follower.store.currentSince()
        let content: HTML = """
            \(health(readiness))
            \(gate(call))
            \(facts(readiness, call.responder.requests?.total, now))
            \(jobs(call, now))
            <h2>Daemons</h2>
            \(daemons(reports, current: readiness.freshness.version.modelVersion, since: since, now))
            """
        return Page("Overview", in: .overview, content)
    }

    private static func health(_ readiness: Readiness) -> HTML {
        let freshness = readiness.freshness
        if let reason = freshness.reason { return "<p class=\"bad\" id=\"health\">Degraded: \(reason).</p>" }
        if freshness.stale {
            return "<p class=\"bad\" id=\"health\">The version is old: the weekly job has not published a new one.</p>"
        }
        return "<p class=\"good\" id=\"health\">All is well.</p>"
    }

    private static func facts(_ readiness: Readiness, _ answers: RequestMetrics.Total?, _ now: Int64) -> HTML {
        let freshness = readiness.freshness
        let version = freshness.version.modelVersion
        var facts: [(name: String, value: HTML)] = [
            ("Version", "<a href=\"/admin/versions\">\(version)</a>"),
            ("Age", "\(HTML.span(seconds: freshness.modelAgeSeconds))"),
            ("Groups", "\(freshness.groupCount)"),
            ("Store", "\(freshness.store.location)\(freshness.store.reachable ? "" : " (not reachable)")"),
        ]
        if !readiness.missing.isEmpty {
            facts.append(("Started without", "\(readiness.missing.joined(separator: ", "))"))
        }
        if let outbox = readiness.outbox {
            let since = outbox.sinceMilliseconds.map { " for \(HTML.span(seconds: (now - $0) / 1000))" } ?? ""
            facts.append(("Changes that wait to be sent", "\(outbox.changes)\(since)"))
        }
        if let answers {
            facts.append(("Answers since the start", "\(answers.answers)"))
            facts.append(("Failures among them", "\(answers.failures)"))
            if let bound = answers.slowestMicroseconds {
                facts.append(("99% of them within", "\(HTML.decimals(Double(bound) / 1000)) ms"))
            }
        }
        return .facts(facts)
    }

    /// Says why the newest version does not serve, if the gate refused it.
    private static func gate(_ call: Call) -> HTML {
        guard let newest = (try? call.responder.follower.store.versions())?.last, let objections = newest.objections
        else { return "" }
        let version = newest.version.description
        return """
            <p class="bad" id="gate">The gate refused the last recompute: \(objections.joined(separator: "; ")). \
            <a href="/admin/versions/\(version)">Compare \(version)</a></p>
            """
    }

    /// Shows a job that runs, the last ones, and when the next recompute is to be expected.
    private static func jobs(_ call: Call, _ now: Int64) -> HTML {
        var facts: [(name: String, value: HTML)] = []
        let runs = call.responder.community?.catalogPath.flatMap { try? WorkLog.runs(beside: $0) } ?? []
        if let running = runs.first(where: \.isRunning) {
            facts.append(("Runs now", "\(running.job): \(running.step)"))
        }
        for job in ["import", "recompute"] {
            guard let last = runs.first(where: { $0.job.hasPrefix(job) && !$0.isRunning }) else { continue }
            let end = last.endedAtMilliseconds ?? last.notedAtMilliseconds
            let state: HTML =
                last.hasFailed || last.isLost ? "<span class=\"bad\">failed</span>" : "done"
            facts.append(
                ("Last \(job)", "\(state) \(HTML.span(seconds: max(0, now - end) / 1000)) ago"))
        }
        let starts = ((try? call.responder.follower.store.versions()) ?? []).map(\.createdAtMilliseconds)
        let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }.sorted()
        // Versions of one afternoon were made by hand.
        if let newest = starts.last, let gap = gaps.isEmpty ? nil : gaps[gaps.count / 2], gap > 6 * 3_600_000 {
            facts.append(
                (
                    "Next recompute, by the last ones",
                    "\(HTML.time(newest + gap)), every \(HTML.span(seconds: gap / 1000))"
                ))
        }
        if let newest = (try? call.responder.follower.store.versions())?.last, newest.objections == nil {
            facts.append(("Last word of the gate", "accepted \(newest.version.description)"))
        }
        return facts.isEmpty ? "" : "<h2><a href=\"/admin/jobs\">Jobs</a></h2>\(HTML.facts(facts))"
    }

    private static func daemons(_ reports: [DaemonReport], current: String, since: Int64?, _ now: Int64) -> HTML {
        let rows = reports.map { report -> [HTML] in
            let lag = report.lag(behind: current, since: since, at: now)
            let problems = report.problems.joined(separator: "; ")
            let lastError = report.lastError.map { "; last: \($0)" } ?? ""
            return [
                "<bdi>\(report.host)</bdi> \(report.address):\(report.port)", "\(report.modelVersion ?? "none")",
                lag.versionSeconds.map { "\(HTML.span(seconds: Int64($0)))" } ?? "–",
                report.outboxChanges.map { "\($0)" } ?? "–", report.sessions.map { "\($0)" } ?? "–",
                "\(report.errorsInLastHour)\(lastError)",
                problems.isEmpty ? "<span class=\"good\">well</span>" : "<span class=\"bad\">\(problems)</span>",
            ]
        }
        return .table(
            "Daemons that report to the store",
            ["Daemon", "Version", "Behind", "#Waiting changes", "#Sessions", "Errors in the last hour", "State"], rows)
    }
}

extension Call {
    /// The reports of the daemons on the store's board; none if it has no board or cannot be reached.
    fileprivate var daemonReports: [DaemonReport] {
        let reports = (try? responder.follower.store.board?.reports()) ?? []
        // A report of a later program that cannot be decoded is left out.
        return reports.compactMap { try? JSONDecoder().decode(DaemonReport.self, from: Data($0)) }
    }
}
