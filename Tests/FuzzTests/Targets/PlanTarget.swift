import Model
import ModelStore
import Recommendation
import TestSupport

@testable import Service

/// A frozen list: none, or one that is written as it was read, and can be shown.
struct PlanTarget: FuzzTarget {
    private let snapshot: VisibleSnapshot

    init() throws {
        let encoded = try SampleModel.model(groupCount: 5, limit: 3)
        let version = LoadedVersion(
            manifest: try SampleModel.manifest(1, groupCount: 5),
            model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
        snapshot = VisibleSnapshot(ModelSnapshot(version, planning: Planning()))
    }

    func seeds() -> [[UInt8]] {
        ["another", snapshot.version.description].map { version in
            var ids = PackedTexts()
            for group in [2, 1, 4, 0] { unsafe snapshot.model.withIDBytes(of: group) { unsafe ids.append($0) } }
            let plan = FrozenPlan(
                recommendationID: "r-1", version: version, bucket: 7,
                interests: [.init(name: "birds", share: 0.5, members: [0])],
                items: [
                    PlanItem(group: 2, score: 0.75, interest: 0, origin: .personal),
                    PlanItem(group: 1, score: 0.5, interest: nil, origin: .popular),
                ], joined: [4], dismissed: [0], topics: ["é"], ids: ids)
            return plan.bytes
        }
    }

    func take(_ bytes: [UInt8]) throws {
        try require(
            (try? FrozenPlan(sealed: bytes, ofUser: "u", session: nil)) == nil, "a list opens that was not sealed")
        guard let plan = FrozenPlan(bytes: bytes) else { return }
        try require(
            plan.bytes == bytes || bytes[0] == 4 && plan.bytes == Self.converted(bytes),
            "a list is written in another way than it was read")
        let sealed = plan.sealed(ofUser: "u", session: "s")
        try require(
            try FrozenPlan(sealed: sealed, ofUser: "u", session: "s").bytes == plan.bytes, "a seal does not hold")
        let list = plan.list(in: snapshot)
        try require(
            list.items.count <= plan.items.count && list.interests.count == plan.interests.count,
            "a list has more than was kept")
        let shown = list.items.map(\.group) + list.profile.joined + list.profile.dismissed
        try require(shown.allSatisfy { $0 < snapshot.model.groupCount }, "a list has a group that there is not")
        _ = list.interests(in: snapshot.model)
        _ = list.items(for: PlanRequest(profile: MemberProfile(userID: "u"), atMilliseconds: 0), snapshot.planner)
    }

    /// What becomes of a list of format 4: it has no arms and no teams.
    private static func converted(_ bytes: [UInt8]) -> [UInt8] {
        [5] + bytes.dropFirst() + [UInt8](repeating: 0, count: 8)
    }
}
