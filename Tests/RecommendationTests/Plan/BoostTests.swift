import Model
import TestSupport
import Testing

@testable import Recommendation

@Suite("Boosts of a request")
struct BoostTests {
    @Test(
        "A boost is a topic or a group with a factor; names may have colons and carets",
        arguments: [
            ("topic:macro^2", Boost(.topic("macro"), by: 2)), ("group:a:b^c^0.5", Boost(.group("a:b^c"), by: 0.5)),
            ("group: ^10", Boost(.group(" "), by: 10)), ("topic:Été^0.10", Boost(.topic("Été"), by: 0.1)),
            ("topic:a;b^002.50", Boost(.topic("a;b"), by: 2.5)),
        ])
    func written(text: String, boost: Boost) {
        #expect(Boost(text) == boost)
        #expect(Boost(boost.text)?.text == boost.text)
    }

    @Test(
        "All else is none",
        arguments: [
            "", "macro", "topic:macro", "topic:macro^", "topic:^2", "macro^2", "tag:macro^2", "Topic:macro^2",
            "^2:topic", "topic:macro^0", "topic:macro^0.09", "topic:macro^10.01", "topic:macro^-2", "topic:macro^+2",
            "topic:macro^2,5", "topic:macro^2 ", "topic:macro^1e1", "topic:macro^0x2", "topic:macro^nan",
            "topic:macro^inf", "topic:macro^.5", "topic:macro^5.", "topic:macro^1.5.1", "topic:macro^٢",
            "topic:a\0b^2", "topic:macro^1.00000000000000000",
            "topic:" + String(repeating: "x", count: 513) + "^2",
        ])
    func refused(text: String) { #expect(Boost(text) == nil) }

    @Test("Boosts that do the same have the same text")
    func texts() {
        #expect(Boost("topic:MACRO^2")?.text == Boost("topic:macro^2.0")?.text)
        #expect(Boost("group:A^2")?.text != Boost("group:a^2")?.text)
        #expect(Boost("topic:a^2")?.text != Boost("group:a^2")?.text)
    }

    /// Returns a model of one community of 60 groups; every third group has a topic.
    private func planner(_ omitted: Set<PlanStage> = [.rotation, .diversity, .coldStart]) throws -> Planner {
        let lists = (0..<60).map { group in
            (0..<60).filter { $0 != group }.map { (index: $0, common: 70 - abs($0 - group)) }
        }
        let plain = try PlanFixture.model(lists)
        let groups = (0..<60).map { group in
            GroupFacts(id: plain.id(of: group), topics: group % 3 == 0 ? ["Macro"] : ["other"])
        }
        let table = NeighbourTable(
            offsets: (0...60).map { $0 * 59 },
            neighbours: (0..<60).flatMap { Array(plain.neighbours(of: $0, by: .members)) })
        let encoded = try EncodedModel(
            groups: groups, sizes: [.members: [UInt32](repeating: 100, count: 60)], tables: [.members: table])
        var configuration = PlanConfiguration.ofAnyAge
        configuration.omitted = omitted
        configuration.filters.ceiling = .infinity
        return Planner(
            model: try ModelVersion(ByteRegion(copying: encoded.fileBytes)), configuration: configuration,
            key: RotationKey(1, 1))
    }

    private func request(_ boosts: [Boost]) -> PlanRequest {
        PlanRequest(
            profile: PlanFixture.profile([0, 1]), atMilliseconds: PlanFixture.instant, boosts: boosts)
    }

    @Test(
        "A score is multiplied by the product of the group's boosts, from a tenth to ten times; the row keeps its own")
    func factors() throws {
        let planner = try planner()
        let boosts = [
            Boost(.topic("macro"), by: 3), Boost(.group("00006"), by: 0.5), Boost(.group("00009"), by: 8),
            Boost(.group("00010"), by: 0.2), Boost(.group("00010"), by: 0.2), Boost(.group("unknown"), by: 9),
        ]
        let plain = planner.plan(request([])).items
        let boosted = planner.plan(request(boosts)).items
        func factor(_ group: UInt32) -> Double {
            switch group {
            case 6: 1.5
            case 9: 10
            case 10: 0.1
            default: group % 3 == 0 ? 3 : 1
            }
        }
        let expected = plain.sorted {
            ($0.score * factor($0.group), $1.group) > ($1.score * factor($1.group), $0.group)
        }
        #expect(boosted.map(\.group) == expected.map(\.group) && boosted.map(\.group) != plain.map(\.group))
        #expect(boosted.map(\.score) == expected.map(\.score))
    }

    @Test(
        "A row that a boost put above a greater score says so, whether it rose or the other sank", arguments: [4, 0.2])
    func placement(factor: Double) throws {
        let boosted = try planner().plan(request([Boost(.topic("macro"), by: factor)])).items
        var greatest = 0.0
        for item in boosted.reversed() {
            #expect((item.placement == .boosted) == (item.score < greatest * (1 - 1e-9)))
            greatest = max(greatest, item.score)
        }
        #expect(boosted.contains { $0.placement == .boosted } && boosted.contains { $0.placement == .relevance })
        // With all stages, the others still say what they did.
        let all = try planner([]).plan(request([Boost(.topic("macro"), by: factor)])).items
        #expect(Set(all.map(\.placement)).isSuperset(of: [.boosted, .relevance]))
    }

    @Test("Without boosts that any group has, and without the stage, the list is the same")
    func none() throws {
        for omitted in [[], [.rotation, .diversity, .coldStart]] as [Set<PlanStage>] {
            let plain = try planner(omitted).plan(request([]))
            #expect(try planner(omitted).plan(request([Boost(.topic("none"), by: 5)])) == plain)
            let boosts = [Boost(.topic("macro"), by: 5)]
            #expect(try planner(omitted.union([.boosts])).plan(request(boosts)) == plain)
            #expect(try planner(omitted).plan(request(boosts)) != plain)
        }
    }

    @Test("Similar groups are ordered by boosted scores before the list is cut, and keep their scores")
    func similar() throws {
        let recommender = Recommender(model: try planner().model)
        let boosts = [Boost(.group("00050"), by: 10), Boost(.topic("other"), by: 0.1)]
        let plain = recommender.similar(to: 0, limit: 59)
        let boosted = recommender.similar(to: 0, limit: 5, boosts: boosts)
        #expect(boosted.map(\.group) == [3, 6, 9, 12, 15])
        for suggestion in boosted { #expect(plain.contains(suggestion)) }
        let neighbours = recommender.neighbours(of: 0, by: .members, limit: 3, boosts: [boosts[0]])
        #expect(neighbours.map(\.index) == [50, 1, 2])
        #expect(neighbours[0].score < neighbours[1].score)
    }
}
