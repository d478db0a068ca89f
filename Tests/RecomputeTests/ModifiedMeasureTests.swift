import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import Similarity
import TestSupport
import Testing

@Suite("Recomputing with the modified cosine")
struct ModifiedMeasureTests {
    /// An entry of a list, computed from sets of external ids and the weights of the manifest alone.
    private struct Entry {
        var group: String
        var common: Int
        var key: Double
        var score: Double
        /// Entries of the group whose pairs these are.
        var ownSize: Int
    }

    private func bruteForce(_ groups: [(group: String, entries: Set<String>)], _ report: Manifest.RelationReport)
        throws -> [[Entry]]
    {
        let p = try #require(report.measureParameters["p"]), q = try #require(report.measureParameters["q"])
        let h = try #require(report.measureParameters["h"]), r = try #require(report.measureParameters["r"])
        // Pairs are kept for the group that is asked, whose size does not change their order.
        let (own, its) = report.cut == "target" ? (q, p) : (p, q)
        let weights = try #require(report.weights)
        let counting = groups.filter { $0.entries.count >= report.minimumEntries }
        var degrees: [String: Int] = [:]
        for group in counting { for entry in group.entries { degrees[entry, default: 0] += 1 } }
        #expect(Set(weights.keys) == Set(degrees.values))
        return try groups.map { group, mine in
            guard mine.count >= report.minimumEntries else { return [] }
            var found: [Entry] = []
            for (other, theirs) in counting where other != group {
                let shared = mine.intersection(theirs)
                guard shared.count >= report.minimumCommon else { continue }
                let sum = try shared.reduce(0) { try $0 + Int(#require(weights[degrees[$1] ?? 0])) }
                let common = Double(shared.count)
                let key = Double(sum) * pow(Double(theirs.count), -its) * (common / (common + h))
                let score = pow(key / 0x1p31 * pow(Double(mine.count), -own), r)
                found.append(
                    Entry(group: other, common: shared.count, key: key, score: score, ownSize: mine.count))
            }
            found.sort {
                $0.key != $1.key ? $0.key > $1.key : $0.group.utf8.lexicographicallyPrecedes($1.group.utf8)
            }
            return found
        }
    }

    /// The lists of the sources, from the best pairs of each group: cut, turned if need be, and divided.
    private func listed(_ pairs: [[Entry]], _ ids: [String], _ report: Manifest.RelationReport) throws -> [[Entry]] {
        let q = try #require(report.measureParameters["q"]), g = try #require(report.measureParameters["g"])
        let kept = pairs.map { Array($0.prefix(report.limit)) }
        var lists = kept
        if report.cut == "target" {
            lists = ids.map { source in
                var list: [Entry] = []
                for (target, sources) in kept.enumerated() {
                    for var place in sources where place.group == source {
                        // The sizes that the caller has put beside the pairs.
                        place.key *= pow(Double(place.ownSize), -q)
                        place.group = ids[target]
                        list.append(place)
                    }
                }
                return list.sorted {
                    $0.key != $1.key ? $0.key > $1.key : $0.group.utf8.lexicographicallyPrecedes($1.group.utf8)
                }
            }
        }
        return lists.map { list in
            let divisor = pow(list.reduce(0) { $0 + $1.score }, g)
            return list.map { place in
                var place = place
                place.score /= g == 0 ? 1 : divisor
                return place
            }
        }
    }

    private func recomputed(seed: UInt64) throws -> (SmallCommunity, LoadedVersion) {
        let community = try SmallCommunity.random(seed: 200 + seed)
        var generator = SeededGenerator(seed: seed)
        let outcome = try community.recompute { parameters in
            for relation in RelationTable.standard.requiredRelations {
                parameters[relation].minimumEntries = .random(in: 1...20, using: &generator)
                parameters[relation].minimumCommon = .random(in: 1...5, using: &generator)
                parameters[relation].limit = [3, 10, 100].randomElement(using: &generator) ?? 1
                parameters[relation].measure = .modified(
                    ModifiedCosine(
                        degreeDiscount: .random(in: 0...2, using: &generator),
                        sourceExponent: .random(in: 0...1, using: &generator),
                        neighbourExponent: .random(in: 0...1, using: &generator),
                        shrinkage: .random(in: 0...10, using: &generator),
                        scorePower: .random(in: 0.5...2, using: &generator),
                        cut: seed.isMultiple(of: 2) ? .target : .source,
                        listPower: seed.isMultiple(of: 3) ? .random(in: 0...1, using: &generator) : 0))
            }
        }
        return (community, try community.store.load(outcome.manifest.version))
    }

    @Test("publishes the lists of brute force over the catalog with the manifest's weights", arguments: 0..<8)
    func endToEnd(seed: UInt64) throws {
        let (community, version) = try recomputed(seed: seed)
        for relation in RelationTable.standard.requiredRelations {
            let report = try #require(version.manifest[relation])
            #expect(report.measure == "modified")
            #expect(report.cut == (seed.isMultiple(of: 2) ? "target" : nil))
            let groups = try community.entries(relation)
            let expected = try listed(bruteForce(groups, report), groups.map(\.group), report)
            for (group, best) in expected.enumerated() {
                let listed = version.model.neighbours(of: group, by: relation)
                #expect(listed.map { version.model.id(of: Int($0.index)) } == best.map(\.group))
                #expect(listed.map { Int($0.common) } == best.map(\.common))
                #expect(listed.map(\.score) == best.map { Float($0.score) })
            }
        }
    }

    @Test("counting afresh gives the ranks and the scores of pairs, also of those that are not kept", arguments: 0..<4)
    func afresh(seed: UInt64) throws {
        let (community, version) = try recomputed(seed: seed)
        let catalog = try Facts(path: community.catalogPath)
        for facts in RelationTable.standard where facts.isRequired {
            let relation = facts.relation
            let report = try #require(version.manifest[relation])
            let formula = try #require(ListFormula(report))
            let expected = try bruteForce(community.entries(relation), report)
            for (index, list) in expected.enumerated() where !list.isEmpty {
                let group = try #require(try catalog.group(withID: version.model.id(of: index)))
                let found = try OverlapReport(
                    of: group, in: try #require(facts.source), of: catalog, minimumCommon: report.minimumCommon,
                    weights: EntryWeights(minimumEntries: report.minimumEntries, weight: formula.weight(ofDegree:)))
                func counts(_ overlap: Overlap) -> PairCounts {
                    PairCounts(common: overlap.common, otherSize: overlap.size, weightSum: overlap.weightSum)
                }
                // They come in the order of their ids' bytes.
                let passing = found.overlaps.filter { $0.size >= report.minimumEntries }.enumerated().sorted {
                    let (left, right) = (counts($0.element), counts($1.element))
                    if formula.isCloser(left, than: right) { return true }
                    return !formula.isCloser(right, than: left) && $0.offset < $1.offset
                }.map(\.element)
                #expect(formula.hasWeights)
                #expect(passing.map(\.groupID) == list.map(\.group))
                #expect(passing.map { formula.score(counts($0), ownSize: found.size) } == list.map(\.score))
            }
        }
    }

    @Test("plain cosine has no weights, and the manifest says which path ran")
    func plain() throws {
        let community = try SmallCommunity.random(seed: 300)
        for path in ProcessorPath.supported {
            let manifest = try community.recompute { parameters in
                parameters.path = path
                for relation in RelationTable.standard.requiredRelations { parameters[relation].measure = .cosine }
            }.manifest
            #expect(manifest.relations.allSatisfy { $0.weights == nil && $0.path == path.rawValue })
        }
    }
}
