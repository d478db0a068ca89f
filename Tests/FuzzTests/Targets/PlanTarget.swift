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
        let plans = ["another", snapshot.version.description].map { version in
            var ids = PackedTexts()
            for group in [2, 1, 4, 0, 3] { unsafe snapshot.model.withIDBytes(of: group) { unsafe ids.append($0) } }
            let plan = FrozenPlan(
                recommendationID: "r-1", version: version, bucket: 7,
                interests: [.init(name: "birds", share: 0.5, members: [0])],
                items: [
                    PlanItem(group: 2, score: 0.75, interest: 0, origin: .personal),
                    PlanItem(group: 1, score: 0.5, interest: nil, origin: .popular),
                ], joined: [4], dismissed: [0], topics: ["é"], ids: ids, hinted: [3])
            return plan.bytes
        }
        return plans + Self.earlier
    }

    /// A list with nothing in it, in each earlier format.
    private static var earlier: [[UInt8]] {
        addedByteCounts.keys.sorted().map { format in
            let empty = FrozenPlan(
                recommendationID: "r-1", version: "another", bucket: 7, interests: [], items: [], joined: [],
                dismissed: [], topics: [], ids: PackedTexts())
            return [format] + empty.bytes.dropFirst().dropLast(addedByteCounts[format] ?? 0)
        }
    }

    func take(_ bytes: [UInt8]) throws {
        try require(
            (try? FrozenPlan(sealed: bytes, ofUser: "u", session: nil)) == nil, "a list opens that was not sealed")
        guard let plan = FrozenPlan(bytes: bytes) else { return }
        try require(
            plan.bytes == Self.converted(bytes),
            "a list is written in another way than it was read")
        let sealed = plan.sealed(ofUser: "u", session: "s")
        try require(
            try FrozenPlan(sealed: sealed, ofUser: "u", session: "s").bytes == plan.bytes, "a seal does not hold")
        let request = PlanRequest(profile: MemberProfile(userID: "u"), atMilliseconds: 0)
        let list = SessionList(plan, MemberContext(snapshot, request))
        try require(
            list.items.count <= plan.items.count && list.interests.count == plan.interests.count,
            "a list has more than was kept")
        let shown = list.items.map(\.group) + list.profile.joined + list.profile.dismissed + list.profile.hinted
        try require(shown.allSatisfy { $0 < snapshot.model.groupCount }, "a list has a group that there is not")
    }

    /// The number of bytes that a list of an earlier format gets: it has no arms and no teams, or nothing told.
    private static let addedByteCounts: [UInt8: Int] = [4: 12, 5: 4]

    /// What becomes of a list of an earlier format.
    private static func converted(_ bytes: [UInt8]) -> [UInt8] {
        guard let format = bytes.first, let count = addedByteCounts[format] else { return bytes }
        return [6] + bytes.dropFirst() + [UInt8](repeating: 0, count: count)
    }
}
