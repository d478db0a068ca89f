import Answers
import Basics
import CommandLine
import Operations
import Service

/// The results of a replay, for people and as JSON.
struct ReplayOutput: Encodable {
    /// The figures of a route.
    struct Route: Encodable {
        var route: String
        var count, identical, otherValues, reordered, otherGroups, otherStatus, failed: Int
        /// The share of identical answers, or `nil` if nothing was played.
        var identicalShare: Double?
        var overlapAt10: Double?
        var recordedP50Microseconds, recordedP99Microseconds, p50Microseconds, p99Microseconds: UInt64?
        /// The times with the network.
        var roundTripP50Microseconds, roundTripP99Microseconds: UInt64?

        init(_ route: String, _ figures: ReplaySummary.Figures) {
            func count(_ kind: Difference.Kind) -> Int { figures.counts[kind] ?? 0 }
            self.route = route
            self.count = figures.count
            identical = count(.identical)
            otherValues = count(.otherValues)
            reordered = count(.reordered)
            otherGroups = count(.otherGroups)
            otherStatus = count(.otherStatus)
            failed = count(.failed)
            identicalShare = figures.identicalShare
            overlapAt10 = figures.meanOverlap
            recordedP50Microseconds = figures.recordedMicroseconds(ofPart: 0.5)
            recordedP99Microseconds = figures.recordedMicroseconds(ofPart: 0.99)
            p50Microseconds = figures.microseconds(ofPart: 0.5)
            p99Microseconds = figures.microseconds(ofPart: 0.99)
            roundTripP50Microseconds = figures.roundTripMicroseconds(ofPart: 0.5)
            roundTripP99Microseconds = figures.roundTripMicroseconds(ofPart: 0.99)
        }
    }

    /// An exchange with a difference.
    struct Worst: Encodable {
        var sequence: UInt64
        var method, target, difference: String
        var recordedStatus: Int
        var status: Int?
        var overlapAt10: Double?
        var came, went: [String]

        init(_ outcome: ReplayOutcome) {
            sequence = outcome.exchange.sequence
            method = outcome.exchange.method
            target = outcome.exchange.target
            difference = outcome.difference.kind.rawValue
            recordedStatus = outcome.exchange.status
            status = outcome.status
            overlapAt10 = outcome.difference.overlap
            came = outcome.difference.came
            went = outcome.difference.went
        }
    }

    /// The most added or removed groups that a line names.
    private static let namedLimit = 3

    var recordedBy: String
    /// The numbers of requests that were recorded, and that were played.
    var recorded: UInt64
    var played: Int
    var missing: UInt64
    var damagedPlaces: Int
    var cutFiles: [String]
    /// The differences between the daemon that recorded and the one that answers now.
    var differences: [String]
    var sessions, identicalSessions: Int
    var total: Route
    var routes: [Route]
    var leftOut: [String: Int]
    var worst: [Worst]
    var exceeded: [String]

    init(_ summary: ReplaySummary, header: TapeHeader, differences: [String], exceeded: [String]) {
        recordedBy = header.release
        (recorded, played) = (summary.tape.recordedCount, summary.total.count)
        (missing, damagedPlaces) = (summary.tape.missingCount, summary.tape.damagedCount)
        cutFiles = summary.tape.cutFiles
        self.differences = differences
        (sessions, identicalSessions) = summary.sessionCounts
        total = Route("all", summary.total)
        routes = summary.routes.sorted { $0.key < $1.key }.map { Route($0.key, $0.value) }
        leftOut = summary.leftOut
        worst = summary.worst.map(Worst.init)
        self.exceeded = exceeded
    }

    /// The lines for people.
    var lines: [String] {
        var lines = differences
        lines.append(
            "played \(played.grouped) of \(Int(clamping: recorded).grouped) recorded requests")
        lines += leftOut.sorted { $0.key < $1.key }.map { "not played, \($0.key): \($0.value.grouped)" }
        var table = TextTable(
            [ColumnHeading(title: "route", maximumWidth: 60)]
                + [
                    "requests", "identical", "other values", "reordered", "other groups", "status", "overlap@10",
                    "recorded p50", "p99", "now p50", "p99",
                ].map { ColumnHeading(title: $0, isNumber: true) })
        for route in routes + [total] { table.add(Self.cells(route)) }
        lines += table.lines
        if sessions > 0 {
            lines.append("\(identicalSessions.grouped) of \(sessions.grouped) sessions are identical")
        }
        guard !worst.isEmpty else { return lines }
        lines.append("those that differ most:")
        return lines + worst.map(Self.line)
    }

    private static func cells(_ route: Route) -> [String] {
        func milliseconds(_ microseconds: UInt64?) -> String {
            microseconds.map { Formats.fixed(Double($0) / 1000, 2) + " ms" } ?? "-"
        }
        return [
            route.route, route.count.grouped,
            route.identicalShare.map { Formats.fixed(($0 * 1000).rounded(.down) / 10, 1) + "%" } ?? "-",
            route.otherValues.grouped, route.reordered.grouped, route.otherGroups.grouped,
            (route.otherStatus + route.failed).grouped,
            route.overlapAt10.map { Formats.fixed($0, 3) } ?? "-", milliseconds(route.recordedP50Microseconds),
            milliseconds(route.recordedP99Microseconds), milliseconds(route.p50Microseconds),
            milliseconds(route.p99Microseconds),
        ]
    }

    private static func line(_ worst: Worst) -> String {
        var facts = [worst.difference]
        if worst.status != worst.recordedStatus {
            facts.append("\(worst.recordedStatus), now \(worst.status.map(String.init) ?? "no answer")")
        }
        if let overlap = worst.overlapAt10 { facts.append("overlap \(Formats.fixed(overlap, 2))") }
        for (word, groups) in [("came", worst.came), ("went", worst.went)] where !groups.isEmpty {
            let more = groups.count > namedLimit ? ", …" : ""
            facts.append("\(word): " + groups.prefix(namedLimit).joined(separator: ", ") + more)
        }
        return printable("#\(worst.sequence) \(worst.method) \(worst.target): " + facts.joined(separator: "; "))
    }
}
