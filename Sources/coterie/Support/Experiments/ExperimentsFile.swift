import Basics
import CommandLine
import Experiments
import FoundationEssentials
import Model
import ModelStore
import Service

/// The experiments that a site's file defines, whether they run or not.
struct ExperimentsFile {
    /// The share of all members who take part in no experiment.
    private(set) var holdout = 0.0
    /// The valid definitions, in the order of the file.
    private(set) var definitions: [ExperimentDefinition] = []

    /// Reads a file.
    ///
    /// - Parameter relations: the relations whose weights an arm may set.
    /// - Throws: `YAMLError` for an invalid entry, with its place.
    init(path: String, relations: RelationTable) throws(YAMLError) {
        let settings = ListSetting.all(of: relations)
        for entry in try YAMLFile.read(path).entries() {
            switch entry.key {
            case "holdout":
                holdout = try entry.value.number()
                guard (0..<1).contains(holdout) else {
                    throw YAMLError(at: entry.value.place, "the holdout must be 0 or more, and below 1")
                }
            case "experiments":
                for experiment in try entry.value.entries() {
                    let definition = try ExperimentDefinition(experiment)
                    if let problem = definition.problem(settings: settings) {
                        throw YAMLError(at: experiment.place, "\(definition.name): \(problem)")
                    }
                    definitions.append(definition)
                }
            default: throw entry.unknown(among: ["holdout", "experiments"])
            }
        }
    }
}

extension ExperimentDefinition {
    fileprivate init(_ entry: YAMLNode.Entry) throws(YAMLError) {
        self.init(entry.key, arms: [])
        for entry in try entry.value.entries() {
            switch entry.key {
            case "seed": seed = try entry.value.text()
            case "layer": layer = try entry.value.text()
            case "part":
                let bounds = try entry.value.elements()
                guard bounds.count == 2 else {
                    throw YAMLError(at: entry.value.place, "a part is two numbers, such as [0, 0.5]")
                }
                (from, to) = (try bounds[0].number(), try bounds[1].number())
            case "starts": startsAt = try entry.value.seconds()
            case "ends": endsAt = try entry.value.seconds()
            case "eligible": eligibility = try Eligibility(entry.value)
            case "plan": plan = try ExperimentPlan(entry)
            case "interleave": isInterleaved = try entry.value.boolean()
            case "arms":
                for arm in try entry.value.entries() { arms.append(try Arm(arm)) }
            default:
                throw entry.unknown(among: [
                    "seed", "layer", "part", "starts", "ends", "eligible", "interleave", "arms", "plan",
                ])
            }
        }
    }
}

extension ExperimentPlan {
    fileprivate init(_ entry: YAMLNode.Entry) throws(YAMLError) {
        var decides: Measure?
        var (members, effect, cap): (Int?, Double?, Double?)
        for entry in try entry.value.entries() {
            switch entry.key {
            case "decides":
                let text = try entry.value.text()
                guard let measure = Measure(rawValue: text) else {
                    let names = Measure.allCases.map(\.rawValue).joined(separator: ", ")
                    throw YAMLError(at: entry.value.place, "\"\(text)\" is no measure: give one of \(names)")
                }
                decides = measure
            case "members": members = try entry.value.integer()
            case "effect":
                let text = try entry.value.text()
                guard text.hasSuffix("%"), let percent = Double(text.dropLast()) else {
                    throw YAMLError(at: entry.value.place, "give the effect as a percentage, such as 5%")
                }
                effect = percent / 100
            case "cap": cap = try entry.value.number()
            default: throw entry.unknown(among: ["decides", "members", "effect", "cap"])
            }
        }
        guard let decides else {
            throw YAMLError(at: entry.place, "the plan does not say which measure \"decides\"")
        }
        self.init(decides: decides, memberCount: members, effect: effect)
        if let cap { self.cap = cap }
    }
}

extension ExperimentDefinition.Eligibility {
    fileprivate init(_ node: YAMLNode) throws(YAMLError) {
        self.init()
        for entry in try node.entries() {
            switch entry.key {
            case "fewest-groups": fewestGroups = try entry.value.integer()
            case "most-groups": mostGroups = try entry.value.integer()
            case "known-since": knownSince = try entry.value.seconds()
            case "members":
                var ids: Set<String> = []
                for element in try entry.value.elements() { ids.insert(try element.text()) }
                memberIDs = ids
            default: throw entry.unknown(among: ["fewest-groups", "most-groups", "known-since", "members"])
            }
        }
    }
}

extension ExperimentDefinition.Arm {
    fileprivate init(_ entry: YAMLNode.Entry) throws(YAMLError) {
        self.init(entry.key)
        for entry in try entry.value.entries() {
            switch entry.key {
            case "weight": weight = try entry.value.number()
            case "set":
                for setting in try entry.value.entries() { settings[setting.key] = try setting.value.number() }
            case "version":
                let text = try entry.value.text()
                guard let name = try? VersionName(text) else {
                    throw YAMLError(at: entry.value.place, "\"\(text)\" is no version: \"coterie models\" lists all")
                }
                version = name
            default: throw entry.unknown(among: ["weight", "set", "version"])
            }
        }
    }
}

extension YAMLNode.Entry {
    fileprivate func unknown(among keys: [String]) -> YAMLError {
        YAMLError(at: place, "\"\(key)\" is unknown here: give \(keys.joined(separator: ", "))")
    }
}

extension YAMLNode {
    /// Returns a date or a time, in Unix seconds.
    fileprivate func seconds() throws(YAMLError) -> Int64 {
        guard let time = UnixTime(try text()) else {
            throw YAMLError(at: place, "give a date such as 2026-12-01 or 2026-12-01T18:00:00Z")
        }
        return time.seconds
    }
}

extension ParsedCommand {
    /// Reads the file of experiments that the option names.
    func experimentsFile() throws(YAMLError) -> ExperimentsFile {
        try ExperimentsFile(path: text("experiments"), relations: Coterie.relations)
    }

    /// Reads the file of experiments, or returns `nil` if there is none.
    func experimentsFileIfPresent() throws(YAMLError) -> ExperimentsFile? {
        FileManager.default.fileExists(atPath: text("experiments")) ? try experimentsFile() : nil
    }

    /// Reads the experiments of the store.
    func experiments() throws -> ExperimentRegister { try openStore().experimentRegister() }

    /// Changes the experiments of the store.
    ///
    /// - Parameter change: changes them, given the time in Unix milliseconds; returns an error message, or `nil` on
    ///   success.
    func changeExperiments(_ change: (inout ExperimentRegister, Int64) -> String?) throws {
        let problem = try openStore().changeExperiments { change(&$0, SystemClock.nowMilliseconds) }
        if let problem { throw Failure(.badData, problem) }
    }
}
