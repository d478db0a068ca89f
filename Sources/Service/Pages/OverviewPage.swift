import Answers
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
            \(facts(readiness, now))
            \(answers(call.responder.history.hours.suffix(24)))
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

    private static func facts(_ readiness: Readiness, _ now: Int64) -> HTML {
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
        return .facts(facts)
    }

    private static func answers(_ hours: ArraySlice<RequestHistory.Hour>) -> HTML {
        guard !hours.isEmpty else { return "" }
        func hour(_ milliseconds: Int64) -> String { "\(milliseconds / 3_600_000 % 24) h" }
        let rows = hours.reversed().map { hour -> [HTML] in
            [
                .time(hour.endMilliseconds), "\(hour.answers)", "\(hour.failures)",
                hour.slowestMicroseconds.map { .decimals(Double($0) / 1000) } ?? "–",
            ]
        }
        return """
            <h2>Answers of this daemon</h2>
            \(BarChart("Answers in each hour (UTC)", hours.map { (hour($0.endMilliseconds), $0.answers) }).html)
            \(HTML.table(
                "The last 24 hours since the start",
                ["Until", "#Answers", "#Failures", "#99% within ms"], rows))
            """
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
