import Model
import TestSupport
import Testing

@Suite("A model without hidden groups")
struct VisibleModelTests {
    /// A version with everything that names groups, some of them hidden.
    private struct Scene {
        let model: ModelVersion
        let hidden: Set<UInt32>
        let visible: VisibleModel
        let cell = PlaceCell(latitude: 46.5, longitude: 8)

        init(seed: UInt64) throws {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 1...200, using: &generator)
            let groups = SampleModel.groups(count)
            let all = (0..<UInt32(count)).map { $0 }
            var signals = GroupSignals(
                trending: all.shuffled(using: &generator).enumerated().map { .init(group: $1, score: Float(500 - $0)) },
                curated: all.shuffled(using: &generator).enumerated().map {
                    .init(group: $1, position: UInt32($0 + 1))
                })
            let postings = all.map { Posting(group: $0, weight: 1) }
            signals.tags = ["macro": postings]
            if let cell { signals.places = [cell: postings] }
            let tables = Dictionary(
                uniqueKeysWithValues: RelationTable.standard.requiredRelations.map { relation in
                    var table = NeighbourTable(offsets: [0], neighbours: [])
                    for group in all {
                        let others = all.filter { $0 != group }.shuffled(using: &generator)
                            .prefix(Int.random(in: 0...20, using: &generator))
                        table.neighbours += others.enumerated().map {
                            Neighbour(index: $1, common: 3, score: 1 / Float($0 + 1))
                        }
                        table.offsets.append(table.neighbours.count)
                    }
                    return (relation, table)
                })
            let encoded = try EncodedModel(groups: groups, tables: tables, signals: signals)
            model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
            let share = [0, 1, 4, 9].randomElement(using: &generator) ?? 0
            let hidden = Set(all.filter { _ in Int.random(in: 0..<10, using: &generator) < share })
            self.hidden = hidden
            visible = VisibleModel(model, SiteDecisions(hidden: hidden, curated: nil))
        }
    }

    @Test("No look-up finds a hidden group, and all others are found", arguments: 0..<12)
    func lookUps(seed: UInt64) throws {
        let scene = try Scene(seed: seed)
        for group in 0..<UInt32(scene.model.groupCount) {
            let (id, isHidden) = (scene.model.id(of: Int(group)), scene.hidden.contains(group))
            #expect(scene.visible.shows(group) == !isHidden && scene.visible.hides(id) == isHidden)
            #expect(scene.visible.index(ofID: id) == (isHidden ? nil : Int(group)))
            #expect(scene.visible.ids(near: id + "x").allSatisfy { !scene.visible.hides($0) })
        }
        #expect(!scene.visible.shows(UInt32(scene.model.groupCount)) && !scene.visible.shows(.max))
        #expect(scene.visible.index(ofID: "none") == nil && !scene.visible.hides("none"))
    }

    @Test(
        "Lists, trends, curation, topics, tags and locations are the version's without hidden groups", arguments: 0..<12
    )
    func lists(seed: UInt64) throws {
        let scene = try Scene(seed: seed)
        let (model, visible, hidden) = (scene.model, scene.visible, scene.hidden)
        let all = (0..<UInt32(model.groupCount)).map { $0 }
        for relation in model.relations {
            for group in all {
                let list = model.neighbours(of: Int(group), by: relation)
                let expected = hidden.contains(group) ? [] : list.filter { !hidden.contains($0.index) }
                #expect(visible.neighbours(of: Int(group), by: relation) == expected)
                #expect(
                    visible.bestScore(of: Int(group), by: relation)
                        == (hidden.contains(group) ? nil : list.first?.score))
            }
        }
        var seen = 0
        visible.lists(of: all).forEach { group, relation, neighbours in
            let found = neighbours.indices.map { neighbours[$0] }
            #expect(found == visible.neighbours(of: group, by: model.relations[relation]))
            seen += 1
        }
        #expect(seen == all.count * model.relations.count)
        func shown(_ groups: [UInt32]) -> [UInt32] { groups.filter { !hidden.contains($0) } }
        #expect(visible.trending.map(\.group) == shown(model.trending.map(\.group)))
        #expect(visible.curated.map(\.group) == shown(model.curated.map(\.group)))
        #expect(visible.groups(withTag: "Macro").map(\.group) == shown(model.groups(withTag: "macro").map(\.group)))
        let cell = try #require(scene.cell)
        #expect(visible.groups(at: cell).map(\.group) == shown(model.groups(at: cell).map(\.group)))
        for topic in model.topics { #expect(visible.groups(withTopic: topic) == shown(model.groups(withTopic: topic))) }
    }

    @Test("Curation by now replaces what was published, without hidden and unknown groups")
    func curation() throws {
        let encoded = try SampleModel.model(groupCount: 9, limit: 3, seed: 1)
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        let curated = [(4, 2), (3, 1), (70, 3), (5, 1)].map { CuratedGroup(group: $0.0, position: $0.1) }
        let visible = VisibleModel(model, SiteDecisions(hidden: [5, 80], curated: curated))
        #expect(visible.curated.map(\.group) == [3, 4])
    }
}
