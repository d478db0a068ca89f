public import Catalog
public import Model
import Similarity

/// How much work a recompute is, how long it should take, and how much memory.
public struct RecomputeEstimate: Sendable, Equatable {
    /// The work in each relation.
    public var work: [Relation: WorkEstimate]
    /// Wall time in seconds.
    public var seconds: Double
    /// The most memory resident at once, in bytes.
    public var memoryBytes: Int
    /// The steps and their expected seconds.
    var steps: [Forecast.Step]

    /// From the work there is.
    ///
    /// - Parameters:
    ///   - previous: the steps of an earlier version with the same parameters, which knows this machine best.
    init(
        work: [Relation: WorkEstimate], groups: Int, parameters: RecomputeParameters, keepsProfiles: Bool,
        previous: Manifest?
    ) {
        self.work = work
        let threads = Double(parameters.threads)
        steps = [Forecast.Step(name: StepName.readGroups, expectedSeconds: Double(groups) * 1e-6)]
        var largest = 0
        for relation in Relation.allCases {
            let amount = work[relation] ?? WorkEstimate(rows: 0, increments: 0)
            largest = max(largest, amount.rows)
            steps.append(.init(name: StepName.read(relation), expectedSeconds: Double(amount.rows) * 7.5e-8 / threads))
            let compare = Self.compareSeconds(amount, groups: groups, parameters[relation].measure)
            steps.append(.init(name: StepName.compare(relation), expectedSeconds: compare / threads))
            if relation == .photos {
                steps.append(.init(name: StepName.content, expectedSeconds: Double(amount.rows) * 5e-8))
            }
        }
        let dated = work.values.reduce(0) { $0 + $1.rows }
        steps.append(.init(name: StepName.activity, expectedSeconds: Double(dated) * 1e-7 / threads))
        let neighbours = groups * (parameters.photos.limit + parameters.members.limit)
        steps.append(.init(name: StepName.encode, expectedSeconds: Double(neighbours) * 1e-8))
        let profileRows = keepsProfiles ? work[.members]?.rows ?? 0 : 0
        // What keeps profiles is a server, which takes lists one by one.
        let publish = Double(neighbours) * (keepsProfiles ? 6e-8 : 1.5e-8) + Double(profileRows) * 1.5e-7
        steps.append(.init(name: StepName.publish, expectedSeconds: publish))
        if let previous { Self.learn(from: previous, work: work, &steps) }
        seconds = steps.reduce(0) { $0 + $1.expectedSeconds }
        // Measured: reading keeps the rows twice, comparing some three times; then lists once as found, once as bytes.
        memoryBytes = 48 << 20
        memoryBytes += largest * 14 + profileRows * 8 + neighbours * 2 * Neighbour.byteCount
    }

    /// What comparing takes on one thread, as measured on some millions to some tens of millions of rows, in seconds.
    private static func compareSeconds(_ amount: WorkEstimate, groups: Int, _ measure: SimilarityParameters.Measure)
        -> Double
    {
        let preparing = Double(amount.rows) * 3.5e-8
        let counting = Double(amount.rows) * 1e-8 + amount.increments * 1.45e-10
        let choosing = Double(groups) * Double(groups) * 1e-10
        // Weights of 64 bits instead of counts of 8 or 16.
        return preparing + (counting + choosing) * (measure == .cosine ? 1 : 3)
    }

    /// Takes over how long the steps took then, by the rows there are now.
    private static func learn(from previous: Manifest, work: [Relation: WorkEstimate], _ steps: inout [Forecast.Step]) {
        for index in steps.indices {
            guard let step = previous.steps.first(where: { $0.name == steps[index].name }) else { continue }
            if step.name == StepName.content || step.name == StepName.activity {
                // Whether there are dates, tags and places at all weighs more than how many rows were added.
                steps[index].expectedSeconds = step.seconds
                continue
            }
            guard let relation = Relation.allCases.first(where: { steps[index].name.hasSuffix($0.rawValue) }),
                let then = previous[relation]?.entries, then > 0, let now = work[relation]?.rows
            else { continue }
            steps[index].expectedSeconds = step.seconds * Double(now) / Double(then)
        }
    }
}

/// The names of the steps, as reports and manifests have them.
enum StepName {
    static let readGroups = "read groups"
    static let content = "tags and places"
    static let profiles = "users"
    static let activity = "trends and seasons"
    static let encode = "encode"
    static let publish = "publish"
    static let makeCurrent = "switch"
    static func read(_ relation: Relation) -> String { "read \(relation.rawValue)" }
    static func compare(_ relation: Relation) -> String { "compare by \(relation.rawValue)" }
}
