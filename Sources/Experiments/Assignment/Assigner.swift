package import Model

/// The arm of an experiment that a member is in.
package struct AssignedArm: Sendable, Hashable, Codable {
    /// The experiment's name.
    package let experiment: String
    /// The arm's name.
    package let arm: String

    /// The arm of everybody in an experiment that interleaves its arms' lists.
    package static let interleaved = "interleaved"

    package init(_ experiment: String, _ arm: String) {
        self.experiment = experiment
        self.arm = arm
    }
}

/// The settings and the model version of an arm's lists.
package struct ListChoice: Sendable, Equatable {
    /// The settings that differ from the daemon's own, by the names of `ListSetting`.
    package var settings: [String: Double] = [:]
    /// The model version, or `nil` for the current one.
    package var version: VersionName?

    package init() {}
}

/// Assigns members to arms; the same register gives the same arms everywhere.
///
/// - Complexity: two hashes of a member's id for each experiment, and one for the holdout.
package struct Assigner: Sendable {
    private struct Experiment: Sendable {
        let entry: ExperimentRegister.Entry
        let arms: ArmTable
        let layerRange: Range<UInt32>
        let names: [AssignedArm]
        let versions: Set<VersionName>

        func arm(_ name: String) -> AssignedArm? { names.first { $0.arm == name } }
    }

    private let experiments: [Experiment]
    private let holdoutEnd: UInt32

    /// Whether there is no experiment that could run.
    package var isEmpty: Bool { experiments.isEmpty }
    /// The model versions that arms name.
    package var versions: Set<VersionName> { experiments.reduce(into: []) { $0.formUnion($1.versions) } }

    package init(_ register: ExperimentRegister) {
        holdoutEnd = ArmTable.bucket(at: register.holdout)
        experiments = register.entries.filter { $0.stoppedAtMilliseconds == nil }.map { entry in
            let definition = entry.definition
            return Experiment(
                entry: entry, arms: ArmTable(weights: definition.weights),
                layerRange: ArmTable.bucket(at: definition.from)..<ArmTable.bucket(at: definition.to),
                names: definition.arms.map { AssignedArm(definition.name, $0.name) }, versions: definition.versions)
        }
    }

    /// Returns the arms of a member, in the order in which the experiments were started.
    ///
    /// - Parameters:
    ///   - knownSince: the time of the member's first membership in Unix milliseconds, or `nil` if it is not known.
    ///   - instant: the present, in Unix milliseconds.
    ///   - shown: the arm of each experiment that the member was shown under an earlier id, which stays.
    ///   - isServed: whether lists can be made from a version. An experiment with a version that is not served assigns
    ///     nobody, because its arms would not get the lists that they define.
    package func arms(
        ofMember id: String, groupCount: Int, knownSinceMilliseconds knownSince: Int64? = nil,
        shown: [String: String] = [:], atMilliseconds instant: Int64,
        where isServed: (VersionName) -> Bool = { _ in true }
    ) -> [AssignedArm] {
        // Most sites run nothing most of the time.
        guard !experiments.isEmpty else { return [] }
        let isHeldOut =
            holdoutEnd > 0 && MemberBucket(seed: ExperimentRegister.holdoutSeed, memberID: id).index < holdoutEnd
        if isHeldOut, shown.isEmpty { return [] }
        let running = experiments.filter {
            $0.entry.runs(atMilliseconds: instant) && $0.versions.allSatisfy(isServed)
        }
        // A member is in one experiment of a layer, also if two ids were in two of them.
        var kept: [String: String] = [:]
        for definition in running.map(\.entry.definition) where shown[definition.name] != nil {
            if kept[definition.layer] == nil { kept[definition.layer] = definition.name }
        }
        var isInterleaved = false
        return running.compactMap { experiment in
            let definition = experiment.entry.definition
            let stays = kept[definition.layer].map { $0 == definition.name }
            if stays == true, !definition.isInterleaved { return shown[definition.name].flatMap(experiment.arm) }
            guard
                stays
                    ?? (!isHeldOut
                        && experiment.layerRange.contains(MemberBucket(seed: definition.layerSeed, memberID: id).index)
                        && definition.eligibility.includes(
                            memberID: id, groupCount: groupCount, knownSinceMilliseconds: knownSince))
            else { return nil }
            if definition.isInterleaved {
                // A list can be drafted from two lists, not from four.
                guard !isInterleaved else { return nil }
                isInterleaved = true
                return AssignedArm(definition.name, AssignedArm.interleaved)
            }
            return experiment.names[experiment.arms.arm(of: MemberBucket(seed: definition.seed, memberID: id))]
        }
    }

    /// Returns the two choices for an interleaved list and the seed of the draft, or `nil` if no arm is interleaved.
    package func interleaved(_ arms: [AssignedArm]) -> (first: ListChoice, second: ListChoice, seed: String)? {
        for assigned in arms where assigned.arm == AssignedArm.interleaved {
            let entry = experiments.first { $0.entry.definition.name == assigned.experiment }?.entry
            guard let definition = entry?.definition, definition.isInterleaved else { continue }
            let others = choice(of: arms)
            let lists = definition.arms.map { others.adding($0) }
            return (lists[0], lists[1], definition.seed)
        }
        return nil
    }

    /// Returns the choice for a member of some arms; later arms override earlier ones.
    package func choice(of arms: [AssignedArm]) -> ListChoice {
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
    /// Returns the same choice with everything that an arm sets.
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

    /// Divides the buckets in proportion to weights above 0.
    ///
    /// Each arm ends at the bucket ⌊10,000 × (sum of the weights up to it) ÷ (sum of all) + ½⌋.
    init(weights: [Double]) {
        let sum = weights.reduce(0, +)
        var part = 0.0
        ends = weights.map { weight in
            part += weight
            return Self.bucket(at: part / sum)
        }
    }

    /// The first arm without a bucket, or nil if each has one.
    var emptyArm: Int? { zip([0] + ends, ends).enumerated().first { $1.0 >= $1.1 }?.offset }

    func arm(of bucket: MemberBucket) -> Int { ends.firstIndex { bucket.index < $0 } ?? ends.count - 1 }

    /// Returns the number of buckets in a fraction of all, rounded to the nearest; 0 for one that is no number.
    static func bucket(at fraction: Double) -> UInt32 {
        let place = (Double(MemberBucket.count) * fraction + 0.5).rounded(.down)
        return place > 0 ? UInt32(min(place, Double(MemberBucket.count))) : 0
    }
}

/// A member's position between 0 and 1 in an experiment: the same on every daemon and in every language.
///
/// The bucket is fnv1a32(decimal(fnv1a32(seed + id))) mod 10,000, of 10,000; texts are UTF-8. GrowthBook's SDKs have
/// the same hash as version 2, so a client that uses them finds the same arm.
package struct MemberBucket: Sendable, Comparable {
    package static let count: UInt32 = 10_000

    /// The number of the bucket, 0 to 9,999.
    package let index: UInt32

    package init(seed: String, memberID: String) {
        var first = FNVHash()
        first.add(seed.utf8)
        first.add(memberID.utf8)
        var second = FNVHash()
        second.add(decimal: first.value)
        index = second.value % Self.count
    }

    /// Returns whether the index of one bucket is below that of another.
    package static func < (first: MemberBucket, second: MemberBucket) -> Bool { first.index < second.index }
}

/// FNV-1a of 32 bits (Fowler, Noll and Vo; RFC 9923).
private struct FNVHash {
    private(set) var value: UInt32 = 0x811c_9dc5

    mutating func add(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 0x0100_0193 }

    mutating func add(_ bytes: String.UTF8View) {
        for byte in bytes { add(byte) }
    }

    /// Adds the decimal digits of a number, without making a text of them.
    mutating func add(decimal number: UInt32) {
        var divisor: UInt32 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            add(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
