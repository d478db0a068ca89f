public import Model

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

/// What an arm's lists are made with.
public struct ListChoice: Sendable, Equatable {
    /// The values of settings that differ from the daemon's own, by the names of `ListSetting`.
    public var settings: [String: Double] = [:]
    /// The model version; nil for the one that is current.
    public var version: VersionName?

    /// What members of no arm get.
    public init() {}
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
        let versions: Set<VersionName>
    }

    private let experiments: [Experiment]
    private let holdoutEnd: UInt32

    /// Whether there is no experiment that could run.
    public var isEmpty: Bool { experiments.isEmpty }
    /// The model versions that arms name.
    public var versions: Set<VersionName> { experiments.reduce(into: []) { $0.formUnion($1.versions) } }

    /// Assigns to what is not stopped.
    public init(_ register: ExperimentRegister) {
        holdoutEnd = ArmTable.bucket(at: register.holdout)
        experiments = register.entries.filter { $0.stoppedAtMilliseconds == nil }.map { entry in
            let definition = entry.definition
            return Experiment(
                entry: entry, arms: ArmTable(weights: definition.weights),
                layerRange: ArmTable.bucket(at: definition.from)..<ArmTable.bucket(at: definition.to),
                names: definition.arms.map { AssignedArm(definition.name, $0.name) }, versions: definition.versions)
        }
    }

    /// The arms of a member, in the order in which the experiments were started.
    ///
    /// - Parameters:
    ///   - groupCount: the number of groups that the member is in.
    ///   - knownSince: since when the member is in groups, in Unix milliseconds; nil if that is not known.
    ///   - instant: Unix milliseconds.
    ///   - isServed: whether lists can be made from a version; an experiment one of whose versions cannot assigns
    ///     nobody, as the arms would not be what they say.
    public func arms(
        ofMember id: String, groupCount: Int, knownSinceMilliseconds knownSince: Int64? = nil,
        atMilliseconds instant: Int64,
        where isServed: (VersionName) -> Bool = { _ in true }
    ) -> [AssignedArm] {
        // Most sites run nothing most of the time.
        guard !experiments.isEmpty else { return [] }
        if holdoutEnd > 0, MemberBucket(seed: ExperimentRegister.holdoutSeed, memberID: id).index < holdoutEnd {
            return []
        }
        var isInterleaved = false
        return experiments.compactMap { experiment in
            let definition = experiment.entry.definition
            guard experiment.entry.runs(atMilliseconds: instant), experiment.versions.allSatisfy(isServed),
                experiment.layerRange.contains(MemberBucket(seed: definition.layerSeed, memberID: id).index),
                definition.eligibility.includes(
                    memberID: id, groupCount: groupCount, knownSinceMilliseconds: knownSince)
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

    /// What the two lists are made with that one is drafted from, and the seed of the draft; nil if none of the arms
    /// is interleaved.
    public func interleaved(_ arms: [AssignedArm]) -> (first: ListChoice, second: ListChoice, seed: String)? {
        for assigned in arms where assigned.arm == AssignedArm.interleaved {
            let entry = experiments.first { $0.entry.definition.name == assigned.experiment }?.entry
            guard let definition = entry?.definition, definition.isInterleaved else { continue }
            let others = choice(of: arms)
            let lists = definition.arms.map { others.adding($0) }
            return (lists[0], lists[1], definition.seed)
        }
        return nil
    }

    /// What the lists of a member of arms are made with, one arm over the other.
    public func choice(of arms: [AssignedArm]) -> ListChoice {
        var choice = ListChoice()
        for assigned in arms {
            for experiment in experiments where experiment.entry.definition.name == assigned.experiment {
                guard let arm = experiment.entry.definition.arms.first(where: { $0.name == assigned.arm }) else {
                    continue
                }
                choice = choice.adding(arm)
            }
        }
        return choice
    }
}

extension ListChoice {
    /// The same but for what an arm sets.
    fileprivate func adding(_ arm: ExperimentDefinition.Arm) -> ListChoice {
        var choice = self
        choice.settings.merge(arm.settings) { $1 }
        choice.version = arm.version ?? version
        return choice
    }
}

/// The arms of an experiment as ranges of buckets.
struct ArmTable: Sendable {
    /// The first bucket behind each arm.
    private let ends: [UInt32]

    /// Arms in proportion to weights above 0: each ends at the bucket ⌊10,000 × (sum up to it) ÷ (sum of all) + ½⌋.
    init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        var part = 0.0
        ends = weights.map { weight in
            part += weight
            return Self.bucket(at: part / sum)
        }
    }

    /// The arm of a bucket.
    func arm(of bucket: MemberBucket) -> Int { ends.firstIndex { bucket.index < $0 } ?? ends.count - 1 }

    /// The first bucket that is not below a fraction, to the nearest.
    static func bucket(at fraction: Double) -> UInt32 {
        UInt32((Double(MemberBucket.count) * fraction + 0.5).rounded(.down))
    }
}

/// Where a member stands between 0 and 1 in an experiment: the same on every daemon and in every language.
///
/// fnv1a32(decimal(fnv1a32(seed + id))) mod 10,000, of 10,000; texts are UTF-8. It is the hash, version 2, of
/// GrowthBook's SDKs, so that a client that uses them comes to the same arm.
public struct MemberBucket: Sendable, Comparable {
    /// How many buckets there are.
    public static let count: UInt32 = 10_000

    /// 0 to 9,999.
    public let index: UInt32

    /// The bucket of a member.
    public init(seed: String, memberID: String) {
        var first = FNVHash()
        first.add(seed.utf8)
        first.add(memberID.utf8)
        var second = FNVHash()
        second.add(decimal: first.value)
        index = second.value % Self.count
    }

    /// A fraction, 0 to .9999.
    public var fraction: Double { Double(index) / Double(Self.count) }

    /// In the order of their indexes.
    public static func < (first: MemberBucket, second: MemberBucket) -> Bool { first.index < second.index }
}

/// FNV-1a of 32 bits (Fowler, Noll and Vo; RFC 9923).
private struct FNVHash {
    private(set) var value: UInt32 = 0x811c_9dc5

    mutating func add(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 0x0100_0193 }

    mutating func add(_ bytes: String.UTF8View) {
        for byte in bytes { add(byte) }
    }

    /// The digits of a number, without making a text of it.
    mutating func add(decimal number: UInt32) {
        var divisor: UInt32 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            add(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
