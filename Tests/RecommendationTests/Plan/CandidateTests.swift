import Model
import TestSupport
import Testing

@testable import Recommendation

/// The facts about candidates, against the plainest ways to find them.
@Suite("Candidates")
struct CandidateTests {
    @Test("sums and strongest reasons equal those computed from every contribution", arguments: 0..<20 as Range<UInt64>)
    func sums(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let encoded = try SampleModel.model(groupCount: 500, limit: 40, seed: seed)
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        let count = Int.random(in: 1...40, using: &generator)
        let joined = (0..<500 as Range<UInt32>).shuffled(using: &generator).prefix(count).sorted()
        let relations = RelationTable.standard.weighted([.photos: seed % 3 == 0 ? 0 : 0.7, .members: 1.3])
        let visible = VisibleModel(model)
        let places = GroupPlaces(groupCount: 500)
        let blocked = (0..<500 as Range<UInt32>).shuffled(using: &generator).prefix(50)
        func table() -> CandidateTable {
            CandidateTable(
                of: Seeds(joined), visible.lists(of: joined), factors: relations.factorsByIndex(in: visible),
                blocking: Array(blocked), places)
        }
        // A table that was used before must not affect the result.
        _ = table()
        let table = table()

        var contributions: [UInt32: [(seed: Int, value: Double)]] = [:]
        for (seed, group) in joined.enumerated() {
            for facts in relations where facts.weight > 0 {
                for neighbour in model.neighbours(of: Int(group), by: facts.relation) {
                    let value = facts.weight / model.meanBestScore(of: facts.relation) * Double(neighbour.score)
                    contributions[neighbour.index, default: []].append((seed, value))
                }
            }
        }
        #expect(Set(table.map(\.group)) == Set(contributions.keys))
        #expect(table.count == contributions.count)
        for entry in table {
            let expected = try #require(contributions[entry.group])
            #expect(abs(entry.score - expected.reduce(0) { $0 + $1.value }) < 1e-12)
            let strongest = expected.map(\.value).max()
            #expect(entry.seed == expected.first { $0.value == strongest }?.seed)
            #expect(entry.isBlocked == blocked.contains(entry.group))
        }
        var pairs: Set<[Int]> = []
        for (first, group) in joined.enumerated() {
            for facts in relations where facts.weight > 0 {
                for neighbour in model.neighbours(of: Int(group), by: facts.relation) {
                    guard let second = joined.firstIndex(of: neighbour.index) else { continue }
                    let relation = try #require(model.index(of: facts.relation))
                    pairs.insert([first, second, relation, Int(neighbour.common)])
                }
            }
        }
        let found = table.joinedPairs.map { [$0.first, $0.second, $0.relation, $0.common].map(Int.init) }
        #expect(found.count == pairs.count && Set(found) == pairs)
    }

    @Test("of a long list the best neighbours count, hidden ones included: in lists, reasons and standings")
    func limit() throws {
        // Group 0 has all others as neighbours, the first the best.
        let others = (1..<60).map { (index: $0, common: 200 - $0) }
        let lists = [others] + [[(index: Int, common: Int)]](repeating: [], count: 59)
        let model = try PlanFixture.model(lists, sizes: [UInt32](repeating: 400, count: 60))
        var configuration = PlanConfiguration.ofAnyAge
        configuration.candidates.neighbourLimit = 10
        configuration.omitted = [.coldStart]
        let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
            .showing(VisibleModel(model, SiteDecisions(hidden: [3], curated: nil)))
        let request = PlanRequest(profile: PlanFixture.profile([0]), atMilliseconds: PlanFixture.instant)
        let items = planner.plan(request).items
        #expect(items.map(\.group).sorted() == [1, 2] + Array(4...10))
        #expect(planner.reasons(for: items, of: request.profile).allSatisfy { $0.map(\.seed) == [0] })
        #expect(planner.standing(of: 11, request).standing == .noEvidence)
        let beyond = PlanItem(group: 11, score: 1, interest: 0, origin: .personal)
        #expect(planner.reasons(for: [beyond], of: request.profile) == [[]])
    }

    @Test(
        "with many joined groups each brings fewer neighbours, but not too few",
        arguments: [(1, 10), (2, 6), (3, 4), (5, 4)])
    func totalLimit(joined: Int, each: Int) throws {
        // Each joined group has twenty neighbours of its own.
        let lists = (0..<100).map { group in
            group < 5 ? (0..<20).map { (index: 5 + group * 19 + $0, common: 200 - $0) }.filter { $0.index < 100 } : []
        }
        let model = try PlanFixture.model(lists, sizes: [UInt32](repeating: 400, count: 100))
        var configuration = PlanConfiguration.ofAnyAge
        configuration.candidates.neighbourLimit = 10
        configuration.candidates.totalLimit = 12
        configuration.candidates.leastLimit = 4
        configuration.omitted = [.coldStart]
        let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        let request = PlanRequest(profile: PlanFixture.profile(0..<joined), atMilliseconds: PlanFixture.instant)
        let expected = (0..<joined).flatMap { group in (0..<each).map { UInt32(5 + group * 19 + $0) } }
        let items = planner.plan(request).items
        #expect(items.map(\.group).sorted() == expected)
        #expect(planner.reasons(for: items, of: request.profile).allSatisfy { $0.count == 1 })
        let beyond = PlanItem(group: UInt32(5 + each), score: 1, interest: 0, origin: .personal)
        #expect(planner.reasons(for: [beyond], of: request.profile) == [[]])
    }

    @Test(
        "too similar are the groups of every stored pair that reaches the ceiling with what is left of its cosine",
        arguments: 0..<10 as Range<UInt64>)
    func ceiling(seed: UInt64) throws {
        let encoded = try SampleModel.model(groupCount: 300, limit: 30, seed: seed)
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        // Sizes are up to 100,000, with up to 500 common entries: the cosines are low.
        let ceiling = SimilarityCeiling(0.02, shrinkage: 40, in: VisibleModel(model), .standard)
        var expected = [Set<UInt32>](repeating: [], count: 300)
        for group in 0..<300 {
            for relation in RelationTable.standard.requiredRelations {
                for neighbour in model.neighbours(of: group, by: relation)
                where model.cosine(of: neighbour, to: group, by: relation)
                    * (Double(neighbour.common) / (Double(neighbour.common) + 40)) >= 0.02
                {
                    expected[group].insert(neighbour.index)
                    expected[Int(neighbour.index)].insert(UInt32(group))
                }
            }
        }
        #expect(expected.contains { !$0.isEmpty })
        for group in 0..<300 {
            #expect(Array(ceiling.partners(of: UInt32(group))) == expected[group].sorted())
            #expect(SimilarityCeiling.none.partners(of: UInt32(group)).isEmpty)
        }
    }

    @Test("a group is active from the exact second of the cutoff on, and if its activity is unknown")
    func activity() throws {
        let times: [Int64] = [
            .min + 1, -86_401, -1, 0, 1, 86_399, 86_400, 1_795_000_000, 1_795_046_400, 5_662_000_000, 9_000_000_000,
            .max,
        ]
        let lists = [[(index: Int, common: Int)]](repeating: [], count: times.count + 1)
        let known = Dictionary(uniqueKeysWithValues: times.enumerated().map { ($0.offset, $0.element) })
        let model = try PlanFixture.model(lists, lastActiveAt: known)
        let column = ActivityColumn(VisibleModel(model))
        for since in times + [.min] + times.dropLast().map({ $0 + 1 }) {
            let cutoff = ActivityColumn.Cutoff(seconds: since)
            for (group, time) in times.enumerated() {
                #expect(column.isActive(UInt32(group), since: cutoff) == (time >= since), "\(time) since \(since)")
            }
            #expect(column.isActive(UInt32(times.count), since: cutoff))
        }
    }

    @Test(
        "with a prior, sizes add to the sums, and the largest groups are candidates too",
        arguments: 0..<10 as Range<UInt64>)
    func prior(seed: UInt64) throws {
        let encoded = try SampleModel.model(groupCount: 300, limit: 5, seed: seed)
        let model = VisibleModel(try ModelVersion(encoded))
        let relations = RelationTable.standard
        let joined: [UInt32] = [3, 40, 200]
        let factors = relations.factorsByIndex(in: model)
        let prior = PopularityPrior(model, relations, weight: 0.7, limit: 50)
        let (lists, places) = (model.lists(of: joined), GroupPlaces(groupCount: 300))
        let plain = CandidateTable(of: Seeds(joined), lists, factors: factors, places)
        let table = CandidateTable(of: Seeds(joined), lists, factors: factors, prior: prior, places)

        let sizes = (0..<300).map { Double(model.size(of: $0, in: .members)) }
        let greatest = try #require(sizes.max())
        let largest = (0..<300 as Range<UInt32>).sorted { (sizes[Int($0)], $1) > (sizes[Int($1)], $0) }.prefix(50)
        #expect(Set(table.map(\.group)) == Set(plain.map(\.group)).union(largest))
        #expect(Set(table.map(\.group)).count == table.count)
        for entry in table {
            let own = plain.first { $0.group == entry.group }
            let expected = (own?.score ?? 0) + 0.7 * (sizes[Int(entry.group)] / greatest).squareRoot()
            #expect(abs(entry.score - expected) < 1e-6)
            #expect(entry.seed == own?.seed)
        }
    }

    @Test("a group that only its size brought has no interest and no reason, and may be shown")
    func large() throws {
        let model = try PlanFixture.model(
            [[(1, 50)], [(0, 50)], [], []], sizes: [100, 100, 100, 10_000])
        var configuration = PlanConfiguration.ofAnyAge
        configuration.popularity = 10
        let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        let profile = PlanFixture.profile([0])
        let plan = planner.plan(PlanRequest(profile: profile, atMilliseconds: PlanFixture.instant))
        let first = try #require(plan.items.first)
        #expect(first.group == 3 && first.score == 10 && first.interest == nil && first.origin == .popular)
        #expect(planner.reasons(for: plan.items.prefix(1), of: profile) == [[]])
        #expect(plan.items.first { $0.group == 1 }?.interest == 0)

        configuration.omitted = [.popularity]
        let without = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
            .plan(PlanRequest(profile: profile, atMilliseconds: PlanFixture.instant))
        #expect(without.items.first?.group == 1)
    }
}
