import Answers
import Basics
import CommandLine
import Operations
import Service

/// The results of a replay, for people and as JSON.
struct ReplayOutput: Answer {
    /// The figures of a route.
    struct Route: Answer {
        let route: String
        let figures: ReplaySummary.Figures

        private func count(_ kind: Difference.Kind) -> Int { figures.counts[kind] ?? 0 }

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("route", \.route, "The route", column: .text("route", upTo: 60))
            fields.always("count", \.figures.count, "Requests that were played", column: .count("requests"))
            fields.always("identical", { $0.count(.identical) }, "Identical answers")
            fields.sometimes(
                "identicalShare", \.figures.identicalShare, "Their share; if any request was played",
                column: Column("identical", isNumber: true) { (share: Double) in
                    Formats.fixed((share * 1000).rounded(.down) / 10, 1) + "%"
                })
            fields.always(
                "otherValues", { $0.count(.otherValues) }, "Answers with the same groups and other values",
                column: .count("other values"))
            fields.always(
                "reordered", { $0.count(.reordered) }, "Answers with the same groups in another order",
                column: .count("reordered"))
            fields.always(
                "otherGroups", { $0.count(.otherGroups) }, "Answers with other groups", column: .count("other groups"))
            fields.always("otherStatus", { $0.count(.otherStatus) }, "Answers with another status")
            fields.always("failed", { $0.count(.failed) }, "Requests without an answer")
            fields.column(Column("status", isNumber: true, \.figures.statusChangeCount.grouped))
            fields.sometimes(
                "overlapAt10", \.figures.meanOverlap, "The share of the first ten groups that are the same",
                column: .fixed("overlap@10", 3))
            let (median, most) = (0.5, 0.99)
            fields.sometimes(
                "recordedP50Microseconds", { $0.figures.recordedMicroseconds(ofPart: median) },
                "The median of the recorded times", column: .milliseconds("recorded p50"))
            fields.sometimes(
                "recordedP99Microseconds", { $0.figures.recordedMicroseconds(ofPart: most) }, "Their 99th percentile",
                column: .milliseconds("p99"))
            fields.sometimes(
                "p50Microseconds", { $0.figures.microseconds(ofPart: median) }, "The median of the times now",
                column: .milliseconds("now p50"))
            fields.sometimes(
                "p99Microseconds", { $0.figures.microseconds(ofPart: most) }, "Their 99th percentile",
                column: .milliseconds("p99"))
            fields.sometimes(
                "roundTripP50Microseconds", { $0.figures.roundTripMicroseconds(ofPart: median) },
                "The median with the network")
            fields.sometimes(
                "roundTripP99Microseconds", { $0.figures.roundTripMicroseconds(ofPart: most) },
                "The 99th percentile with the network")
        }
    }

    /// An exchange with a difference.
    struct Worst: Answer {
        let outcome: ReplayOutcome

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("sequence", \.outcome.exchange.sequence, "Its number on the tape")
            fields.always("method", \.outcome.exchange.method, "The method of the request")
            fields.always("target", \.outcome.exchange.target, "The path of the request")
            fields.always("difference", \.outcome.difference.kind.rawValue, "The kind of difference")
            fields.always("recordedStatus", \.outcome.exchange.status, "The recorded status")
            fields.sometimes("status", \.outcome.status, "The status now; if there was an answer")
            fields.sometimes("overlapAt10", \.outcome.difference.overlap, "The share of the first ten that is the same")
            fields.always("came", \.outcome.difference.came, "Groups that came")
            fields.always("went", \.outcome.difference.went, "Groups that went")
        }
    }

    /// The most added or removed groups that a line names.
    private static let namedLimit = 3

    let summary: ReplaySummary
    /// The program that recorded.
    let recordedBy: String
    /// The differences between the daemon that recorded and the one that answers now.
    let differences: [String]
    /// The limits that were exceeded.
    let exceeded: [String]

    private var routes: [Route] {
        summary.routes.sorted { $0.key < $1.key }.map { Route(route: $0.key, figures: $0.value) }
    }
    private var total: Route { Route(route: "all", figures: summary.total) }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("recordedBy", \.recordedBy, "The program that recorded")
        fields.always("recorded", \.summary.tape.recordedCount, "Requests that were recorded")
        fields.always("played", \.summary.total.count, "Requests that were played")
        fields.always("missing", \.summary.tape.missingCount, "Requests that the tape lacks")
        fields.always("damagedPlaces", \.summary.tape.damagedCount, "Damaged places of the tape")
        fields.always("cutFiles", \.summary.tape.cutFiles, "Files that are not whole")
        fields.always("differences", \.differences, "What differs between the daemons of then and now")
        fields.always("sessions", { $0.summary.sessionCounts.0 }, "Sessions")
        fields.always("identicalSessions", { $0.summary.sessionCounts.1 }, "Sessions whose answers are identical")
        fields.always("total", \.total, "The figures of all routes")
        fields.always("routes", \.routes, "The figures of each route")
        fields.always("leftOut", \.summary.leftOut, "Requests that were not played, by the reason")
        fields.always("worst", { $0.summary.worst.map(Worst.init) }, "The answers that differ most")
        fields.always("exceeded", \.exceeded, "Limits that were exceeded")
    }

    var lines: [String] {
        var lines = differences
        lines.append(
            "played \(summary.total.count.grouped) of \(summary.tape.recordedCount.grouped) recorded requests")
        lines += summary.leftOut.sorted { $0.key < $1.key }.map { "not played, \($0.key): \($0.value.grouped)" }
        lines += TextTable(AnswerTable(routes + [total])).lines
        let (sessions, identicalSessions) = summary.sessionCounts
        if sessions > 0 {
            lines.append("\(identicalSessions.grouped) of \(sessions.grouped) sessions are identical")
        }
        guard !summary.worst.isEmpty else { return lines }
        lines.append("those that differ most:")
        return lines + summary.worst.map(Self.line)
    }

    private static func line(_ worst: ReplayOutcome) -> String {
        let (recorded, difference) = (worst.exchange, worst.difference)
        var facts = [difference.kind.rawValue]
        if worst.status != recorded.status {
            facts.append("\(recorded.status), now \(worst.status.map(String.init) ?? "no answer")")
        }
        if let overlap = difference.overlap { facts.append("overlap \(Formats.fixed(overlap, 2))") }
        for (word, groups) in [("came", difference.came), ("went", difference.went)] where !groups.isEmpty {
            let more = groups.count > namedLimit ? ", …" : ""
            facts.append("\(word): " + groups.prefix(namedLimit).joined(separator: ", ") + more)
        }
        return "#\(recorded.sequence) \(recorded.method) \(recorded.target): " + facts.joined(separator: "; ")
    }
}

extension Column where Value == UInt64 {
    /// Returns a column of times in microseconds: `1.25 ms`.
    fileprivate static func milliseconds(_ title: String) -> Self {
        Self(title, isNumber: true) { Formats.fixed(Double($0) / 1000, 2) + " ms" }
    }
}
