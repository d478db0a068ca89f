public import CatalogStore
public import Model
import Similarity

/// How much work a recompute is, how long it should take, and how much memory.
public struct RecomputeEstimate: Sendable, Equatable {
    /// The work in each relation.
    public var work: [Relation: WorkEstimate]
    /// What is known of photos.
    public var content: ContentEstimate
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
        work: [Relation: WorkEstimate], content: ContentEstimate, groups: Int, parameters: RecomputeParameters,
        publishesMembers: Bool,
        previous: Manifest?
    ) {
        self.work = work
        self.content = content
        let relations = parameters.relations
        let neighbours = relations.relations.reduce(0) { sum, relation in
            sum + Self.neighbours(work[relation], groups: groups, parameters[relation])
        }
        // A dry run neither makes nor publishes members.
        let makesMembers = publishesMembers && !parameters.isDryRun
        let memberRows = makesMembers ? Self.rows(work, relations[.membership]) : 0
        steps = Self.matrixSteps(work, content, groups: groups, parameters)
        if makesMembers { steps.append(.init(name: StepName.members, expectedSeconds: Double(memberRows) * 3e-8)) }
        let joined = Self.rows(work, relations[.membership])
        steps.append(.init(name: StepName.weigh, expectedSeconds: joined > 0 ? 0.1 + Double(neighbours) * 6e-8 : 0))
        let dated = relations.filter { $0.role != nil }.reduce(0) { sum, facts in
            sum + (work[facts.relation]?.hasDates == true ? Self.rows(work, facts) : 0)
        }
        steps.append(.init(name: StepName.activity, expectedSeconds: Double(dated) * 1e-8))
        steps.append(.init(name: StepName.encode, expectedSeconds: Double(neighbours) * 3e-8))
        let comparing = previous == nil ? 0 : Double(neighbours) * 2e-8
        steps.append(.init(name: StepName.compareVersions, expectedSeconds: comparing))
        if !parameters.isDryRun {
            // A shared store is a server, which takes lists one by one.
            let publish = Double(neighbours) * (publishesMembers ? 1.1e-7 : 3.4e-8) + Double(memberRows) * 1.5e-8
            steps.append(.init(name: StepName.publish, expectedSeconds: publish))
        }
        if let previous { Self.learn(from: previous, work: work, relations, &steps) }
        seconds = steps.reduce(0) { $0 + $1.expectedSeconds }
        memoryBytes = Self.memoryBytes(
            work, content, poolRows: Self.rows(work, relations[.pool]), neighbours: neighbours, memberRows: memberRows
        )
    }

    private static func rows(_ work: [Relation: WorkEstimate], _ facts: RelationFacts?) -> Int {
        facts.flatMap { work[$0.relation]?.rows } ?? 0
    }

    /// The most neighbours that all groups together can have: a group has no more than there are others, and a pair
    /// that is listed adds at least its common entries to Σ d².
    private static func neighbours(
        _ work: WorkEstimate?, groups: Int, _ parameters: SimilarityParameters
    ) -> Int {
        let listed = Double(groups) * Double(max(0, min(parameters.limit, groups - 1)))
        return Int(min(listed, (work?.increments ?? 0) / Double(max(1, parameters.minimumCommon))))
    }

    /// What reading and comparing takes, and what is done with the photos' matrix in between.
    private static func matrixSteps(
        _ work: [Relation: WorkEstimate], _ content: ContentEstimate, groups: Int, _ parameters: RecomputeParameters
    ) -> [Forecast.Step] {
        let threads = Double(parameters.threads)
        var steps = [Forecast.Step(name: StepName.readGroups, expectedSeconds: Double(groups) * 5e-7)]
        for facts in parameters.relations {
            let relation = facts.relation
            let amount = work[relation] ?? WorkEstimate(rows: 0, increments: 0)
            let read = Double(amount.rows) * (amount.hasDates ? 1.9e-7 : 7.5e-8)
            steps.append(.init(name: StepName.read(relation), expectedSeconds: read / threads))
            let compare = compareSeconds(amount, groups: groups, parameters[relation])
            steps.append(.init(name: StepName.compare(relation), expectedSeconds: compare / threads))
            if facts.role == .pool {
                let seconds = contentSeconds(content, rows: amount.rows) / threads
                steps.append(.init(name: StepName.content, expectedSeconds: seconds))
            }
        }
        return steps
    }

    /// What going through tags and places takes on one thread: the photos once, and the pools once.
    private static func contentSeconds(_ content: ContentEstimate, rows: Int) -> Double {
        guard content.photos > 0 else { return 0 }
        return Double(content.photos) * 4e-7 + Double(content.tags) * 4e-8 + Double(rows) * 1e-7
    }

    /// The most memory resident at once, as measured.
    ///
    /// Reading keeps the rows twice, comparing some three times; tags and places stand beside the photos' matrix, who
    /// joined what beside the members'. Lists are there twice: as pairs and sorted, then as found and as bytes. Recent
    /// entries stay until the trends are counted.
    private static func memoryBytes(
        _ work: [Relation: WorkEstimate], _ content: ContentEstimate, poolRows: Int, neighbours: Int, memberRows: Int
    ) -> Int {
        let comparing = (work.values.map(\.rows).max() ?? 0) * 14
        // What a thread read of a photo and of its tags, in arrays that grow by doubling, and then the same in the
        // order of photos; and the texts of rare tags.
        let describing =
            poolRows * 4 + content.photos * 28 + content.tags * 8 + min(content.tags, 4_000_000) * 60
        let recent = work.values.reduce(0) { $0 + $1.recentRows } * 12
        // The matrix in either direction, and ids and buckets of users who joined some tens of groups each.
        let turning = memberRows * 10
        return (48 << 20) + max(comparing, describing, turning) + recent + neighbours * 32
    }

    /// What comparing takes on one thread, as measured on some millions to some tens of millions of rows, in seconds.
    private static func compareSeconds(_ amount: WorkEstimate, groups: Int, _ parameters: SimilarityParameters)
        -> Double
    {
        let preparing = Double(amount.rows) * 3.5e-8
        let counting = Double(amount.rows) * 1e-8 + amount.increments * 1.45e-10
        let choosing = Double(groups) * Double(groups) * 1e-10
        // If one common entry is enough, every pair that has one is a candidate. A modified cosine has weights of 64
        // bits instead of counts of 8 or 16, and its lists are cut at the target.
        let scale = parameters.measure != .cosine ? 9.0 : parameters.minimumCommon > 1 ? 1 : 3
        let mixing = parameters.mixingNanoseconds(rows: groups, entries: amount.rows) * 1e-9
        return preparing + (counting + choosing) * scale + mixing
    }

    /// Takes over how long the steps took then, by the rows there are now.
    private static func learn(
        from previous: Manifest, work: [Relation: WorkEstimate], _ relations: RelationTable,
        _ steps: inout [Forecast.Step]
    ) {
        var relationOfStep: [String: Relation] = [:]
        for relation in relations.relations {
            relationOfStep[StepName.read(relation)] = relation
            relationOfStep[StepName.compare(relation)] = relation
        }
        for index in steps.indices {
            guard let step = previous.steps.first(where: { $0.name == steps[index].name }) else { continue }
            if step.name == StepName.content || step.name == StepName.activity {
                // How much is known of photos weighs more than how many rows were added.
                steps[index].expectedSeconds = step.seconds
                continue
            }
            guard let relation = relationOfStep[step.name],
                let then = previous[relation]?.entries, then > 0, let now = work[relation]?.rows
            else { continue }
            steps[index].expectedSeconds = step.seconds * Double(now) / Double(then)
        }
    }
}

/// The names of the steps, as reports and manifests have them.
enum StepName {
    static let applyChanges = "apply changes"
    static let check = "check catalog"
    static let readGroups = "read groups"
    static let content = "tags and places"
    static let members = "users"
    static let weigh = "weigh relations"
    static let activity = "trends and seasons"
    static let encode = "encode"
    static let compareVersions = "compare versions"
    static let publish = "publish"
    static let makeCurrent = "switch"
    static func read(_ relation: Relation) -> String { "read \(relation.rawValue)" }
    static func compare(_ relation: Relation) -> String { "compare by \(relation.rawValue)" }
}
