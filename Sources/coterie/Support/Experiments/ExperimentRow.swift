import Answers
import Basics
import Experiments

/// An experiment in the output of "experiment list".
struct ExperimentRow: Answer {
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

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", \.name, "Its name", column: .text("experiment"))
        fields.column(Column("state") { $0.differs ? "\($0.state), file differs" : $0.state })
        fields.column(Column("started") { Formats.time(milliseconds: $0.startedAtMilliseconds) })
        fields.always("state", \.state, "What it does: defined, waiting, running, over or stopped")
        fields.always("layer", \.layer, "The layer that divides its members", column: .text("layer"))
        fields.column(Column("part") { "\($0.from)–\($0.to)" })
        fields.always("from", \.from, "Where its part of the layer begins")
        fields.always("to", \.to, "Where its part of the layer ends")
        fields.always("arms", { StoredDocument(content: $0.arms) }, "Its arms, as the definition has them")
        fields.column(Column("arms") { $0.arms.map(\.name).joined(separator: ", ") })
        fields.sometimes("startedAtMilliseconds", \.startedAtMilliseconds, "When it began; if it did")
        fields.sometimes("stoppedAtMilliseconds", \.stoppedAtMilliseconds, "When it was stopped; if it was")
        fields.sometimes("plan", { $0.plan.map(StoredDocument.init) }, "Its plan; if it has one")
        fields.always("differs", \.differs, "Whether the definition in the file is another one")
    }
}
