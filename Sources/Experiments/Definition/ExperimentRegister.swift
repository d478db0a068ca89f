import FoundationEssentials

/// The experiments that a site has started, and those that it has stopped: what all daemons of a store go by.
///
/// What was started is kept as it was then: a file that is edited later changes nothing that runs.
public struct ExperimentRegister: Sendable, Equatable, Codable {
    /// An experiment that was started.
    public struct Entry: Sendable, Equatable, Codable {
        /// What was started.
        public var definition: ExperimentDefinition
        /// When, in Unix milliseconds.
        public var startedAtMilliseconds: Int64
        /// When it was stopped, in Unix milliseconds; nil while it runs.
        public var stoppedAtMilliseconds: Int64?

        /// Whether it assigns members at an instant, in Unix milliseconds.
        public func runs(atMilliseconds instant: Int64) -> Bool {
            stoppedAtMilliseconds == nil && definition.runs(atSeconds: instant / 1000)
        }
    }

    /// The part of all members who take part in no experiment, 0 to below 1: those whose bucket of `holdoutSeed` is
    /// below it.
    public var holdout = 0.0
    /// In the order in which they were started.
    public private(set) var entries: [Entry] = []

    /// Without experiments.
    public init() {}

    /// The seed of the holdout's buckets.
    public static let holdoutSeed = "__holdout"
    /// The most experiments that are kept.
    public static let limit = 1000

    /// An experiment that was started; nil if none of that name was.
    public subscript(name: String) -> Entry? { entries.first { $0.definition.name == name } }

    /// Starts an experiment.
    ///
    /// - Parameters:
    ///   - definition: without a problem.
    ///   - instant: Unix milliseconds.
    /// - Returns: why that cannot be done; nil if it is done.
    public mutating func start(_ definition: ExperimentDefinition, atMilliseconds instant: Int64) -> String? {
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
    public mutating func stop(_ name: String, atMilliseconds instant: Int64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.definition.name == name }),
            entries[index].stoppedAtMilliseconds == nil
        else { return false }
        entries[index].stoppedAtMilliseconds = instant
        return true
    }
}

extension ExperimentDefinition {
    /// Why it cannot run beside another one; nil if it can.
    fileprivate func conflict(with running: ExperimentDefinition) -> String? {
        if layer == running.layer {
            guard running.from < to, from < running.to else { return nil }
            return "experiment \(running.name) runs in the layer \(running.layer) with some of the same members"
        }
        guard !versions.isEmpty, !running.versions.isEmpty else { return nil }
        return """
            experiment \(running.name) of the layer \(running.layer) names versions as well, and a list is made from \
            one: give both the same layer
            """
    }
}

extension ExperimentRegister {
    /// Sets the part of the members who take part in nothing, which stays as it is while anything runs.
    ///
    /// - Parameter holdout: 0 to below 1.
    /// - Returns: why that cannot be done; nil if it is done.
    public mutating func setHoldout(_ holdout: Double) -> String? {
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
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("a register has finite numbers only") }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// Reads what `encoded` gave; nil if it is something else, or of another program.
    ///
    /// - Parameter text: nil for a register without experiments.
    public init?(encoded text: [UInt8]?) {
        guard let text else {
            self.init()
            return
        }
        guard let register = try? JSONDecoder().decode(ExperimentRegister.self, from: Data(text)) else { return nil }
        self = register
    }
}
