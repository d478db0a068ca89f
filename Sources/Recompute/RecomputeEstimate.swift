package import CatalogStore
package import Model
import Similarity

/// An estimate of the work, the duration and the memory of a recompute.
package struct RecomputeEstimate: Sendable, Equatable {
    package var work: [Relation: WorkEstimate]
    /// The amount of data about photos.
    package var content: ContentEstimate
    /// Wall time in seconds.
    package var seconds: Double
    /// The peak resident memory, in bytes.
    package var memoryBytes: Int
    /// The steps and their expected seconds.
    var steps: [Forecast.Step]

    /// Estimates a recompute from the amount of work.
    ///
    /// - Parameters:
    ///   - work: the work in each relation.
    ///   - content: the amount of data about photos.
    ///   - isShared: whether the store is shared.
    ///   - publishesMembers: whether members are published with the version.
    ///   - previous: an earlier version with the same parameters, whose steps show the speed of this machine.
    init(
        work: [Relation: WorkEstimate], content: ContentEstimate, told: Int = 0, groups: Int,
        parameters: RecomputeParameters, isShared: Bool, publishesMembers: Bool, previous: Manifest?
    ) {
        self.work = work
        self.content = content
        let relations = parameters.relations
        let neighbours = relations.relations.reduce(0) { sum, relation in
            sum + Self.neighbours(work[relation], groups: groups, parameters[relation])
        }
        let memberRows = publishesMembers ? Self.rows(work, relations[.membership]) : 0
        steps = Self.matrixSteps(work, content, groups: groups, parameters)
        steps += Self.featureSteps(work, content, told: told, groups: groups, parameters)
        // Only an earlier version tells whether the neighbours must be found again without what is looked for.
        let joined = Self.rows(work, relations[.membership])
        steps.append(
            .init(name: StepName.popularity, expectedSeconds: joined > 0 ? 0.1 + Double(neighbours) * 2e-8 : 0))
        steps.append(.init(name: StepName.weigh, expectedSeconds: joined > 0 ? 0.1 + Double(neighbours) * 6e-8 : 0))
        if publishesMembers {
            let seconds = Double(memberRows) * 2e-7 / Double(parameters.threads)
            steps.append(.init(name: StepName.members, expectedSeconds: seconds))
        }
        let dated = relations.filter { $0.role != nil }.reduce(0) { sum, facts in
            sum + (work[facts.relation]?.hasDates == true ? Self.rows(work, facts) : 0)
        }
        steps.append(.init(name: StepName.activity, expectedSeconds: Double(dated) * 1e-8))
        steps.append(.init(name: StepName.encode, expectedSeconds: Double(neighbours) * 3e-8))
        let comparing = previous == nil ? 0 : Double(neighbours) * 2e-8
        steps.append(.init(name: StepName.compareVersions, expectedSeconds: comparing))
        if !parameters.isDryRun {
            // A shared store is a server, which receives lists one by one.
            let publish = Double(neighbours) * (isShared ? 1.1e-7 : 3.4e-8) + Double(memberRows) * 1.5e-8
            steps.append(.init(name: StepName.publish, expectedSeconds: publish))
        }
        if let previous { Self.learn(from: previous, work: work, relations, &steps) }
        seconds = steps.reduce(0) { $0 + $1.expectedSeconds }
        memoryBytes = Self.memoryBytes(
            work, content, poolRows: Self.rows(work, relations[.pool]), neighbours: neighbours, memberRows: memberRows
        )
        memoryBytes += told * 4
    }

    private static func rows(_ work: [Relation: WorkEstimate], _ facts: RelationDescription?) -> Int {
        facts.flatMap { work[$0.relation]?.rows } ?? 0
    }

    /// Returns the most neighbours that all groups together can have.
    ///
    /// A group has at most as many neighbours as there are other groups. A listed pair adds at least its common entries
    /// to Σ d².
    private static func neighbours(
        _ work: WorkEstimate?, groups: Int, _ parameters: SimilarityParameters
    ) -> Int {
        let listed = Double(groups) * Double(max(0, min(parameters.limit, groups - 1)))
        return Int(min(listed, (work?.increments ?? 0) / Double(max(1, parameters.minimumCommon))))
    }

    /// Returns the expected steps for reading and comparing, and for the content of photos.
    private static func matrixSteps(
        _ work: [Relation: WorkEstimate], _ content: ContentEstimate, groups: Int, _ parameters: RecomputeParameters
    ) -> [Forecast.Step] {
        let threads = Double(parameters.threads)
        var steps = [Forecast.Step(name: StepName.readGroups, expectedSeconds: Double(groups) * 5e-7)]
        for facts in parameters.relations.tabled {
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

    /// Returns the expected steps for what members tell, and for the features of photos.
    ///
    /// A group has some ten tags and places. What its photos' admirers have in common costs about as much as its
    /// photos.
    private static func featureSteps(
        _ work: [Relation: WorkEstimate], _ content: ContentEstimate, told: Int, groups: Int,
        _ parameters: RecomputeParameters
    ) -> [Forecast.Step] {
        let threads = Double(parameters.threads)
        var steps: [Forecast.Step] = []
        for facts in parameters.relations {
            let amount: WorkEstimate? =
                switch facts.feature {
                case .tags: content.tags > 0 ? WorkEstimate(rows: groups * 10, increments: 0) : nil
                case .places: content.hasPlaces ? WorkEstimate(rows: groups * 10, increments: 0) : nil
                case .admirers: told > 0 ? parameters.relations[.pool].flatMap { work[$0.relation] } : nil
                case .looks, nil: nil
                }
            guard let amount else { continue }
            let seconds = compareSeconds(amount, groups: groups, parameters[facts.relation])
            steps.append(.init(name: StepName.compare(facts.relation), expectedSeconds: seconds / threads))
        }
        if told > 0 { steps.append(.init(name: StepName.hints, expectedSeconds: Double(told) * 4e-7 / threads)) }
        return steps
    }

    /// Returns the seconds for tags and places on one thread: one pass over the photos, and one over the pools.
    private static func contentSeconds(_ content: ContentEstimate, rows: Int) -> Double {
        guard content.photos > 0 else { return 0 }
        return Double(content.photos) * 4e-7 + Double(content.tags) * 4e-8 + Double(rows) * 1e-7
    }

    /// Returns the peak resident memory in bytes, with measured factors.
    ///
    /// - Reading keeps the rows twice, and comparing keeps some of them three times.
    /// - Tags and places are in memory together with the photos' matrix.
    /// - Published members are encoded after the matrices are gone, with about 6 bytes for a membership.
    /// - Lists are there twice: as pairs and sorted, then as found and as bytes.
    /// - Recent entries stay until the trends are counted.
    private static func memoryBytes(
        _ work: [Relation: WorkEstimate], _ content: ContentEstimate, poolRows: Int, neighbours: Int, memberRows: Int
    ) -> Int {
        let comparing = (work.values.map(\.rows).max() ?? 0) * 14
        // Each thread reads photos and tags into arrays that grow by doubling. Then the same is stored in the order of
        // photos. The texts of rare tags come on top.
        let describing =
            poolRows * 4 + content.photos * 28 + content.tags * 8 + min(content.tags, 4_000_000) * 60
        let recent = work.values.reduce(0) { $0 + $1.recentRows } * 12
        // Values with ids and buckets of users who joined some tens of groups each.
        let publishing = memberRows * 10
        return (48 << 20) + max(comparing, describing, publishing) + recent + neighbours * 32
    }

    /// Returns the seconds for comparing on one thread, as measured on 10⁶ to some 10⁷ rows.
    private static func compareSeconds(_ amount: WorkEstimate, groups: Int, _ parameters: SimilarityParameters)
        -> Double
    {
        let preparing = Double(amount.rows) * 3.5e-8
        let counting = Double(amount.rows) * 1e-8 + amount.increments * 1.45e-10
        let choosing = Double(groups) * Double(groups) * 1e-10
        // If one common entry is enough, every pair with one is a candidate. A modified cosine has weights of 64 bits
        // instead of counts of 8 or 16 bits, and its lists are cut at the target.
        let scale = parameters.measure != .cosine ? 9.0 : parameters.minimumCommon > 1 ? 1 : 3
        let mixing = parameters.mixingNanoseconds(rows: groups) * 1e-9
        return preparing + (counting + choosing) * scale + mixing
    }

    /// Replaces expected durations by those of an earlier version, scaled by the number of rows.
    private static func learn(
        from previous: Manifest, work: [Relation: WorkEstimate], _ relations: RelationTable,
        _ steps: inout [Forecast.Step]
    ) {
        var relationOfStep: [String: Relation] = [:]
        for relation in relations.relations {
            relationOfStep[StepName.read(relation)] = relation
            relationOfStep[StepName.compare(relation)] = relation
        }
        relationOfStep[StepName.popularity] = relations[.membership]?.relation
        for index in steps.indices {
            guard let step = previous.steps.first(where: { $0.name == steps[index].name }) else { continue }
            let isOfFeature = relationOfStep[step.name].flatMap { relations[$0]?.feature } != nil
            if isOfFeature || [StepName.content, StepName.activity, StepName.hints].contains(step.name) {
                // The duration depends more on the data about photos than on the number of added rows.
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

/// The names of the steps in reports and manifests.
enum StepName {
    static let applyChanges = "apply changes"
    static let check = "check catalog"
    static let readGroups = "read groups"
    static let content = "tags and places"
    static let posts = "count posts"
    static let popularity = "weigh popularity"
    static let members = "users"
    static let hints = "favourites and follows"
    static let weigh = "weigh relations"
    static let activity = "trends and seasons"
    static let looks = "looks"
    static let weighLooks = "weigh looks"
    static let encode = "encode"
    static let compareVersions = "compare versions"
    static let publish = "publish"
    static let makeCurrent = "switch"
    static func read(_ relation: Relation) -> String { "read \(relation.rawValue)" }
    static func compare(_ relation: Relation) -> String { "compare by \(relation.rawValue)" }
}
