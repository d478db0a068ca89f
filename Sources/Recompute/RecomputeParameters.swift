public import CatalogStore
public import Model
public import ModelStore
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

/// Told of a recompute while it runs.
public protocol RecomputeObserver: Sendable {
    /// Told once, before anything large is read: how much work there is, and what it should take.
    ///
    /// - Parameter availableBytes: memory that can still be taken; nil if that is not known.
    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?)
    /// A step begins.
    func stepBegan(_ name: String)
    /// A step goes on; called from any thread, often.
    ///
    /// - Parameters:
    ///   - done: work done so far.
    ///   - total: all work, if it is known, in the same unit.
    ///   - unit: the unit, such as "rows"; nil if it means nothing to a person.
    ///   - remainingSeconds: how long the whole job will still take.
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double)
    /// A step has ended, with what it found, and how long the rest of the job will take.
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double)
    /// Something that is no failure, but that somebody should know.
    func warn(_ message: String)
}

/// Why a recompute made no version current.
public enum RecomputeError: Error, CustomStringConvertible {
    /// The catalog could not be read.
    case catalog(CatalogError)
    /// The store failed.
    case store(StoreError)
    /// There is nothing to publish.
    case nothingToPublish(String)
    /// Less memory is available than the job will need.
    case tooLittleMemory(neededBytes: Int, availableBytes: Int)
    /// The model would be too large, or contradicts itself.
    case model(String)
    /// Those who share the work did not do it.
    case abandoned(String)
    /// The new version is published but not current, because it is too far from the current one.
    case refused(VersionName, current: VersionName, objections: [String])

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .catalog(let error): error.description
        case .store(let error): error.description
        case .nothingToPublish(let reason): reason
        case .tooLittleMemory(let needed, let available):
            """
            this needs about \(needed >> 20) MiB of memory, and \(available >> 20) MiB are available: close other \
            programs, run it on a machine with more, or list fewer neighbours with --neighbours
            """
        case .model(let reason), .abandoned(let reason): reason
        case .refused(let new, let current, let objections):
            """
            version \(new) is published, and \(current) stays current, because they differ too much: \
            \(objections.joined(separator: "; ")). Look at it with "coterie models diff \(current) \(new)"; make it \
            current with "coterie rollback \(new)", or allow more with --max-lost, --max-emptied, --min-overlap, \
            --max-drift or --force
            """
        }
    }
}
