import Model
import TestSupport
import Testing

@Suite("Comparing two versions")
struct VersionComparisonTests {
    @Test("equals what sets of ids say", arguments: 1...12 as ClosedRange<UInt64>)
    func bruteForce(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let older = try version(&generator)
        let newer = try version(&generator)
        let comparison = VersionComparison(from: older, to: newer)
        let (idsBefore, idsAfter) = (ids(older), ids(newer))
        #expect(comparison.groupsBefore == idsBefore.count && comparison.groupsAfter == idsAfter.count)
        #expect(comparison.groupsLost == Set(idsBefore).subtracting(idsAfter).count)
        #expect(comparison.groupsAdded == Set(idsAfter).subtracting(idsBefore).count)
        for found in comparison.relations {
            let before = lists(older, found.relation)
            let after = lists(newer, found.relation)
            let both = idsBefore.filter(Set(idsAfter).contains)
            let had = both.filter { !before[$0, default: []].isEmpty }
            #expect(found.groupsWithNeighboursBefore == had.count)
            #expect(found.groupsEmptied == had.count { after[$0, default: []].isEmpty })
            #expect(found.overlapAt10 == overlap(before, after, both, 10))
            #expect(found.overlapAt100 == overlap(before, after, both, 100))
            #expect(close(found.scoreDrift, drift(before, after, both)))
            #expect(found.coverageAfter == Double(after.values.count { !$0.isEmpty }) / Double(idsAfter.count))
        }
    }

    @Test("finds no difference between a version and itself")
    func same() throws {
        var generator = SeededGenerator(seed: 5)
        let model = try version(&generator)
        let comparison = VersionComparison(from: model, to: model)
        #expect(comparison.groupsLost == 0 && comparison.groupsAdded == 0)
        for relation in comparison.relations {
            #expect(relation.coverageBefore == relation.coverageAfter && relation.groupsEmptied == 0)
            #expect(relation.overlapAt10 == 1 && relation.overlapAt100 == 1 && relation.scoreDrift == 0)
        }
    }

    private typealias Lists = [String: [(id: String, score: Double)]]

    /// A version of some of 60 groups, each with up to 30 different neighbours; one group in ten has none.
    private func version(_ generator: inout SeededGenerator) throws -> ModelVersion {
        let facts = (10..<70).filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
            .map { GroupFacts(id: "group-\($0)", title: "") }
        var tables: [Relation: NeighbourTable] = [:]
        for relation in RelationTable.standard.requiredRelations {
            var table = NeighbourTable(offsets: [0], neighbours: [])
            for group in facts.indices {
                let isEmpty = Int.random(in: 0..<10, using: &generator) == 0
                let others = facts.indices.filter { $0 != group }.shuffled(using: &generator)
                var score = Float(0.9)
                for other in others.prefix(isEmpty ? 0 : Int.random(in: 1...30, using: &generator)) {
                    table.neighbours.append(Neighbour(index: UInt32(other), common: 3, score: score))
                    score *= Float.random(in: 0.9...1, using: &generator)
                }
                table.offsets.append(table.neighbours.count)
            }
            tables[relation] = table
        }
        return try ModelVersion(EncodedModel(groups: facts, tables: tables))
    }

    private func ids(_ version: ModelVersion) -> [String] { (0..<version.groupCount).map { version.id(of: $0) } }

    private func lists(_ version: ModelVersion, _ relation: Relation) -> Lists {
        var lists: Lists = [:]
        for group in 0..<version.groupCount {
            lists[version.id(of: group)] = version.neighbours(of: group, by: relation).map {
                (version.id(of: Int($0.index)), Double($0.score))
            }
        }
        return lists
    }

    private func overlap(_ before: Lists, _ after: Lists, _ groups: [String], _ limit: Int) -> Double? {
        var (sum, count) = (0.0, 0)
        for group in groups {
            let best = before[group, default: []].prefix(limit).map(\.id)
            let bestAfter = after[group, default: []].prefix(limit).map(\.id)
            guard max(best.count, bestAfter.count) > 0 else { continue }
            sum += Double(Set(best).intersection(bestAfter).count) / Double(max(best.count, bestAfter.count))
            count += 1
        }
        return count == 0 ? nil : sum / Double(count)
    }

    private func drift(_ before: Lists, _ after: Lists, _ groups: [String]) -> Double? {
        var (moved, all) = (0.0, 0.0)
        for group in groups {
            let scores = Dictionary(after[group, default: []].map { ($0.id, $0.score) }) { first, _ in first }
            for (id, score) in before[group, default: []] {
                guard let now = scores[id] else { continue }
                moved += abs(now - score)
                all += score
            }
        }
        return all == 0 ? nil : moved / all
    }

    private func close(_ left: Double?, _ right: Double?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return abs(left - right) < 1e-6
    }
}
