import Answers
import Basics
import Experiments

/// An experiment in the output of "experiment list".
struct ExperimentRow: Encodable {
    var name: String
    /// The state: `defined`, `waiting`, `running`, `over` or `stopped`.
    var state: String
    var layer: String
    var from, to: Double
    var arms: [ExperimentDefinition.Arm]
    var startedAtMilliseconds, stoppedAtMilliseconds: Int64?
    /// The plan, or `nil` for a definition without one.
    var plan: ExperimentPlan?
    /// Whether the definition in the file differs from the one that was started.
    var differs: Bool

    /// Returns the started experiments in the order of their start, then the others of the file.
    static func all(
        _ register: ExperimentRegister, defined: [ExperimentDefinition], atMilliseconds now: Int64
    ) -> [ExperimentRow] {
        let started = register.entries.map { entry in
            let definition = entry.definition
            let other = defined.first { $0.name == definition.name }
            return ExperimentRow(
                definition, state(of: entry, atMilliseconds: now), startedAt: entry.startedAtMilliseconds,
                stoppedAt: entry.stoppedAtMilliseconds, differs: other.map { $0 != definition } ?? false)
        }
        return started
            + defined.filter { register[$0.name] == nil }.map {
                ExperimentRow($0, "defined", startedAt: nil, stoppedAt: nil, differs: false)
            }
    }

    private init(
        _ definition: ExperimentDefinition, _ state: String, startedAt: Int64?, stoppedAt: Int64?, differs: Bool
    ) {
        name = definition.name
        self.state = state
        layer = definition.layer
        (from, to) = (definition.from, definition.to)
        arms = definition.arms
        (startedAtMilliseconds, stoppedAtMilliseconds) = (startedAt, stoppedAt)
        plan = definition.plan
        self.differs = differs
    }

    private static func state(of entry: ExperimentRegister.Entry, atMilliseconds now: Int64) -> String {
        if entry.stoppedAtMilliseconds != nil { return "stopped" }
        if entry.runs(atMilliseconds: now) { return "running" }
        return now / 1000 < entry.definition.startsAt ?? .min ? "waiting" : "over"
    }

    static func table(_ rows: [ExperimentRow]) -> [String] {
        guard !rows.isEmpty else { return [] }
        var table = TextTable([
            .init(title: "experiment"), .init(title: "state"), .init(title: "started"), .init(title: "layer"),
            .init(title: "part"), .init(title: "arms"),
        ])
        for row in rows {
            let started = row.startedAtMilliseconds.flatMap { UnixTime(seconds: $0 / 1000)?.description } ?? "-"
            table.add([
                row.name, row.differs ? "\(row.state), file differs" : row.state, started, row.layer,
                "\(row.from)–\(row.to)", row.arms.map(\.name).joined(separator: ", "),
            ])
        }
        return table.lines
    }
}
