public import Model
public import Similarity

/// What the weekly job is told.
public struct RecomputeParameters: Sendable, Equatable {
    /// What groups may have in common.
    public let relations: RelationTable
    private var similarity: [Relation: SimilarityParameters]
    /// How many threads read and compute, 1 or more; the result does not depend on it.
    public var threads: Int
    /// The processor's instructions that compare; the result does not depend on it.
    public var path: ProcessorPath
    /// How many versions the store keeps, the new one among them, 1 or more.
    public var versionsKept: Int
    /// Whether everything is done but publishing.
    public var isDryRun: Bool
    /// Whether changes of daemons are taken although others of their journal before them are missing.
    public var skipsMissingChanges: Bool
    /// Whether the whole catalog is checked before anything is published, and not only what is read.
    public var checksCatalog = false
    /// When the settings in use were tuned, in Unix milliseconds; nil for the defaults.
    public private(set) var tunedAtMilliseconds: Int64?
    /// What relations count in members' lists by a tuning; evidence decides about the others.
    public private(set) var tunedWeights: [Relation: Double] = [:]
    /// How far the new version may be from the current one.
    public var gate = GateLimits()
    /// Whether the new version becomes current however far it is from the one before.
    public var isForced = false

    /// The defaults: what the table says, and the modified cosine with its standard parameters.
    public init(relations: RelationTable = .standard, threads: Int) {
        self.relations = relations
        let defaults = relations.map { facts in
            let parameters = SimilarityParameters(
                minimumEntries: facts.minimumEntries, minimumCommon: facts.minimumCommon, limit: facts.limit,
                measure: .modified(.standard))
            return (facts.relation, parameters)
        }
        similarity = Dictionary(uniqueKeysWithValues: defaults)
        self.threads = threads
        path = .fastest
        versionsKept = 3
        isDryRun = false
        skipsMissingChanges = false
    }

    /// What counts as a neighbour in a relation, which must be of the table.
    public subscript(relation: Relation) -> SimilarityParameters {
        get {
            guard let parameters = similarity[relation] else {
                preconditionFailure("there is no relation \(relation.rawValue)")
            }
            return parameters
        }
        set {
            precondition(similarity[relation] != nil, "there is no relation \(relation.rawValue)")
            similarity[relation] = newValue
        }
    }

    /// Takes tuned settings for the relations that have them; what is set later wins over them.
    public mutating func use(_ settings: TunedSettings, tunedAtMilliseconds instant: Int64) {
        tunedAtMilliseconds = instant
        for relation in relations.relations {
            guard let part = settings[relation] else { continue }
            self[relation].measure = .modified(part.formula)
            self[relation].limit = part.limit
            tunedWeights[relation] = part.weight
        }
    }
}
