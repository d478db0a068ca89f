import CatalogStore
package import Looks
package import Model
import ModelStore
package import Similarity

/// The parameters of the weekly job.
package struct RecomputeParameters: Sendable, Equatable {
    package let relations: RelationTable
    private var similarity: [Relation: SimilarityParameters]
    /// The number of threads, 1 or more; the result does not depend on it.
    package var threads: Int
    /// The processor's instructions for comparing; the result does not depend on it.
    package var path = ProcessorPath.fastest
    /// The number of versions to keep in the store, including the new one; 1 or more.
    package var versionsKept = 3
    /// The choices for the index of photos' vectors.
    package var looks = LookParameters()
    /// Whether the lists of the version that serves are measured on what members joined since.
    package var measuresQuality = true
    /// Whether everything is done but publishing.
    package var isDryRun = false
    /// Whether members are published with a version in a folder, too, although the catalog has them.
    package var publishesMembers = false
    /// Whether changes of daemons are applied even if earlier changes of the same journal are missing.
    package var skipsMissingChanges = false
    /// Whether the whole catalog is checked before publishing, and not only the parts that are read.
    package var checksCatalog = false
    /// Whether the version gets a map of its groups.
    package var drawsMap = true
    /// The time of the tuning that the settings come from, in Unix milliseconds, or `nil` for the defaults.
    package private(set) var tunedAtMilliseconds: Int64?
    /// The tuned weights of relations in members' lists; evidence decides the others.
    package private(set) var tunedWeights: [Relation: Double] = [:]
    /// The limits on the difference between the new version and the current one.
    package var gate = GateLimits()
    /// Whether the new version becomes current even beyond these limits.
    package var isForced = false

    /// Creates the defaults: the limits of the relation table, and the standard modified cosine.
    package init(relations: RelationTable = .standard, threads: Int) {
        self.relations = relations
        let defaults = relations.map { facts in
            let parameters = SimilarityParameters(
                minimumEntries: facts.minimumEntries, minimumCommon: facts.minimumCommon, limit: facts.limit,
                measure: .modified(.standard))
            return (facts.relation, parameters)
        }
        similarity = Dictionary(uniqueKeysWithValues: defaults)
        self.threads = threads
    }

    /// The similarity parameters of a relation, which must be in the table.
    package subscript(relation: Relation) -> SimilarityParameters {
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

    /// Takes the tuned settings of the relations that have them; later changes override them.
    package mutating func use(_ settings: TunedSettings, tunedAtMilliseconds instant: Int64) {
        tunedAtMilliseconds = instant
        for relation in relations.relations {
            guard let part = settings[relation] else { continue }
            self[relation].measure = .modified(part.formula)
            self[relation].limit = part.limit
            tunedWeights[relation] = part.weight
        }
    }
}

/// An observer of a running recompute.
package protocol RecomputeObserver: Sendable {
    /// Reports the plan, once, before any large data is read.
    ///
    /// - Parameters:
    ///   - estimate: the amount of work, and the expected duration.
    ///   - availableBytes: the available memory, or `nil` if it is not known.
    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?)
    /// Reports the beginning of a step.
    func stepBegan(_ name: String)
    /// Reports the progress of a step; called often, from any thread.
    ///
    /// - Parameters:
    ///   - done: the work done so far.
    ///   - total: all work in the same unit, if it is known.
    ///   - unit: the unit, such as "rows", or `nil` if it means nothing to a person.
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double)
    /// Reports the end of a step, with its outcome and the expected duration of the rest of the job.
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double)
    /// Reports a problem that is no failure.
    func warn(_ message: String)
}
