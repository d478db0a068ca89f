package import Model

/// An experiment as it is defined: the members who take part, and the lists of each arm.
///
/// The definition determines every member's arm, so all daemons find the same arm without asking one another.
package struct ExperimentDefinition: Sendable, Equatable, Codable {
    /// A part of the members, and the lists that they get.
    package struct Arm: Sendable, Equatable, Codable {
        /// The name, unique in the experiment.
        package var name: String
        /// The arm's share of the members, relative to the other arms' weights; above 0.
        package var weight: Double
        /// The settings that differ from the daemon's own, by the names of `ListSetting`.
        package var settings: [String: Double]
        /// The model version of the lists, or `nil` for the current one.
        package var version: VersionName?

        package init(_ name: String, weight: Double = 1, settings: [String: Double] = [:], version: VersionName? = nil)
        {
            self.name = name
            self.weight = weight
            self.settings = settings
            self.version = version
        }
    }

    /// The conditions for a member to take part.
    package struct Eligibility: Sendable, Equatable, Codable {
        /// The least and the greatest number of groups that a member is in, both inclusive; `nil` for no bound.
        package var fewestGroups, mostGroups: Int?
        /// The last day on which a member may have joined a first group, or `nil` for any.
        ///
        /// The value is the Unix seconds of the day's beginning.
        package var knownSince: Int64?
        /// The ids of the members who alone take part, or `nil` for all.
        package var memberIDs: Set<String>?

        package init() {}

        /// Returns whether a member takes part.
        ///
        /// - Parameter knownSince: the time of the member's first membership in Unix milliseconds, or `nil` if it is
        ///   not known.
        package func includes(memberID: String, groupCount: Int, knownSinceMilliseconds knownSince: Int64?) -> Bool {
            guard groupCount >= fewestGroups ?? 0, groupCount <= mostGroups ?? .max,
                memberIDs?.contains(memberID) ?? true
            else { return false }
            guard let latest = self.knownSince else { return true }
            // Only days are compared, as daemons without the catalog know no more.
            return knownSince.map { $0 / 86_400_000 <= latest / 86_400 } ?? false
        }
    }

    /// The name, unique among all experiments.
    package var name: String
    /// The text that is hashed with a member's id to find the arm; another seed assigns the members anew.
    package var seed: String
    /// The layer: experiments of one layer share no members, experiments of different layers overlap at random.
    package var layer: String
    /// The part of the layer's members who take part: from a fraction (inclusive) to another (exclusive).
    package var from, to: Double
    /// The begin (inclusive) and the end (exclusive) in Unix seconds, or `nil` for no bound.
    package var startsAt, endsAt: Int64?
    /// The conditions for a member to take part.
    package var eligibility = Eligibility()
    /// Whether every member gets one list drafted from those of the two arms, instead of one of the two.
    package var isInterleaved = false
    /// Two arms or more; the others are compared with the first.
    package var arms: [Arm]
    /// The plan, or `nil` for a definition that cannot be started.
    package var plan: ExperimentPlan?

    package init(_ name: String, arms: [Arm], plan: ExperimentPlan? = nil) {
        self.name = name
        self.plan = plan
        seed = name
        layer = name
        (from, to) = (0, 1)
        self.arms = arms
    }

    /// The text that is hashed with a member's id to find the member's place in the layer.
    package var layerSeed: String { "__" + layer }

    /// The weights of the arms, in their order.
    package var weights: [Double] { arms.map(\.weight) }

    /// The model versions that the arms name.
    package var versions: Set<VersionName> { Set(arms.compactMap(\.version)) }

    /// Returns whether the experiment's dates include an instant, in Unix seconds.
    package func runs(atSeconds instant: Int64) -> Bool {
        instant >= startsAt ?? .min && instant < endsAt ?? .max
    }
}

extension ExperimentDefinition {
    /// The greatest number of arms.
    package static let armLimit = 16
    /// The greatest length of a name, in bytes.
    package static let nameLimit = 64

    /// Returns the first problem of the definition, or `nil` if there is none.
    ///
    /// - Parameter settings: the settings that an arm may change.
    package func problem(settings: [ListSetting]) -> String? {
        for (what, text) in [("name", name), ("layer", layer)] + arms.map({ ("name of an arm", $0.name) })
        where !Self.isGoodName(text) {
            return "\"\(text)\" is no \(what): use up to \(Self.nameLimit) letters of a to z, digits, - and _"
        }
        // Layers and the holdout have seeds that begin with two underscores: members must be assigned independently.
        guard !seed.isEmpty, seed.utf8.count <= Self.nameLimit, !seed.hasPrefix("__") else {
            return "the seed must have 1 to \(Self.nameLimit) bytes, and not begin with __"
        }
        guard from >= 0, from < to, to <= 1 else {
            return "the part of the layer must be from a fraction to a greater one, both from 0 to 1"
        }
        guard ArmTable.bucket(at: from) < ArmTable.bucket(at: to) else {
            return "the part of the layer is so small that nobody is in it: it has no ten-thousandth of the members"
        }
        if let startsAt, let endsAt, startsAt >= endsAt { return "it would end before it begins" }
        if let fewest = eligibility.fewestGroups, fewest > eligibility.mostGroups ?? .max {
            return "no member has \(fewest) groups or more and at most \(eligibility.mostGroups ?? 0)"
        }
        return plan?.problem(endsByDate: endsAt != nil, isInterleaved: isInterleaved) ?? armProblem(settings)
    }

    /// The reason why the experiment cannot be started, or `nil` if it can: without a plan, no look at it is valid.
    package var missingPlan: String? {
        guard plan == nil else { return nil }
        return """
            \(name) has no plan, and a report without one can be read into anything: give "plan" with the measure that \
            decides, and an end, such as plan: {decides: joins, members: 20000, effect: 5%}
            """
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
        guard weights.reduce(0, +).isFinite else { return "the weights of the arms are too large" }
        return ArmTable(weights: weights).emptyArm.map {
            "arm \(arms[$0].name) is so small that nobody is in it: it has no ten-thousandth of the members"
        }
    }

    private static func isGoodName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameLimit
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_".utf8.contains(byte)
            }
    }
}
