import Model
import Recommendation
import TestSupport
import Testing

/// A model of groups 0 to 5, of which 4 is by invitation only.
///
/// Neighbours by photos: 0 → 1, 4; 1 → 2, 0; 2 → 3. By members: 0 → 2.
@Suite("Groups for a photo")
struct PhotoTests {
    private let recommender: Recommender

    init() throws {
        let groups = (0..<6).map { GroupFacts(id: "g\($0)", joinPolicy: $0 == 4 ? .invite : .open) }
        func table(_ lists: [[(UInt32, Float)]]) -> NeighbourTable {
            var table = NeighbourTable(offsets: [0], neighbours: [])
            for list in lists {
                table.neighbours += list.map { Neighbour(index: $0.0, common: 3, score: $0.1) }
                table.offsets.append(table.neighbours.count)
            }
            return table
        }
        let photos = table([[(1, 0.5), (4, 0.5)], [(2, 0.5), (0, 0.25)], [(3, 0.5)], [], [], []])
        let members = table([[(2, 0.25)], [], [], [], [], []])
        let encoded = try EncodedModel(groups: groups, tables: [.photos: photos, .members: members])
        recommender = Recommender(model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)))
    }

    private func list(_ groups: [UInt32], _ owner: [UInt32: Int] = [:], limit: Int = 10) -> [UInt32: Double] {
        let list = recommender.groups(forPhotoIn: groups, ownerGroups: owner, limit: limit)
        #expect(list.map(\.score) == list.map(\.score).sorted(by: >))
        return Dictionary(uniqueKeysWithValues: list.map { ($0.group, $0.score) })
    }

    @Test("a photo in pools goes to the neighbours of its groups, not where it is, not where one must be invited")
    func inPools() {
        // The mean best score is .5 by photos and .25 by members.
        #expect(list([0]) == [1: 1, 2: 1])
        #expect(list([0, 1]) == [2: 2])
        #expect(list([3]) == [:])
    }

    @Test("a group by invitation is suggested if the owner posts there")
    func invitation() {
        #expect(list([0], [4: 1]) == [1: 1, 2: 1, 4: 1])
        #expect(list([0], [5: 9]) == [1: 1, 2: 1])
    }

    @Test("a photo in no pool goes where its owner's photos are, by their share, and to the neighbours of those")
    func inNoPool() {
        // Each speaks for itself with both relations' best scores: 2, times its share.
        #expect(list([], [0: 3, 3: 1]) == [0: 1.5, 3: 0.5, 1: 0.75, 2: 0.75])
        #expect(list([], [4: 1]) == [4: 2])
        let own = recommender.groups(forPhotoIn: [], ownerGroups: [3: 2], limit: 5)
        #expect(own.count == 1 && own[0].reasons.isEmpty)
        #expect(list([], [:]) == [:])
        #expect(list([], [0: 3, 3: 1], limit: 1) == [0: 1.5])
    }
}
