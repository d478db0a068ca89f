import CommandLineOptions
import Evaluation
import Model
import Recompute
import Similarity
import SimilarityOptions

/// Options that say what neighbours are, for all commands that compute them.
enum RecomputeOptions {
    static var all: [Option] {
        Coterie.relations.flatMap(minimums) + [
            Option(
                "neighbours", "K",
                help: "Pairs a group keeps in each relation, the best; as tuned, or else \(limits) by default",
                type: .integer(1...10_000), setting: Setting("recompute.neighbours"))
        ] + MeasureOptions.options + [CommonOptions.threads, ProcessorPathOption.option]
    }

    private static let bounds = 1...Int(UInt32.max)

    private static var limits: String {
        Set(Coterie.relations.map(\.limit)).sorted().map(String.init).joined(separator: " or ")
    }

    /// The options that say from where on groups and pairs count in a relation.
    private static func minimums(of facts: RelationFacts) -> [Option] {
        let names = facts.name.prefix(1).uppercased() + facts.name.dropFirst()
        return [
            Option(
                "min-\(facts.name)", "X", help: "\(names) a group needs to count by \(facts.name)",
                default: String(facts.minimumEntries), type: .integer(bounds),
                setting: Setting("recompute.\(facts.name).minimum")),
            Option(
                "min-common-\(facts.name)", "Y", help: "Common \(facts.name) a pair needs to count by \(facts.name)",
                default: String(facts.minimumCommon), type: .integer(bounds),
                setting: Setting("recompute.\(facts.name).minimumCommon")),
        ]
    }
}

extension ParsedCommand {
    /// What neighbours are: as the options say, otherwise as tuned, otherwise the defaults.
    func recomputeParameters(tuned: TuningRecord?) throws(UsageError) -> RecomputeParameters {
        var parameters = RecomputeParameters(relations: Coterie.relations, threads: try threadCount())
        // Plain cosine has nothing that a tuning chooses.
        let tuned = try MeasureOptions.measure(of: self) == .cosine ? nil : tuned
        if let tuned { parameters.use(tuned.settings, tunedAtMilliseconds: tuned.tunedAtMilliseconds) }
        for relation in Coterie.relations.relations {
            parameters[relation].minimumEntries = try integer("min-\(relation.rawValue)")
            parameters[relation].minimumCommon = try integer("min-common-\(relation.rawValue)")
            if let limit = try integerIfGiven("neighbours") { parameters[relation].limit = limit }
            parameters[relation].measure = try MeasureOptions.measure(
                of: self, otherwise: tuned?.settings[relation]?.formula ?? .standard)
        }
        parameters.path = try ProcessorPathOption.path(of: self)
        return parameters
    }
}
