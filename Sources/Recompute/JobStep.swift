import CatalogStore
import Model
import Similarity

/// A step of the weekly job: its name in reports and manifests, and what the forecast knows of it.
struct JobStep: Sendable {
    /// The prediction of the next duration by that in an earlier version.
    enum Growth {
        /// None: the formula knows more.
        case none
        /// The duration grows with the rows of a relation.
        case rows(Relation)
        /// The duration stays: it depends more on the data about photos than on the number of added rows.
        case steady
    }

    let name: String
    /// The unit of progress, such as "rows", or `nil` if it means nothing to a person.
    var unit: String?
    var growth = Growth.none
    /// Returns the expected seconds, or `nil` if the forecast leaves the step out.
    var seconds: @Sendable (JobAmounts) -> Double? = { _ in nil }

    static let applyChanges = JobStep(name: "apply changes")
    static let readGroups = JobStep(name: "read groups") { Double($0.groups) * 5e-7 }
    static let content = JobStep(name: "tags and places", growth: .steady) { amounts in
        // One pass over the photos, and one over the pools.
        let content = amounts.content
        guard content.photos > 0 else { return 0 }
        let pass = Double(content.photos) * 4e-7 + Double(content.tags) * 4e-8
        return (pass + Double(amounts.rows(.pool)) * 1e-7) / amounts.threads
    }
    static let looks = JobStep(name: "looks", unit: "vectors")
    static let posts = JobStep(name: "count posts")
    static let hints = JobStep(name: "favourites and follows", unit: "rows", growth: .steady) { amounts in
        amounts.told > 0 ? Double(amounts.told) * 4e-7 / amounts.threads : nil
    }
    static let weigh = JobStep(name: "weigh relations") { amounts in
        amounts.rows(.membership) > 0 ? 0.1 + Double(amounts.neighbours) * 6e-8 : 0
    }
    static let members = JobStep(name: "users") { amounts in
        amounts.publishesMembers ? Double(amounts.memberRows) * 2e-7 / amounts.threads : nil
    }
    static let activity = JobStep(name: "trends and seasons", growth: .steady) { amounts in
        let dated = amounts.relations.filter { $0.role != nil && amounts.work[$0.relation]?.hasDates == true }
        return Double(dated.reduce(0) { $0 + amounts.rows($1) }) * 1e-8
    }
    static let encode = JobStep(name: "encode") { Double($0.neighbours) * 3e-8 }
    static let map = JobStep(name: "draw the map", unit: "rounds") { amounts in
        amounts.parameters.drawsMap
            ? Double(amounts.groups) * 7e-5 + Double(amounts.neighbours) * 2e-7 / amounts.threads : nil
    }
    static let weighLooks = JobStep(name: "weigh looks", unit: "photos")
    static let check = JobStep(name: "check catalog")
    static let compareVersions = JobStep(name: "compare versions") { amounts in
        amounts.previous == nil ? 0 : Double(amounts.neighbours) * 2e-8
    }
    static let measureLists = JobStep(name: "measure lists", growth: .steady) { amounts in
        amounts.previous == nil || !amounts.parameters.measuresQuality ? nil : 0.2 / amounts.threads
    }
    static let publish = JobStep(name: "publish", unit: "bytes") { amounts in
        guard !amounts.parameters.isDryRun else { return nil }
        // A shared store is a server, which receives lists one by one.
        return Double(amounts.neighbours) * (amounts.isShared ? 1.1e-7 : 3.4e-8) + Double(amounts.memberRows) * 1.5e-8
    }
    static let makeCurrent = JobStep(name: "switch")

    static func read(_ relation: Relation) -> JobStep {
        JobStep(name: "read \(relation.rawValue)", unit: "rows", growth: .rows(relation)) { amounts in
            let work = amounts.work[relation] ?? .nothing
            return Double(work.rows) * (work.hasDates ? 1.9e-7 : 7.5e-8) / amounts.threads
        }
    }

    static func compare(_ facts: RelationDescription) -> JobStep {
        JobStep(
            name: "compare by \(facts.name)", growth: facts.feature == nil ? .rows(facts.relation) : .steady
        ) { $0.compareSeconds(facts) }
    }

    /// Only an earlier version tells whether the neighbours must be found again without what is looked for.
    static func popularity(_ relation: Relation) -> JobStep {
        JobStep(name: "weigh popularity", growth: .rows(relation)) { amounts in
            amounts.rows(.membership) > 0 ? 0.1 + Double(amounts.neighbours) * 2e-8 : 0
        }
    }

    /// Returns all steps after the changes are applied, in the order in which a job takes them.
    static func all(of relations: RelationTable) -> [JobStep] {
        let tables = relations.tabled.flatMap { facts in
            let further: [JobStep] =
                switch facts.role {
                case .pool: [content, looks]
                case .membership: [popularity(facts.relation)]
                case .conversation: [posts]
                case nil: []
                }
            return [read(facts.relation), compare(facts)] + further
        }
        return [readGroups] + tables + [hints] + relations.filter { $0.feature != nil }.map(compare)
            + [
                weigh, members, activity, encode, map, weighLooks, check, compareVersions, measureLists, publish,
                makeCurrent,
            ]
    }
}

/// The amounts that a job deals with, as far as they are known before anything large is read.
struct JobAmounts: Sendable {
    /// The work in each relation of a table.
    var work: [Relation: WorkEstimate]
    /// The amount of data about photos.
    var content = ContentEstimate()
    /// The number of rows of what members told.
    var told = 0
    var groups: Int
    var parameters: RecomputeParameters
    /// Whether the store is shared.
    var isShared = false
    /// Whether members are published with the version.
    var publishesMembers = false
    /// An earlier version with the same parameters, whose steps show the speed of this machine.
    var previous: Manifest?

    var relations: RelationTable { parameters.relations }
    var threads: Double { Double(parameters.threads) }
    var memberRows: Int { publishesMembers ? rows(.membership) : 0 }

    func rows(_ facts: RelationDescription) -> Int { work[facts.relation]?.rows ?? 0 }
    func rows(_ role: RelationDescription.Role) -> Int { relations[role].map(rows) ?? 0 }

    /// The most neighbours that all groups together can have in all relations.
    ///
    /// A group has at most as many neighbours as there are other groups. A listed pair adds at least its common entries
    /// to Σ d².
    var neighbours: Int {
        relations.relations.reduce(0) { sum, relation in
            let parameters = parameters[relation]
            let listed = Double(groups) * Double(max(0, min(parameters.limit, groups - 1)))
            let increments = work[relation]?.increments ?? 0
            return sum + Int(min(listed, increments / Double(max(1, parameters.minimumCommon))))
        }
    }

    /// Returns the seconds for comparing, as measured on 10⁶ to some 10⁷ rows; `nil` for features that no group has.
    ///
    /// A group has some ten tags and places. What its photos' admirers have in common costs about as much as its
    /// photos.
    fileprivate func compareSeconds(_ facts: RelationDescription) -> Double? {
        let work: WorkEstimate? =
            switch facts.feature {
            case .tags where content.tags > 0: WorkEstimate(rows: groups * 10, increments: 0)
            case .places where content.hasPlaces: WorkEstimate(rows: groups * 10, increments: 0)
            case .admirers where told > 0: relations[.pool].flatMap { self.work[$0.relation] }
            case .tags, .places, .admirers, .looks: nil
            case nil: self.work[facts.relation] ?? .nothing
            }
        guard let work else { return nil }
        let parameters = parameters[facts.relation]
        let preparing = Double(work.rows) * 3.5e-8
        let counting = Double(work.rows) * 1e-8 + work.increments * 1.45e-10
        let choosing = Double(groups) * Double(groups) * 1e-10
        // If one common entry is enough, every pair with one is a candidate. A modified cosine has weights of 64 bits
        // instead of counts of 8 or 16 bits, and its lists are cut at the target.
        let scale = parameters.measure != .cosine ? 9.0 : parameters.minimumCommon > 1 ? 1 : 3
        return (preparing + (counting + choosing) * scale) / threads
    }
}

extension WorkEstimate {
    fileprivate static let nothing = WorkEstimate(rows: 0, increments: 0)
}
