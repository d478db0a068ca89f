import Foundation

/// A dashboard of Grafana, made from the metrics of a daemon and of the jobs: a panel for each family.
///
/// Durations of answers have a second panel: the answers a second by status.
///
/// The names, the help and the types are those that Prometheus reads, so a new metric is a new panel.
struct Dashboard {
    /// A family of metrics: its lines `# HELP` and `# TYPE`.
    private struct Family {
        var name, help, type: String
        var labels: [String]

        /// The family of durations, and the number of them by status.
        var panels: [Family] {
            type != "histogram"
                ? [self]
                : [self, Family(name: name, help: "Answers a second, by status.", type: "count", labels: ["status"])]
        }
    }

    /// The rows of the dashboard: the families whose names begin so are in them.
    private static let rows: [(title: String, prefixes: [String])] = [
        ("Versions", ["coterie_build", "coterie_model", "coterie_degraded", "coterie_store"]),
        ("Requests", ["coterie_http", "coterie_answer_cache"]),
        ("Members", ["coterie_recording", "coterie_interactions", "coterie_sessions", "coterie_exp"]),
        ("Several daemons", ["coterie_stream", "coterie_outbox"]),
        ("Jobs", ["coterie_recompute", "coterie_check"]),
        ("The daemon", ["coterie_"]),
    ]
    private static let source = ["type": "prometheus", "uid": "${datasource}"]

    private let families: [Family]

    /// Reads texts in the format of Prometheus, in which no family comes twice.
    init(metrics texts: [String]) {
        families = texts.flatMap { text in
            let lines = text.split(separator: "\n")
            return lines.compactMap { line -> Family? in
                let words = line.split(separator: " ", maxSplits: 3).map(String.init)
                guard words.count == 4, words[1] == "HELP" else { return nil }
                let type = lines.first { $0.hasPrefix("# TYPE \(words[2]) ") }.map { $0.split(separator: " ")[3] }
                let sample = lines.first { $0.hasPrefix(words[2] + "{") }
                let labels = sample?.matches(of: /([a-z]+)="/).map { String($0.output.1) } ?? []
                return Family(name: words[2], help: words[3], type: type.map(String.init) ?? "", labels: labels)
            }
        }
    }

    /// The names of all families.
    var names: [String] { families.map(\.name) }

    /// The JSON that Grafana imports, with keys in alphabetical order, and a line feed at the end.
    func json() throws -> String {
        var panels: [[String: Any]] = []
        var left = families
        var top = 0
        for row in Self.rows {
            let own = left.filter { family in row.prefixes.contains { family.name.hasPrefix($0) } }
            left.removeAll { family in own.contains { $0.name == family.name } }
            panels.append([
                "type": "row", "title": row.title, "collapsed": false, "panels": [Any](), "id": panels.count + 1,
                "gridPos": ["x": 0, "y": top, "w": 24, "h": 1],
            ])
            let shown = own.flatMap(\.panels)
            for (index, family) in shown.enumerated() {
                let position = ["x": index % 3 * 8, "y": top + 1 + index / 3 * 7, "w": 8, "h": 7]
                panels.append(Self.panel(family, id: panels.count + 1, position))
            }
            top += 1 + (shown.count + 2) / 3 * 7
        }
        let board: [String: Any] = [
            "title": "Coterie", "uid": "coterie", "schemaVersion": 36, "editable": true, "refresh": "30s",
            "time": ["from": "now-6h", "to": "now"], "panels": panels,
            "templating": [
                "list": [
                    ["name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"],
                    [
                        "name": "instance", "type": "query", "datasource": Self.source, "includeAll": true,
                        "multi": true, "allValue": ".*", "refresh": 2, "label": "Machine",
                        "query": "label_values({__name__=~\"coterie_build_info|coterie_recompute_.*\"}, instance)",
                    ],
                ]
            ],
        ]
        let data = try JSONSerialization.data(
            withJSONObject: board, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func panel(_ family: Family, id: Int, _ position: [String: Int]) -> [String: Any] {
        let (expression, legend) = query(of: family)
        let title = family.name.replacing("coterie_", with: "", maxReplacements: 1)
        return [
            "type": "timeseries", "id": id, "gridPos": position, "datasource": source,
            "title": family.type == "count" ? title.replacing("_duration_seconds", with: "s") : title,
            "description": family.help,
            "fieldConfig": ["defaults": ["unit": unit(of: family), "min": 0], "overrides": [Any]()],
            "targets": [["refId": "A", "datasource": source, "expr": expression, "legendFormat": legend]],
        ]
    }

    private static func query(of family: Family) -> (expression: String, legend: String) {
        let from = "{instance=~\"$instance\"}"
        let legend = (["instance"] + family.labels).map { "{{\($0)}}" }.joined(separator: " ")
        switch family.type {
        case "histogram":
            return (
                "histogram_quantile(0.99, sum by (instance, route, le) (rate(\(family.name)_bucket\(from)[5m])))",
                "{{instance}} {{route}}"
            )
        case "count":
            return ("sum by (instance, status) (rate(\(family.name)_count\(from)[5m]))", "{{instance}} {{status}}")
        case "counter": return ("rate(\(family.name)\(from)[5m])", legend)
        default:
            let isTime = family.name.hasSuffix("_timestamp_seconds")
            return (isTime ? "time() - \(family.name)\(from)" : family.name + from, legend)
        }
    }

    private static func unit(of family: Family) -> String {
        if family.type == "count" { return "cps" }
        if family.type == "counter" { return family.name.hasSuffix("_bytes_total") ? "Bps" : "cps" }
        if family.name.hasSuffix("_seconds") { return "s" }
        return family.name.hasSuffix("_bytes") ? "bytes" : "short"
    }
}
