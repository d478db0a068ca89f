import Model
import TestSupport
import Testing

@testable import Recommendation

/// Groups of 100 members; each even group has a twin, with 95 of its members, at the next index.
@Suite("At most one of near-twins in a list")
struct DistinctGroupsTests {
    private static let groupCount = 40

    private func model(_ generator: inout SeededGenerator) throws -> ModelVersion {
        var lists = [[(index: Int, common: Int)]](repeating: [], count: Self.groupCount)
        for first in 0..<Self.groupCount {
            for second in first + 1..<Self.groupCount {
                let areTwins = first.isMultiple(of: 2) && second == first + 1
                let common = areTwins ? 95 : Int.random(in: 10...40, using: &generator)
                // A pair may be in the list of only one of its groups.
                let side = Int.random(in: 0...2, using: &generator)
                if side != 1 { lists[first].append((second, common)) }
                if side != 0 { lists[second].append((first, common)) }
            }
        }
        return try PlanFixture.model(lists)
    }

    private func expectDistinct(_ groups: [UInt32], _ what: String) {
        #expect(Set(groups.map { $0 / 2 }).count == groups.count, "\(what): \(groups)")
    }

    @Test(
        "What is left out has a twin before it, what is kept has none, and others fill the places",
        arguments: 0..<20 as Range<UInt64>)
    func filter(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let ceiling = SimilarityCeiling(
            of: PlanConfiguration().filters, in: VisibleModel(try model(&generator)), .standard)
        let groups = (0..<UInt32(Self.groupCount)).shuffled(using: &generator)
        let all = ceiling.distinct(groups) { $0 }
        expectDistinct(all, "a list")
        #expect(all.count == Self.groupCount / 2)
        #expect(all == groups.enumerated().filter { place, group in !groups[..<place].contains(group ^ 1) }.map(\.1))
        for limit in [0, 1, 7, 20, 100] {
            #expect(ceiling.distinct(groups, limit: limit) { $0 } == Array(all.prefix(limit)))
        }
        #expect(SimilarityCeiling.none.distinct(groups) { $0 } == groups)
    }

    @Test(
        "Lists of members and newcomers, of similar groups and for photos have none",
        arguments: 0..<10 as Range<UInt64>)
    func lists(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let model = try model(&generator)
        let planner = Planner(model: model, configuration: .ofAnyAge, key: RotationKey(seed, 1))
        for joined in [[], [Int.random(in: 0..<20, using: &generator) * 2], [0, 6, 12, 18]] {
            let request = PlanRequest(profile: PlanFixture.profile(joined), atMilliseconds: PlanFixture.instant)
            let items = planner.plan(request).items.map(\.group)
            expectDistinct(items, "joined \(joined)")
            #expect(items.count == Self.groupCount / 2 - joined.count)
            for length in [1, 5, 13] {
                var shorter = request
                shorter.length = length
                #expect(planner.plan(shorter).items.map(\.group) == Array(items.prefix(length)))
            }
        }
        let recommender = Recommender(model: planner.model, planner.ceiling)
        expectDistinct(recommender.similar(to: 4, limit: 100).map(\.group).filter { $0 != 5 } + [4], "similar")
        let first = recommender.similar(to: 4, limit: 10).map(\.group)
        #expect(first.count == 10 && first == Array(recommender.similar(to: 4, limit: 100).map(\.group).prefix(10)))
        expectDistinct(recommender.neighbours(of: 4, by: .members, limit: 100).map(\.index), "neighbours")
        let photos = PhotoRecommender(
            model: planner.model, popular: PopularPools(planner.model), planner.ceiling,
            at: PlanFixture.instant / 1000)
        let suggested = photos.suggestions(for: PhotoContext(ownerMemberships: [4, 8]), limit: 15).map(\.group)
        expectDistinct(suggested, "photo")
        #expect(suggested.count == 15)
    }
}
