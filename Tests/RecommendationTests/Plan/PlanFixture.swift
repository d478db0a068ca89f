import Model
import TestSupport

@testable import Recommendation

/// Models with lists that are easy to write down.
enum PlanFixture {
    /// Returns a model with lists by members: neighbours with their common members.
    ///
    /// - Parameter sizes: the number of members of each group, or `nil` for 100 each.
    static func model(
        _ lists: [[(index: Int, common: Int)]], sizes: [UInt32]? = nil, lastActiveAt: [Int: Int64] = [:]
    ) throws -> ModelVersion {
        let groups = lists.indices.map { group in
            GroupFacts(
                id: String(format: group), title: "Group \(group)", lastActiveAt: lastActiveAt[group])
        }
        let sizes = sizes ?? [UInt32](repeating: 100, count: groups.count)
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for list in lists {
            let ordered = list.sorted { ($1.common, $0.index) < ($0.common, $1.index) }
            table.neighbours += ordered.map {
                Neighbour(index: UInt32($0.index), common: UInt32($0.common), score: Float($0.common) / 100)
            }
            table.offsets.append(table.neighbours.count)
        }
        return try ModelVersion(
            ByteRegion(
                copying: EncodedModel(groups: groups, sizes: [.members: sizes], tables: [.members: table]).fileBytes))
    }

    /// Returns separate communities of groups on a line; near groups have more members in common.
    static func communities(_ sizes: [Int], neighbours: Int) throws -> ModelVersion {
        var lists: [[(index: Int, common: Int)]] = []
        for size in sizes {
            let first = lists.count
            for position in 0..<size {
                let others = (0..<size).filter { $0 != position }.sorted { abs($0 - position) < abs($1 - position) }
                lists.append(others.prefix(neighbours).map { (first + $0, max(12, 60 - abs($0 - position))) })
            }
        }
        return try model(lists)
    }

    /// Returns a member who has joined some groups.
    static func profile(_ joined: some Sequence<Int>, user: String = "u") -> MemberProfile {
        MemberProfile(userID: user, joined: joined.map { .init(group: UInt32($0)) })
    }

    static let instant: Int64 = 1_795_000_000_000
}

extension PlanConfiguration {
    /// The default settings, except that inactive groups are allowed.
    static var ofAnyAge: PlanConfiguration {
        var configuration = PlanConfiguration()
        configuration.filters.inactiveAfterDays = 1e6
        return configuration
    }
}

extension String {
    /// Creates a number of five digits: the ids then have the order of the numbers.
    init(format number: Int) {
        let digits = String(number)
        self = String(repeating: "0", count: 5 - digits.count) + digits
    }
}

extension MemberProfile {
    /// Returns the profile at an instant, with interactions replayed on top; see `MemberState.replay`.
    func replaying(_ interactions: [Interaction], atMilliseconds instant: Int64, halfLifeDays: Double)
        -> MemberProfile
    {
        guard !interactions.isEmpty else { return self }
        var state = MemberState(self)
        state.replay(interactions, atMilliseconds: instant, halfLifeDays: halfLifeDays)
        return state.profile(ofUser: userID)
    }
}
