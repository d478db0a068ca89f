import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("What a request asks of the groups")
struct FilterTests {
    /// A model of groups on a line: every tenth is about owls, every third needs approval; sizes equal indexes.
    private let model: ModelVersion
    private let planner: Planner
    private let request: PlanRequest

    init() throws {
        let count = 600
        let groups = (0..<count).map { group in
            GroupFacts(
                id: String(format: group), topics: group.isMultiple(of: 10) ? ["Owls"] : ["film"],
                joinPolicy: group.isMultiple(of: 3) ? .approval : .open)
        }
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for group in 0..<count {
            let others = (max(0, group - 30)...min(count - 1, group + 30)).filter { $0 != group }
            table.neighbours += others.sorted { abs($0 - group) < abs($1 - group) }.map {
                Neighbour(index: UInt32($0), common: 20, score: 1 / Float(1 + abs($0 - group)))
            }
            table.offsets.append(table.neighbours.count)
        }
        let sizes = [Relation.members: (0..<UInt32(count)).map { $0 }]
        let encoded = try EncodedModel(groups: groups, sizes: sizes, tables: [.members: table])
        model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        var configuration = PlanConfiguration.ofAnyAge
        configuration.filters.ceiling = .infinity
        planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        request = PlanRequest(
            profile: PlanFixture.profile([100, 101, 103, 250, 251, 252, 400, 401, 402]),
            atMilliseconds: PlanFixture.instant)
    }

    private func groups(_ filter: GroupFilter) -> [Int] {
        var request = request
        request.filter = filter
        return planner.plan(request).items.map { Int($0.group) }
    }

    @Test("Every group of a list is what is asked for, and the list is as long as there are such groups")
    func lists() {
        let joined = Set(request.profile.joined.map { Int($0.group) })
        let all = (0..<600).filter { !joined.contains($0) }
        let cases: [(GroupFilter, (Int) -> Bool)] = [
            (.none, { _ in true }),
            (.init(topics: ["owls", "none such"]), { $0.isMultiple(of: 10) }),
            (.init(topics: ["OWLS"], joinPolicies: [.approval]), { $0.isMultiple(of: 30) }),
            (.init(joinPolicies: [.open, .invite]), { !$0.isMultiple(of: 3) }),
            (.init(minimumMembers: 500), { $0 >= 500 }),
            (.init(minimumMembers: 401, excluded: [403, 404]), { $0 >= 401 && $0 != 403 && $0 != 404 }),
            (.init(topics: ["none such"]), { _ in false }),
        ]
        for (filter, isAsked) in cases {
            let list = groups(filter)
            #expect(list.allSatisfy(isAsked) && Set(list).count == list.count)
            #expect(list.count == min(300, all.filter(isAsked).count))
        }
    }

    @Test("A group that the filter leaves out has that as its standing, not a rank")
    func standing() {
        var filtered = request
        filtered.filter = .init(topics: ["owls"], excluded: [210])
        #expect(planner.standing(of: 211, filtered).standing == .filtered)
        #expect(planner.standing(of: 210, filtered).standing == .filtered)
        #expect(planner.standing(of: 100, filtered).standing == .joined)
        #expect(planner.standing(of: 110, filtered).standing != .filtered)
    }

    @Test("A filter acts before quotas and the limit of candidates: what passes keeps its score and its interest")
    func scores() {
        var filtered = request
        filtered.filter = .init(topics: ["owls"])
        let personal = planner.personalList(filtered) { _ in }
        let whole = planner.personalList(request) { _ in }
        #expect(
            personal.candidateCount
                == whole.table.count {
                    $0.group.isMultiple(of: 10) && $0.group != 100
                        && $0.group != 250 && $0.group != 400
                })
        for item in personal.items {
            #expect(whole.table.first { $0.group == item.group }?.score == item.score)
        }
        #expect(personal.items.count > 10)
    }

    @Test("Similar groups are filtered before they are counted", arguments: [RelationTable.standard, .standard])
    func similar(relations: RelationTable) {
        let recommender = Recommender(model: VisibleModel(model), relations: relations)
        let owls = GroupFilter(topics: ["owls"], excluded: [210])
        let blend = recommender.similar(to: 200, limit: 3, filter: owls).map(\.group)
        #expect(blend == [190, 180, 220])
        #expect(recommender.neighbours(of: 200, by: .members, limit: 3, filter: owls).map(\.index) == blend)
        #expect(recommender.neighbours(of: 200, by: .members, limit: 3).map(\.index) == [199, 201, 198])
    }
}

@Suite("Stated interests")
struct StatedInterestTests {
    /// Returns communities in which group 37 alone is about owls, and groups 60 to 99 are about snow.
    private func planner(_ sizes: [Int] = [120, 120]) throws -> (ModelVersion, Planner) {
        let count = sizes.reduce(0, +)
        let groups = (0..<count).map { group in
            GroupFacts(
                id: String(format: group), topics: group == 37 ? ["Owls"] : (60..<100).contains(group) ? ["snow"] : [])
        }
        var table = NeighbourTable(offsets: [0], neighbours: [])
        var first = 0
        for size in sizes {
            for place in 0..<size {
                let others = (0..<size).filter { $0 != place }.sorted { abs($0 - place) < abs($1 - place) }
                table.neighbours += others.map {
                    Neighbour(index: UInt32(first + $0), common: 10, score: 1 / Float(1 + abs($0 - place)))
                }
                table.offsets.append(table.neighbours.count)
            }
            first += size
        }
        let members = [Relation.members: [UInt32](repeating: 100, count: count)]
        let encoded = try EncodedModel(groups: groups, sizes: members, tables: [.members: table])
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        return (model, Planner(model: model, configuration: .ofAnyAge, key: RotationKey(0, 0)))
    }

    private func request(_ joined: [Int], _ topics: [String]) -> PlanRequest {
        var profile = PlanFixture.profile(joined)
        profile.topics = topics
        return PlanRequest(profile: profile, atMilliseconds: PlanFixture.instant)
    }

    private static let profiles = [[], Array(110..<119), Array(110..<119) + Array(160..<220)]

    @Test(
        "A group about a stated interest is on the first page, however much is known of the member", arguments: profiles
    )
    func firstPage(joined: [Int]) throws {
        let (_, planner) = try planner()
        let without = planner.plan(request(joined, []))
        let with = planner.plan(request(joined, ["owls", "Snow"]))
        let page = with.items.prefix(20)
        #expect(page.contains { $0.group == 37 && $0.origin == .topic })
        #expect(page.count { $0.origin == .topic } >= 3 && with.items.count == without.items.count)
        #expect(Set(with.items.map(\.group)).count == with.items.count)
        if !joined.isEmpty { #expect(!without.items.prefix(20).contains { $0.group == 37 }) }
        // The reasons from joined groups are given as well.
        for item in with.items where item.score > 0 {
            #expect(planner.reasons(for: [item], of: request(joined, []).profile)[0].isEmpty == false)
        }
    }

    @Test(
        "Stated in a running session, it comes in as in a new list; taken back, the list is as before",
        arguments: profiles)
    func running(joined: [Int]) throws {
        let (_, planner) = try planner()
        let (before, after) = (request(joined, ["film"]), request(joined, ["film", "OWLS", "snow"]))
        let plan = planner.plan(before)
        func patched(_ request: PlanRequest) -> [PlanItem] {
            planner.patched(
                plan.items, madeAt: Array(1...plan.items.count),
                by: ProfileChanges(from: before.profile, to: request.profile), for: request)
        }
        let items = patched(after)
        #expect(items.prefix(20).contains { $0.group == 37 && $0.origin == .topic })
        #expect(Set(items.map(\.group)).count == items.count && items.count <= 300)
        let others = items.filter { $0.origin != .topic }.map(\.group)
        #expect(others == plan.items.map(\.group).filter { others.contains($0) })
        #expect(patched(before) == plan.items)
    }

    @Test("Groups that may not be shown to the member come in for no stated interest")
    func eligibility() throws {
        let (model, planner) = try planner()
        var request = request(Array(110..<119) + [61], ["owls", "snow"])
        request.profile.dismissals = [.init(group: 60, atMilliseconds: 0)]
        let hiding = planner.showing(VisibleModel(model, SiteDecisions(hidden: [37], curated: nil)))
        let plan = hiding.plan(request)
        #expect(Set([37, 60, 61]).isDisjoint(with: plan.items.map(\.group)))
        let before = MemberProfile(userID: "u", joined: request.profile.joined)
        let items = hiding.patched(
            plan.items, madeAt: Array(1...plan.items.count), by: ProfileChanges(from: before, to: request.profile),
            for: request)
        #expect(Set([37, 60, 61]).isDisjoint(with: items.map(\.group)))
    }
}
