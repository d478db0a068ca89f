import Basics
import CommandLine
import Experiments
import Recommendation
import Service

/// The options that determine a member's list.
enum PlanOptions {
    static let at = Option(
        "at", "TIME", help: "Make the list as of this time, ISO 8601 or Unix seconds (default: now)")
    static let omitted = Option(
        "without", "STAGE", help: "Skip a stage, to see its effect",
        allowed: PlanStage.allCases.filter(\.canBeOmitted).map(\.rawValue), isRepeating: true)
    static let seed = Option(
        "seed", "N", help: "The seed of the rotation: another number gives another order", default: "0")
    static let secret = Option(
        "rotation-key", "HEX",
        help: "The key of the rotation, 32 hexadecimal digits; all daemons need the same one",
        default: String(repeating: "0", count: 32), environment: "COTERIE_ROTATION_KEY")
    static let secretFile = Option(
        "rotation-key-file", "FILE",
        help: "The file with that key, which only its owner and group can read; it wins over --rotation-key",
        setting: Setting("lists.rotationKeyFile", isLive: true))

    static let boost = Option(
        "boost", "WHAT^FACTOR",
        help: "Multiply the scores of a topic's groups, or of one group: \(Boost.form)", isRepeating: true)

    static let variety = Option(
        "variety", "N",
        help: """
            How much lists vary and change with time: 0 not at all, 1 as usual, at most \
            \(Int(PlanConfiguration.greatestVariety)). All daemons need the same value
            """,
        default: "1", environment: "COTERIE_VARIETY", type: .number(0...PlanConfiguration.greatestVariety),
        setting: Setting("lists.variety", isLive: true))

    /// The options of a daemon's lists; the other options are for a list at one moment.
    static let deployed = [secret, secretFile, variety] + ListOptions.all

    static let all = [at, omitted, seed] + deployed
}

extension ParsedCommand {
    /// Returns the configuration of lists from the options.
    func planConfiguration() throws(UsageError) -> PlanConfiguration {
        var configuration = try deployedConfiguration()
        configuration.omitted = Set(texts("without").compactMap(PlanStage.init(rawValue:)))
        return configuration
    }

    /// Returns the configuration of a daemon's lists, with all stages.
    func deployedConfiguration() throws(UsageError) -> PlanConfiguration {
        var configuration = PlanConfiguration()
        configuration.relations = Coterie.relations
        return configuration.setting(try ListOptions.values(of: self)).varied(by: try number("variety"))
    }

    /// Returns the configuration of lists and their key, from the options.
    func planning() throws -> Planning { Planning(try planConfiguration(), key: try rotationKey()) }

    func boosts() throws(UsageError) -> [Boost] {
        let texts = self.texts("boost")
        guard texts.count <= Boost.limit else {
            throw UsageError("--boost comes \(texts.count) times: give it \(Boost.limit) times or fewer")
        }
        var boosts: [Boost] = []
        for text in texts {
            guard let boost = Boost(text) else { throw UsageError("--boost is \"\(text)\": write \(Boost.form)") }
            boosts.append(boost)
        }
        return boosts
    }

    func planSeed() throws(UsageError) -> UInt64 { UInt64(try integer("seed", in: 0...Int.max)) }

    func rotationKey() throws -> RotationKey {
        if let path = textIfGiven("rotation-key-file") {
            guard let key = RotationKey(hexadecimal: try SecretFile(path).read()) else {
                throw Failure(.badData, "\(path) does not hold 32 hexadecimal digits")
            }
            return key
        }
        if origin(of: "rotation-key") == .commandLine {
            printToStandardError(
                "warning: everybody on this machine can see the key in --rotation-key: use --rotation-key-file")
        }
        guard let key = RotationKey(hexadecimal: text("rotation-key")) else {
            throw UsageError("--rotation-key is \"\(text("rotation-key"))\": give 32 hexadecimal digits")
        }
        return key
    }

    /// Returns the time of the option, or the current time, in Unix milliseconds.
    func planInstant() throws(UsageError) -> Int64 {
        guard let text = textIfGiven("at") else { return SystemClock.nowMilliseconds }
        guard let time = UnixTime(text) else {
            throw UsageError("--at is \"\(text)\": give a time such as 2026-06-01T12:00:00Z, or Unix seconds")
        }
        return time.seconds * 1000
    }
}
