import Answers
import Model
import ModelStore
import Recommendation
import TestSupport
import Testing

@testable import Service

@Suite("Frozen plans")
struct FrozenPlanTests {
    @Test("read back what was written", arguments: 0..<20)
    func coding(seed: UInt64) {
        let plan = FrozenPlan.sample(seed: seed)
        #expect(FrozenPlan(bytes: plan.bytes) == plan)
    }

    @Test("have no group that the version does not have any more")
    func goneGroups() throws {
        let plan = FrozenPlan(
            recommendationID: "r", version: "older", bucket: 0,
            interests: [
                .init(name: "Gone", share: 0.5, members: [0, 1]), .init(name: "Alps", share: 0.25, members: [0, 1]),
                .init(name: "birds", share: 0.25, members: [2]),
            ], items: [], joined: [7, 8, 9], dismissed: [], topics: [],
            ids: PackedTexts(["gone", "alps", "birds"]))
        let snapshot = VisibleSnapshot(
            ModelSnapshot(try Community.version("v1"), planning: Planning()), SiteDecisions(hidden: [1], curated: nil))
        let told = SessionList(plan, snapshot).interests
        #expect(
            told == [
                .init(name: "mixed", share: 0.5, groupIds: ["alps"]),
                .init(name: "Alps", share: 0.25, groupIds: ["alps"]), .init(name: "mixed", share: 0.25, groupIds: []),
            ])
    }

    @Test("never crash the reader, whatever their bytes", arguments: 1..<9)
    func fuzz(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let intact = FrozenPlan.sample(seed: seed).bytes
        let snapshot = VisibleSnapshot(ModelSnapshot(try Community.version("v1"), planning: Planning()))
        for _ in 0..<3000 {
            var bytes = intact
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in .random(in: 0...3, using: &generator)
                }
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            default: bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let plan = FrozenPlan(bytes: bytes) else { continue }
            #expect(plan.bytes == bytes)
            let list = SessionList(plan, snapshot)
            #expect(list.items.count <= plan.items.count && list.interests.count == plan.interests.count)
        }
        #expect(FrozenPlan(bytes: intact + [0]) == nil)
    }

    @Test("of another version are found again by the external ids of their groups")
    func otherVersion() throws {
        let (old, new) = (try Community.version("v1"), try Community.version("v2"))
        let groups = (0..<3).map { UInt32($0) }
        let plan = FrozenPlan(
            recommendationID: "r", version: "v1", bucket: 1, interests: [],
            items: groups.map { PlanItem(group: $0, score: 1, interest: nil, origin: .personal) }, joined: [],
            dismissed: [], topics: [],
            ids: PackedTexts([new.model.id(of: 2), "gone", new.model.id(of: 0)]))
        let inNew = SessionList(plan, VisibleSnapshot(ModelSnapshot(new, planning: Planning())))
        #expect(inNew.items.map(\.group) == [2, 0])
        let inOld = SessionList(plan, VisibleSnapshot(ModelSnapshot(old, planning: Planning())))
        #expect(inOld.items.map(\.group) == groups)
    }

    @Test("A page begins after exactly the named group, not after one whose id only looks the same")
    func pageOfTwins() throws {
        let ids = ["e\u{301}", "\u{e9}"]
        let encoded = try EncodedModel(groups: ids.map { GroupFacts(id: $0) }, tables: [:])
        let version = LoadedVersion(
            manifest: try SampleModel.manifest(1, groupCount: 2),
            model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        let plan = FrozenPlan(
            recommendationID: "r", version: version.manifest.version.description, bucket: 0, interests: [],
            items: [0, 1].map { PlanItem(group: $0, score: 0, interest: nil, origin: .popular) }, joined: [],
            dismissed: [], topics: [], ids: PackedTexts(ids))
        let list = SessionList(plan, VisibleSnapshot(ModelSnapshot(version, planning: Planning())))
        #expect(ids.map(list.offset(after:)) == [1, 2])
        #expect(list.offset(after: "e") == nil)
    }
}

extension FrozenPlan {
    /// Any plan.
    static func sample(seed: UInt64) -> FrozenPlan {
        var generator = SeededGenerator(seed: seed)
        func groups(_ count: Int) -> [UInt32] { (0..<count).map { _ in .random(in: 0 ... .max, using: &generator) } }
        let (items, joined, dismissed) = (groups(Int(seed) * 7 % 40), groups(Int(seed) % 9), groups(Int(seed) % 3))
        let interests = joined.isEmpty ? 0 : 2
        var plan = FrozenPlan(
            recommendationID: "v-\(seed)", version: "é ✈", bucket: .random(in: .min ... .max, using: &generator),
            interests: (0..<interests).map { number in
                FrozenPlan.Interest(
                    name: "interest \(number)", share: .random(in: 0...1, using: &generator),
                    members: joined.indices.filter { _ in Bool.random(using: &generator) })
            },
            items: items.map { group in
                PlanItem(
                    group: group, score: .random(in: 0...1, using: &generator),
                    interest: (0..<interests).randomElement(using: &generator),
                    origin: PlanItem.Origin.allCases.randomElement(using: &generator) ?? .personal)
            },
            joined: joined, dismissed: dismissed, topics: ["birds", "é"].shuffled(using: &generator),
            ids: PackedTexts((items + joined + dismissed).map { $0 % 5 == 0 ? "" : "\($0)@N00 é" }))
        // Every other plan is interleaved from two.
        for index in plan.items.indices where seed.isMultiple(of: 2) {
            plan.items[index].team = index.isMultiple(of: 3) ? .first : .second
        }
        return plan
    }
}

extension SessionList {
    /// The list of a member of whom nothing is known.
    fileprivate init(_ plan: FrozenPlan, _ snapshot: VisibleSnapshot) {
        let request = PlanRequest(profile: MemberProfile(userID: "u"), atMilliseconds: 0)
        self.init(plan, MemberContext(snapshot, request))
    }
}

extension PackedTexts {
    fileprivate init(_ texts: [String]) {
        self.init()
        for text in texts { append(text.utf8) }
    }
}
