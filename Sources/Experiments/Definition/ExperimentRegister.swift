import Basics

/// The experiments that a site has started and stopped; all daemons of a store follow the register.
///
/// An experiment is kept as it was when it was started: a later edit of its file changes nothing that runs.
package struct ExperimentRegister: Sendable, Equatable, Codable {
    /// An experiment that was started.
    package struct Entry: Sendable, Equatable, Codable {
        /// The definition that was started.
        package var definition: ExperimentDefinition
        /// The time of the start, in Unix milliseconds.
        package var startedAtMilliseconds: Int64
        /// The time at which it was stopped in Unix milliseconds, or `nil` while it runs.
        package var stoppedAtMilliseconds: Int64?

        /// The time from which on it assigns members, in Unix milliseconds.
        package var beginsAtMilliseconds: Int64 {
            max(startedAtMilliseconds, (definition.startsAt ?? .min / 1000) * 1000)
        }

        /// Returns whether the experiment assigns members at an instant, in Unix milliseconds.
        package func runs(atMilliseconds instant: Int64) -> Bool {
            stoppedAtMilliseconds == nil && definition.runs(atSeconds: instant / 1000)
        }
    }

    /// The part of all members who take part in no experiment, 0 to below 1.
    ///
    /// A member belongs to the holdout if the member's bucket of `holdoutSeed` is below this part.
    package var holdout = 0.0
    /// The experiments, in the order in which they were started.
    package private(set) var entries: [Entry] = []

    package init() {}

    /// The seed of the holdout's buckets.
    package static let holdoutSeed = "__holdout"
    /// The greatest number of experiments that are kept.
    package static let limit = 1000

    /// The experiment of a name, or `nil` if none of that name was started.
    package subscript(name: String) -> Entry? { entries.first { $0.definition.name == name } }

    /// Starts an experiment.
    ///
    /// - Parameters:
    ///   - definition: a definition without a problem.
    ///   - instant: the present, in Unix milliseconds.
    /// - Returns: the reason why it cannot be started, or `nil` if it was.
    package mutating func start(_ definition: ExperimentDefinition, atMilliseconds instant: Int64) -> String? {
        if let entry = self[definition.name] {
            guard entry.stoppedAtMilliseconds == nil else {
                return "experiment \(definition.name) was stopped: start it under another name"
            }
            return entry.definition == definition
                ? "experiment \(definition.name) runs already"
                : """
                experiment \(definition.name) runs as it was started, and differs from the file: stop it, and start \
                what is new under another name
                """
        }
        if let missing = definition.missingPlan { return missing }
        if let end = definition.endsAt, end <= instant / 1000 {
            return "experiment \(definition.name) would be over at once: \"ends\" is in the past"
        }
        guard entries.count < Self.limit else {
            return "\(Self.limit) experiments are kept, and there is room for no more"
        }
        for running in entries.lazy.filter({ $0.stoppedAtMilliseconds == nil }).map(\.definition)
        where instant / 1000 < running.endsAt ?? .max {
            if let conflict = definition.conflict(with: running) { return conflict }
        }
        entries.append(Entry(definition: definition, startedAtMilliseconds: instant))
        return nil
    }

    /// Stops an experiment.
    ///
    /// - Returns: whether it ran.
    package mutating func stop(_ name: String, atMilliseconds instant: Int64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.definition.name == name }),
            entries[index].stoppedAtMilliseconds == nil
        else { return false }
        entries[index].stoppedAtMilliseconds = instant
        return true
    }
}

extension ExperimentDefinition {
    /// Returns the reason why the experiment cannot run beside another one, or `nil` if it can.
    fileprivate func conflict(with running: ExperimentDefinition) -> String? {
        if layer == running.layer {
            guard running.from < to, from < running.to else { return nil }
            return "experiment \(running.name) runs in the layer \(running.layer) with some of the same members"
        }
        guard seed != running.seed else {
            return """
                experiment \(running.name) of the layer \(running.layer) runs with the same seed: its arms would have the \
                same members, and nobody could tell what made a difference. Give another seed
                """
        }
        guard !versions.isEmpty, !running.versions.isEmpty else { return nil }
        return """
            experiment \(running.name) of the layer \(running.layer) names versions as well, and a list is made from \
            one: give both the same layer
            """
    }
}

extension ExperimentRegister {
    /// Returns the register as it was at an instant, in Unix milliseconds.
    ///
    /// The holdout is the present one: earlier ones are not kept.
    package func asOf(_ instant: Int64) -> ExperimentRegister {
        var register = self
        register.entries = entries.filter { $0.startedAtMilliseconds <= instant }.map { entry in
            var entry = entry
            if let stopped = entry.stoppedAtMilliseconds, stopped > instant { entry.stoppedAtMilliseconds = nil }
            return entry
        }
        return register
    }

    /// Sets the part of the members who take part in nothing; it cannot change while an experiment runs.
    ///
    /// - Parameter holdout: the part, 0 to below 1.
    /// - Returns: the reason why it cannot be set, or `nil` if it was.
    package mutating func setHoldout(_ holdout: Double) -> String? {
        guard holdout != self.holdout else { return nil }
        if let running = entries.first(where: { $0.stoppedAtMilliseconds == nil }) {
            return """
                the holdout is \(self.holdout) for as long as experiment \(running.definition.name) runs: \
                stop that, or give the same
                """
        }
        self.holdout = holdout
        return nil
    }
}

extension ExperimentRegister {
    /// The register as JSON, as stores keep it.
    package var encoded: [UInt8] {
        guard let json = try? JSON.encoded(self, isIndented: true) else {
            preconditionFailure("a register has finite numbers only")
        }
        return json
    }

    /// Reads the JSON of `encoded`, or returns `nil` if it is something else or from another program.
    ///
    /// - Parameter text: the JSON, or `nil` for a register without experiments.
    package init?(encoded text: [UInt8]?) {
        guard let text else {
            self.init()
            return
        }
        guard let register = try? JSON.decoded(ExperimentRegister.self, from: text) else { return nil }
        self = register
    }
}
