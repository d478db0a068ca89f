import Foundation
import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Rotation")
struct RotationTests {
    @Test("the keyed hash is SipHash-2-4: the vector of its authors")
    func sipHash() {
        let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
        #expect(KeyedHash.hash((0..<15).map { UInt8($0) }, key: key) == 0xa129_ca61_49be_45e5)
        #expect(KeyedHash.hash([], key: key) == 0x726f_db47_dd0e_0e31)
        #expect(KeyedHash.hash((0..<8).map { UInt8($0) }, key: key) == 0x93f5_f579_9a93_2462)
        #expect(KeyedHash.hash(0x0706_0504_0302_0100, key: key) == 0x93f5_f579_9a93_2462)
    }

    @Test("a bucket has its length, and different members' buckets begin at different times")
    func buckets() {
        let hours: Int64 = 6 * 3_600_000
        var edges: Set<Int64> = []
        for member in 0..<200 {
            let key = RotationKey(1, 2).member("user-\(member)", seed: 0)
            let first = RotationBucket.number(atMilliseconds: 0, memberKey: key, milliseconds: hours)
            // Finds the start of the next bucket by bisection.
            var (low, high): (Int64, Int64) = (0, hours)
            while low < high {
                let middle = (low + high) / 2
                let isLater = RotationBucket.number(atMilliseconds: middle, memberKey: key, milliseconds: hours) > first
                if isLater { high = middle } else { low = middle + 1 }
            }
            edges.insert(low / 3_600_000)
            for offset in [low - hours, low - 1, low, low + hours - 1, low + hours] {
                let number = RotationBucket.number(atMilliseconds: offset, memberKey: key, milliseconds: hours)
                let past = offset < low ? (offset < low - hours ? -1 : 0) : 1 + (offset - low) / hours
                #expect(number == first + past)
            }
        }
        #expect(edges.count >= 6)
    }

    @Test("the list stays within a bucket and changes with it; another member, seed or key has another order")
    func orders() throws {
        let model = try PlanFixture.communities([400], neighbours: 300)
        let planner = Planner(model: model, key: RotationKey(3, 4))
        func groups(_ user: String = "u", hours: Double = 0, seed: UInt64 = 0, by other: Planner? = nil) -> [UInt32] {
            let request = PlanRequest(
                profile: PlanFixture.profile(100..<105, user: user),
                atMilliseconds: PlanFixture.instant + Int64(hours * 3_600_000), seed: seed)
            return (other ?? planner).plan(request).items.map(\.group)
        }
        let now = groups()
        #expect(groups() == now)
        let later = (1...12).map { groups(hours: Double($0) / 2) }
        // Six hours contain exactly one change of buckets.
        let isChanged = later.map { $0 != now }
        #expect(isChanged.last == true && isChanged == isChanged.sorted { !$0 && $1 })
        #expect(groups("v") != now)
        #expect(groups(seed: 1) != now)
        #expect(groups(by: Planner(model: model, key: RotationKey(3, 5))) != now)
        #expect(Set(now.prefix(20)).intersection(later[11].prefix(20)).count < 20)
    }

    @Test("noise follows the formula, and hardly changes the best score")
    func formula() throws {
        let model = try PlanFixture.model([[(index: Int, common: Int)]](repeating: [], count: 60))
        let key: (UInt64, UInt64) = (5, 6)
        let scores = (0..<60).map { 10 * exp(-Double($0) / 20) }
        var candidates = scores.enumerated().map {
            Candidate(group: UInt32($0.offset), score: $0.element, interest: 0)
        }
        candidates.reverse()
        let siteKey = RotationKey(7, 8)
        let hashes = Rotation.GroupHashes(VisibleModel(model), key: siteKey)
        let configuration = PlanConfiguration.Rotation()
        Rotation(memberKey: key, bucket: 9, hashes: hashes, configuration: configuration)
            .apply(to: &candidates, stickiness: configuration.stickiness)
        candidates.reverse()
        let scale = configuration.noise * max(0.05, log(scores[9] / scores[39])).squareRoot()
        for (index, candidate) in candidates.enumerated() {
            let group = KeyedHash.hash(model.id(of: index).utf8, key: siteKey.words)
            let hash = KeyedHash.hash(group, key: key) &+ 9 &* 0x9E37_79B9_7F4A_7C15
            let noise = -log(-log((Double(hash >> 12) + 0.5) / 4_503_599_627_370_496))
            let looseness = 1 - 0.999 * scores[index] / scores[0]
            let expected = scores[index] * exp(looseness * (noise - 0.577_215_664_9) * scale)
            #expect(abs(candidate.adjusted / expected - 1) < 1e-6)
            #expect(candidate.adjusted == candidate.score * Double(candidate.noise))
        }
        #expect(abs(candidates[0].adjusted / 10 - 1) < 0.03)
    }

    @Test("the groups of a tail that are wanted have the order that they have among all", arguments: 1..<4)
    func wanted(every step: Int) throws {
        let model = try PlanFixture.model([[(index: Int, common: Int)]](repeating: [], count: 150))
        let hashes = Rotation.GroupHashes(VisibleModel(model), key: RotationKey(7, 8))
        let rotation = Rotation(
            memberKey: (5, 6), bucket: 9, hashes: hashes, configuration: PlanConfiguration.Rotation())
        let groups = Array(0..<150 as Range<UInt32>)
        func isWanted(_ group: UInt32) -> Bool { group.isMultiple(of: UInt32(step)) }
        for tail in [Rotation.Tail.whole, .following, .drawn] {
            let all = rotation.rotating(groups, score: { 1000 / Double($0 + 1) }, as: tail)
            #expect(all != groups && Set(all) == Set(groups) && all.suffix(50) == groups.suffix(50))
            let some = rotation.rotating(groups, score: { 1000 / Double($0 + 1) }, as: tail, where: isWanted)
            #expect(some == all.filter(isWanted))
        }
    }
}
