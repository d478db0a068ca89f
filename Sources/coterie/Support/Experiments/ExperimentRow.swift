import Answers
import Basics
import Experiments

/// An experiment in the output of "experiment list".
struct ExperimentRow: Answer {
    let definition: ExperimentDefinition
    /// The state: `defined`, `waiting`, `running`, `over` or `stopped`.
    let state: String
    /// The entry of the register; nil if it was not started.
    var entry: ExperimentRegister.Entry?
    /// Whether the definition in the file differs from the one that was started.
    var differs = false

    /// Returns the started experiments in the order of their start, then the others of the file.
    static func all(
        _ register: ExperimentRegister, defined: [ExperimentDefinition], atMilliseconds now: Int64
    ) -> [ExperimentRow] {
        let started = register.entries.map { entry in
            ExperimentRow(
                definition: entry.definition, state: state(of: entry, atMilliseconds: now), entry: entry,
                differs: defined.contains { $0.name == entry.definition.name && $0 != entry.definition })
        }
        let others = defined.filter { register[$0.name] == nil }
        return started + others.map { ExperimentRow(definition: $0, state: "defined") }
    }

    private static func state(of entry: ExperimentRegister.Entry, atMilliseconds now: Int64) -> String {
        if entry.stoppedAtMilliseconds != nil { return "stopped" }
        if entry.runs(atMilliseconds: now) { return "running" }
        return now / 1000 < entry.definition.startsAt ?? .min ? "waiting" : "over"
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", \.definition.name, "Its name", column: .text("experiment"))
        fields.column(Column("state") { $0.differs ? "\($0.state), file differs" : $0.state })
        fields.column(Column("started") { Formats.time(milliseconds: $0.entry?.startedAtMilliseconds) })
        fields.always("state", \.state, "What it does: defined, waiting, running, over or stopped")
        fields.always("layer", \.definition.layer, "The layer that divides its members", column: .text("layer"))
        fields.column(Column("part") { "\($0.definition.from)–\($0.definition.to)" })
        fields.always("from", \.definition.from, "Where its part of the layer begins")
        fields.always("to", \.definition.to, "Where its part of the layer ends")
        fields.always("arms", { StoredDocument(content: $0.definition.arms) }, "Its arms, as the definition has them")
        fields.column(Column("arms") { $0.definition.arms.map(\.name).joined(separator: ", ") })
        fields.sometimes("startedAtMilliseconds", \.entry?.startedAtMilliseconds, "When it began; if it did")
        fields.sometimes("stoppedAtMilliseconds", \.entry?.stoppedAtMilliseconds, "When it was stopped; if it was")
        fields.sometimes("plan", { $0.definition.plan.map(StoredDocument.init) }, "Its plan; if it has one")
        fields.always("differs", \.differs, "Whether the definition in the file is another one")
    }
}
