import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Plans")
struct PlannerTests {
    private func model(_ seed: UInt64) throws -> ModelVersion {
        let encoded = try SampleModel.model(groupCount: 400, limit: 25, seed: seed)
        return try ModelVersion(ByteRegion(copying: encoded.fileBytes))
    }

    private func request(_ seed: UInt64) -> PlanRequest {
        var generator = SeededGenerator(seed: seed)
        let joined = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
            Int.random(in: 0..<400, using: &generator)
        }
        var profile = PlanFixture.profile(joined, user: "user-\(seed)")
        profile.dismissals = [.init(group: 7, atMilliseconds: 0)]
        return PlanRequest(profile: profile, atMilliseconds: PlanFixture.instant)
    }

    /// Returns a group other than 7, which is dismissed.
    private func hiddenGroup(_ seed: UInt64) -> UInt32 { 8 + UInt32(seed) * 31 % 392 }

    @Test("a candidate's raw score is the sum over the joined groups, and its interest that of the strongest reason")
    func candidates() throws {
        let model = try model(1)
        for seed in 0..<20 as Range<UInt64> {
            let request = request(seed)
            let planner = Planner(model: model, key: RotationKey(1, 1))
            let personal = planner.personalList(request) { _ in }
            // The contributions of each joined group to each neighbour.
            var expected: [UInt32: [UInt32: Double]] = [:]
            for joined in request.profile.joined.map(\.group) {
                for suggestion in Recommender(model: VisibleModel(model)).similar(to: joined, limit: .max) {
                    expected[suggestion.group, default: [:]][joined] = suggestion.score
                }
            }
            #expect(personal.table.count == expected.count)
            for (group, contributions) in expected {
                let entry = try #require(personal.table.first { $0.group == group })
                #expect(abs(entry.score - contributions.values.reduce(0, +)) < 1e-9)
            }
            let reasons = planner.reasons(for: personal.items, of: request.profile)
            for (item, reasons) in zip(personal.items, reasons) {
                let interest = try #require(item.interest)
                #expect(personal.interests[interest].groups.contains(try #require(reasons.first).seed))
            }
        }
    }

    @Test("a list has no joined, dismissed, hidden or repeated group, names interests, and is the same every time")
    func lists() throws {
        let model = try model(2)
        let whole = Planner(model: model, configuration: .ofAnyAge, key: RotationKey(1, 1))
        for seed in 0..<40 as Range<UInt64> {
            let (request, hidden) = (request(seed), hiddenGroup(seed))
            let planner = whole.showing(VisibleModel(model, SiteDecisions(hidden: [hidden], curated: nil)))
            let plan = planner.plan(request)
            #expect(plan == planner.plan(request))
            let groups = plan.items.map(\.group)
            #expect(Set(groups).count == groups.count && groups.count == 300)
            #expect(Set(groups).isDisjoint(with: request.profile.joined.map(\.group) + [7, hidden]))
            let reasons = planner.reasons(for: plan.items, of: request.profile)
            for (item, reasons) in zip(plan.items, reasons) {
                #expect(
                    (item.origin == .personal) == (item.interest != nil) && (item.score > 0) == (item.interest != nil))
                #expect(abs(reasons.reduce(0) { $0 + $1.contribution } - item.score) < 1e-9)
            }
        }
    }

    @Test("a joined group that is hidden contributes nothing, and is neither a reason nor in an interest")
    func hiddenJoinedGroup() throws {
        var configuration = PlanConfiguration.ofAnyAge
        configuration.omitted = [.coldStart]
        let model = try PlanFixture.communities([30, 30], neighbours: 10)
        let whole = Planner(model: model, configuration: configuration, key: RotationKey(1, 1))
        func seeds(hidden: Set<UInt32>) -> (items: Int, seeds: Set<UInt32>, interests: Set<UInt32>) {
            let planner = whole.showing(VisibleModel(model, SiteDecisions(hidden: hidden, curated: nil)))
            let request = PlanRequest(
                profile: PlanFixture.profile([3, 40]), atMilliseconds: PlanFixture.instant)
            let plan = planner.plan(request)
            let reasons = planner.reasons(for: plan.items, of: request.profile).flatMap(\.self)
            return (plan.items.count, Set(reasons.map(\.seed)), Set(plan.interests.flatMap(\.groups)))
        }
        #expect(seeds(hidden: []) == (20, [3, 40], [3, 40]))
        #expect(seeds(hidden: [40]) == (10, [3], [3]))
    }

    @Test("what is placed by relevance has no better group after it; all else has, and says why", arguments: 0..<20)
    func placements(seed: UInt64) throws {
        let model = try model(seed)
        for omitted in [[], [.rotation], [.diversity], [.rotation, .diversity, .season]] as [Set<PlanStage>] {
            var configuration = PlanConfiguration.ofAnyAge
            configuration.omitted = omitted
            let plan = Planner(model: model, configuration: configuration, key: RotationKey(1, seed))
                .plan(request(seed))
            let personal = plan.items.filter { $0.origin == .personal }
            var greatest = 0.0
            for item in personal.reversed() {
                let isBest = item.score >= greatest * (1 - 1e-6)
                #expect(isBest == (item.placement == .relevance) || abs(item.score / greatest - 1) < 1e-6)
                greatest = max(greatest, item.score)
                switch item.placement {
                case .relevance: break
                case .rotation: #expect(!omitted.contains(.rotation))
                case .seasonal: #expect(!omitted.contains(.season))
                case .variety, .interestShare: #expect(!omitted.contains(.diversity))
                case .curated, .coldStart, .boosted: Issue.record("joined groups brought it, without a boost")
                }
            }
            #expect(plan.items.allSatisfy { ($0.origin == .personal) || $0.placement == PlanItem.Placement($0.origin) })
        }
    }

    @Test("groups that the model does not have are ignored everywhere in a request")
    func unknownGroups() throws {
        let model = try model(4)
        let whole = Planner(model: model, configuration: .ofAnyAge, key: RotationKey(0, 0))
        func planner(hidden: Set<UInt32>, curated: [UInt32]) -> Planner {
            let decisions = SiteDecisions(hidden: hidden, curated: curated.map { CuratedGroup(group: $0, position: 0) })
            return whole.showing(VisibleModel(model, decisions))
        }
        var request = request(2)
        request.profile.exposures = [.init(group: 9, impressions: 5)]
        let plan = planner(hidden: [12], curated: [11]).plan(request)
        request.profile.joined.append(.init(group: 400))
        request.profile.dismissals.append(.init(group: 401, atMilliseconds: PlanFixture.instant))
        request.profile.exposures.append(.init(group: 402, impressions: 1))
        #expect(!plan.items.isEmpty && planner(hidden: [12, 403], curated: [11, 404]).plan(request) == plan)
    }

    @Test("a list is made for any size of model, and at the bounds of the configuration", arguments: [0, 1, 2, 120])
    func bounds(groupCount: Int) throws {
        let encoded = try SampleModel.model(groupCount: groupCount, limit: 10, seed: 1)
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        for ceiling in [Double.leastNonzeroMagnitude, 0.02, 1, 2, .infinity] {
            var configuration = PlanConfiguration.ofAnyAge
            configuration.filters.ceiling = ceiling
            configuration.selection.lambda = ceiling < 1 ? 0 : 1
            configuration.rotation.stickiness = configuration.selection.lambda
            let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
            for joinedCount in [0, groupCount / 2, groupCount] {
                let request = PlanRequest(
                    profile: PlanFixture.profile(0..<joinedCount), atMilliseconds: PlanFixture.instant)
                let plan = planner.plan(request)
                let groups = Set(plan.items.map(\.group))
                #expect(groups.count == plan.items.count && groups.allSatisfy { $0 >= joinedCount })
                // Without a ceiling, nothing is too similar to anything.
                if ceiling == .infinity { #expect(groups.count == groupCount - joinedCount) }
            }
        }
    }

    @Test("an inactive group is left out; unknown activity counts as active")
    func inactive() throws {
        let seconds = PlanFixture.instant / 1000
        let lists = [[(1, 50), (2, 40), (3, 30)], [], [], []]
        let model = try PlanFixture.model(lists, lastActiveAt: [1: seconds - 364 * 86_400, 2: seconds - 366 * 86_400])
        let planner = Planner(model: model, key: RotationKey(0, 0))
        let request = PlanRequest(profile: PlanFixture.profile([0]), atMilliseconds: PlanFixture.instant)
        #expect(Set(planner.plan(request).items.map(\.group)) == [1, 3])
        #expect(planner.standing(of: 2, request).standing == .inactive(sinceSeconds: seconds - 366 * 86_400))
    }

    @Test("a group too similar to a joined one is left out, whichever of the two lists has the pair")
    func ceiling() throws {
        // Lists have two neighbours: that of 0 has no room for 3, whose own list has the pair.
        let model = try PlanFixture.model([[(1, 95), (5, 90)], [], [], [(0, 90)], [(3, 50), (2, 40)], []])
        let planner = Planner(model: model, key: RotationKey(0, 0))
        let request = PlanRequest(profile: PlanFixture.profile([0, 4]), atMilliseconds: PlanFixture.instant)
        let personal = planner.plan(request).items.filter { $0.origin == .personal }.map(\.group)
        #expect(personal == [2])
        #expect(planner.standing(of: 1, request).standing == .tooSimilar(to: 0))
        #expect(planner.standing(of: 3, request).standing == .tooSimilar(to: 0))
    }

    @Test("of groups that are too similar to one another a list has the first; with little in common none is")
    func duplicates() throws {
        // Groups 1 and 2 have 95 of 100 members in common. Groups 3 and 4 have all members in common, but only four.
        let sizes: [UInt32] = [100, 100, 100, 4, 4]
        let groups = sizes.indices.map { GroupFacts(id: String(format: $0)) }
        let table = NeighbourTable(
            offsets: [0, 4, 5, 5, 6, 6],
            neighbours: [
                .init(index: 1, common: 50, score: 0.5), .init(index: 2, common: 49, score: 0.49),
                .init(index: 3, common: 4, score: 0.2), .init(index: 4, common: 4, score: 0.2),
                .init(index: 2, common: 95, score: 0.95), .init(index: 4, common: 4, score: 1),
            ])
        let encoded = try EncodedModel(groups: groups, sizes: [.members: sizes], tables: [.members: table])
        var configuration = PlanConfiguration()
        configuration.omitted = [.rotation, .coldStart]
        let planner = Planner(
            model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)), configuration: configuration,
            key: RotationKey(0, 0))
        let request = PlanRequest(profile: PlanFixture.profile([0]), atMilliseconds: PlanFixture.instant)
        #expect(Set(planner.plan(request).items.map(\.group)) == [1, 3, 4])
    }

    @Test("a group too similar to a joined one is left out even if the list is made from other groups")
    func ceilingOfManyGroups() throws {
        let model = try PlanFixture.model([[(1, 95), (5, 90)], [], [], [(0, 90)], [(3, 50), (2, 40)], []])
        var configuration = PlanConfiguration()
        configuration.interests.groupLimit = 1
        let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        let joined = [0, 4].map { MemberProfile.JoinedGroup(group: $0, atMilliseconds: Int64($0)) }
        let request = PlanRequest(
            profile: MemberProfile(userID: "u", joined: joined), atMilliseconds: PlanFixture.instant)
        #expect(planner.plan(request).items.map(\.group) == [2])
        #expect(planner.standing(of: 3, request).standing == .tooSimilar(to: 0))
    }

    @Test("a cosine of exactly the ceiling is too similar, also for groups that fill the list", arguments: [1, 5])
    func ceilingEverywhere(candidateLimit: Int) throws {
        // With c = 16, n = 25 and 16, the cosine is .8, though .8 · .8 · 25 is a little more than 16 in floating point.
        let sizes: [UInt32] = [25, 16, 100, 30]
        let groups = sizes.indices.map { GroupFacts(id: String(format: $0)) }
        // Lists have one neighbour: that of 0 has no room for 3.
        let table = NeighbourTable(
            offsets: [0, 1, 1, 1, 2],
            neighbours: [.init(index: 1, common: 16, score: 0.8), .init(index: 0, common: 24, score: 0.876)])
        let encoded = try EncodedModel(groups: groups, sizes: [.members: sizes], tables: [.members: table])
        var configuration = PlanConfiguration()
        configuration.filters.candidateLimit = candidateLimit
        configuration.filters.ceilingShrinkage = 0
        for omitted in [[], [.diversity], [.rotation]] as [Set<PlanStage>] {
            configuration.omitted = omitted
            let planner = Planner(
                model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)), configuration: configuration,
                key: RotationKey(0, 0))
            let request = PlanRequest(profile: PlanFixture.profile([0]), atMilliseconds: PlanFixture.instant)
            #expect(planner.plan(request).items.map(\.group) == [2])
            #expect(planner.standing(of: 3, request).standing == .tooSimilar(to: 0))
        }
    }

    @Test("a list that was asked to be short is the beginning of the whole", arguments: 0..<20 as Range<UInt64>)
    func length(seed: UInt64) throws {
        let planner = Planner(model: try model(seed), key: RotationKey(1, seed))
        var request = request(seed)
        request.profile.topics = Array(planner.model.topics.prefix(3))
        let items = planner.plan(request).items
        #expect(items.count > 150 && items.contains { $0.origin == .topic })
        for length in [0, 1, 5, 20, 120, 299, 300, 1000] {
            request.length = length
            #expect(planner.plan(request).items == Array(items.prefix(length)))
        }
    }

    @Test("every group of the model has a standing that agrees with the list")
    func standings() throws {
        let model = try model(3)
        let planner = Planner(model: model, key: RotationKey(2, 2))
        let request = request(5)
        let items = planner.plan(request).items
        for group in 0..<UInt32(400) {
            switch planner.standing(of: group, request).standing {
            case .listed(let place, let item): #expect(items[place - 1] == item && item.group == group)
            case .joined: #expect(request.profile.joined.contains { $0.group == group })
            case .dismissed: #expect(group == 7)
            default: #expect(!items.contains { $0.group == group })
            }
        }
    }

    @Test("the fingerprint differs for another member and for another order")
    func fingerprints() throws {
        let planner = Planner(model: try model(6), key: RotationKey(0, 0))
        var request = request(3)
        let plan = planner.plan(request)
        #expect(plan.fingerprint(ofUser: "a") == planner.plan(request).fingerprint(ofUser: "a"))
        #expect(plan.fingerprint(ofUser: "a") != plan.fingerprint(ofUser: "b"))
        request.seed = 1
        #expect(plan.fingerprint(ofUser: "a") != planner.plan(request).fingerprint(ofUser: "a"))
    }

    @Test("the stages report in their order; those that are omitted, or count nothing, not at all")
    func trace() throws {
        var request = request(9)
        let model = try model(4)
        var configuration = PlanConfiguration()
        func stages() -> [PlanStage] {
            var stages: [PlanStage] = []
            let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
            _ = planner.plan(request) { stages.append($0.stage) }
            return stages
        }
        #expect(stages() == PlanStage.allCases.filter { $0 != .popularity && $0 != .boosts })
        configuration.popularity = 1
        request.boosts = [Boost(.topic("a"), by: 2)]
        #expect(stages() == PlanStage.allCases)
        configuration.omitted = [.popularity, .boosts, .rotation, .diversity, .season, .fatigue, .coldStart]
        #expect(stages() == [.profile, .candidates, .interests, .filters])
    }

    @Test("without variety a list is the best of its pool in every bucket; with more of it, more changes")
    func variety() throws {
        let model = try PlanFixture.communities([400], neighbours: 300)
        func lists(_ strength: Double) -> [[UInt32]] {
            let planner = Planner(
                model: model, configuration: PlanConfiguration().varied(by: strength), key: RotationKey(3, 4))
            return (0..<12).map { bucket in
                planner.plan(
                    PlanRequest(
                        profile: PlanFixture.profile(100..<105),
                        atMilliseconds: PlanFixture.instant + Int64(bucket) * 6 * 3_600_000)
                ).items.prefix(20).map(\.group)
            }
        }
        func change(_ lists: [[UInt32]]) -> Int {
            zip(lists, lists.dropFirst()).reduce(0) { $0 + Set($1.0).subtracting($1.1).count }
        }
        #expect(Set(lists(0)).count == 1)
        #expect(change(lists(0.5)) < change(lists(2)) && change(lists(1)) > 0)
    }

    @Test("for a member of very many groups, the most recent ones count")
    func manyGroups() throws {
        let model = try PlanFixture.communities([900, 900], neighbours: 20)
        let joined =
            (0..<800).map { MemberProfile.JoinedGroup(group: UInt32($0), atMilliseconds: 1) }
            + (900..<1400).map { MemberProfile.JoinedGroup(group: UInt32($0), atMilliseconds: 2) }
        let plan = Planner(model: model, key: RotationKey(0, 0)).plan(
            PlanRequest(profile: MemberProfile(userID: "u", joined: joined), atMilliseconds: PlanFixture.instant))
        #expect(plan.interests.reduce(0) { $0 + $1.groups.count } == 500)
        #expect(plan.items.allSatisfy { $0.origin != .personal || $0.group >= 900 })
    }
}
