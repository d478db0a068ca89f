public import Model

/// An experiment as it is defined: who takes part, and what each part of them gets.
///
/// Everything that a member's arm follows from is in it, so that every daemon comes to the same arm without asking.
public struct ExperimentDefinition: Sendable, Equatable, Codable {
    /// What a part of the members gets.
    public struct Arm: Sendable, Equatable, Codable {
        /// Its name, unique in the experiment.
        public var name: String
        /// How many members it gets, in proportion to the other arms' weights; above 0.
        public var weight: Double
        /// The values of settings that differ from the daemon's own, by the names of `ListSetting`.
        public var settings: [String: Double]
        /// The model version that lists are made from; nil for the one that is current.
        public var version: VersionName?

        /// An arm.
        public init(_ name: String, weight: Double = 1, settings: [String: Double] = [:], version: VersionName? = nil) {
            self.name = name
            self.weight = weight
            self.settings = settings
            self.version = version
        }
    }

    /// Whom an experiment is about.
    public struct Eligibility: Sendable, Equatable, Codable {
        /// The least and the greatest number of groups that a member is in, both inclusive; nil for no bound.
        public var fewestGroups, mostGroups: Int?
        /// The day on which a member must have been in a group at the latest: Unix seconds of its beginning; nil for
        /// any.
        public var knownSince: Int64?
        /// The ids of the members who alone take part; nil for all.
        public var memberIDs: Set<String>?

        /// Everybody.
        public init() {}

        /// Whether a member takes part.
        ///
        /// - Parameters:
        ///   - groupCount: the number of groups that the member is in.
        ///   - knownSince: since when the member is in groups, in Unix milliseconds; nil if that is not known.
        public func includes(memberID: String, groupCount: Int, knownSinceMilliseconds knownSince: Int64?) -> Bool {
            guard groupCount >= fewestGroups ?? 0, groupCount <= mostGroups ?? .max,
                memberIDs?.contains(memberID) ?? true
            else { return false }
            guard let latest = self.knownSince else { return true }
            // Days, as daemons without the catalog know no more.
            return knownSince.map { $0 / 86_400_000 <= latest / 86_400 } ?? false
        }
    }

    /// Its name, unique among all.
    public var name: String
    /// What is hashed with a member's id to find the arm; another seed deals the members anew.
    public var seed: String
    /// Experiments of a layer share no members; those of different layers overlap at random.
    public var layer: String
    /// The part of the layer's members who take part: from a fraction (inclusive) to another (exclusive).
    public var from, to: Double
    /// When it begins (inclusive) and ends (exclusive), in Unix seconds; nil for no bound.
    public var startsAt, endsAt: Int64?
    /// Whom it is about.
    public var eligibility = Eligibility()
    /// Whether every member gets one list drafted from those of the two arms, instead of one of the two.
    public var isInterleaved = false
    /// Two or more; the first is what the others are compared with.
    public var arms: [Arm]

    /// An experiment with all members of a layer of its own name.
    public init(_ name: String, arms: [Arm]) {
        self.name = name
        seed = name
        layer = name
        (from, to) = (0, 1)
        self.arms = arms
    }

    /// What is hashed with a member's id to find whether the member is in the part of the layer that takes part.
    public var layerSeed: String { "__" + layer }

    /// The weights of the arms, in their order.
    public var weights: [Double] { arms.map(\.weight) }

    /// The model versions that its arms name.
    public var versions: Set<VersionName> { Set(arms.compactMap(\.version)) }

    /// Whether it runs at an instant, in Unix seconds, as far as its dates say.
    public func runs(atSeconds instant: Int64) -> Bool {
        instant >= startsAt ?? .min && instant < endsAt ?? .max
    }
}

extension ExperimentDefinition {
    /// The greatest number of arms.
    public static let armLimit = 16
    /// The greatest length of a name, in bytes.
    public static let nameLimit = 64

    /// What is wrong with it; nil if nothing is.
    ///
    /// - Parameter settings: what an arm may set.
    public func problem(settings: [ListSetting]) -> String? {
        for (what, text) in [("name", name), ("layer", layer)] + arms.map({ ("name of an arm", $0.name) })
        where !Self.isGoodName(text) {
            return "\"\(text)\" is no \(what): use up to \(Self.nameLimit) letters of a to z, digits, - and _"
        }
        // Layers and the holdout have seeds that begin with two underscores: members must be dealt independently.
        guard !seed.isEmpty, seed.utf8.count <= Self.nameLimit, !seed.hasPrefix("__") else {
            return "the seed must have 1 to \(Self.nameLimit) bytes, and not begin with __"
        }
        guard from >= 0, from < to, to <= 1 else {
            return "the part of the layer must be from a fraction to a greater one, both from 0 to 1"
        }
        if let startsAt, let endsAt, startsAt >= endsAt { return "it would end before it begins" }
        if let fewest = eligibility.fewestGroups, fewest > eligibility.mostGroups ?? .max {
            return "no member has \(fewest) groups or more and at most \(eligibility.mostGroups ?? 0)"
        }
        return armProblem(settings)
    }

    private func armProblem(_ settings: [ListSetting]) -> String? {
        guard (2...Self.armLimit).contains(arms.count) else {
            return "it has \(arms.count) arms: give 2 to \(Self.armLimit)"
        }
        guard !isInterleaved || arms.count == 2 else {
            return "lists of two arms are interleaved, not of \(arms.count)"
        }
        guard Set(arms.map(\.name)).count == arms.count else { return "two arms have the same name" }
        for arm in arms {
            guard arm.weight > 0, arm.weight.isFinite else { return "the weight of arm \(arm.name) must be above 0" }
            for (name, value) in arm.settings.sorted(by: { $0.key < $1.key }) {
                guard let setting = settings.first(where: { $0.name == name }) else {
                    let names = settings.map(\.name).joined(separator: ", ")
                    return "arm \(arm.name) sets \"\(name)\": give one of \(names)"
                }
                guard setting.bounds.contains(value) else {
                    let bounds = "\(setting.bounds.lowerBound) to \(setting.bounds.upperBound)"
                    return "arm \(arm.name) sets \(name) to \(value): give a number from \(bounds)"
                }
            }
        }
        return nil
    }

    private static func isGoodName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameLimit
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_".utf8.contains(byte)
            }
    }
}
