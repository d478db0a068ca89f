/// The arm of an experiment that a member is in.
public struct AssignedArm: Sendable, Hashable, Codable {
    /// The experiment's name.
    public let experiment: String
    /// The arm's name.
    public let arm: String

    /// The arm of everybody in an experiment whose arms' lists are interleaved.
    public static let interleaved = "interleaved"

    /// An arm.
    public init(_ experiment: String, _ arm: String) {
        self.experiment = experiment
        self.arm = arm
    }
}

/// Assigns members to arms; the same register gives the same arms everywhere.
///
/// - Complexity: two hashes of a member's id for each experiment, and one for the holdout.
public struct Assigner: Sendable {
    private struct Experiment: Sendable {
        let entry: ExperimentRegister.Entry
        let arms: ArmTable
        let layerRange: Range<UInt32>
        let names: [AssignedArm]
    }

    private let experiments: [Experiment]
    private let holdoutEnd: UInt32

    /// Whether there is no experiment that could run.
    public var isEmpty: Bool { experiments.isEmpty }

    /// Assigns to what is not stopped.
    public init(_ register: ExperimentRegister) {
        holdoutEnd = ArmTable.bucket(at: register.holdout)
        experiments = register.entries.filter { $0.stoppedAtMilliseconds == nil }.map { entry in
            let definition = entry.definition
            return Experiment(
                entry: entry, arms: ArmTable(weights: definition.weights),
                layerRange: ArmTable.bucket(at: definition.from)..<ArmTable.bucket(at: definition.to),
                names: definition.arms.map { AssignedArm(definition.name, $0.name) })
        }
    }

    /// The arms of a member, in the order in which the experiments were started.
    ///
    /// - Parameters:
    ///   - groupCount: the number of groups that the member is in.
    ///   - instant: Unix milliseconds.
    public func arms(ofMember id: String, groupCount: Int, atMilliseconds instant: Int64) -> [AssignedArm] {
        // Most sites run nothing most of the time.
        guard !experiments.isEmpty else { return [] }
        if holdoutEnd > 0, MemberBucket(seed: ExperimentRegister.holdoutSeed, memberID: id).index < holdoutEnd {
            return []
        }
        var isInterleaved = false
        return experiments.compactMap { experiment in
            let definition = experiment.entry.definition
            guard experiment.entry.runs(atMilliseconds: instant),
                experiment.layerRange.contains(MemberBucket(seed: definition.layerSeed, memberID: id).index),
                definition.eligibility.includes(memberID: id, groupCount: groupCount)
            else { return nil }
            if definition.isInterleaved {
                // A list can be drafted from two, not from four.
                guard !isInterleaved else { return nil }
                isInterleaved = true
                return AssignedArm(definition.name, AssignedArm.interleaved)
            }
            return experiment.names[experiment.arms.arm(of: MemberBucket(seed: definition.seed, memberID: id))]
        }
    }

    /// The settings of the two lists that one is drafted from, and the seed of the draft; nil if none of the arms is
    /// interleaved.
    public func interleaved(_ arms: [AssignedArm]) -> (first: [String: Double], second: [String: Double], seed: String)?
    {
        for assigned in arms where assigned.arm == AssignedArm.interleaved {
            let entry = experiments.first { $0.entry.definition.name == assigned.experiment }?.entry
            guard let definition = entry?.definition, definition.isInterleaved else { continue }
            let others = settings(of: arms)
            let lists = definition.arms.map { others.merging($0.settings) { $1 } }
            return (lists[0], lists[1], definition.seed)
        }
        return nil
    }

    /// The settings of arms, one over the other.
    public func settings(of arms: [AssignedArm]) -> [String: Double] {
        var values: [String: Double] = [:]
        for assigned in arms {
            for experiment in experiments where experiment.entry.definition.name == assigned.experiment {
                let arm = experiment.entry.definition.arms.first { $0.name == assigned.arm }
                values.merge(arm?.settings ?? [:]) { $1 }
            }
        }
        return values
    }
}
