import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Recompute
import Similarity
import TestSupport
import Testing

@Suite("Recomputing")
struct RecomputeTests {
    struct Listed: Equatable {
        var group: String
        var common: Int
        var score: Float
    }

    /// The neighbours of each group, from sets of external ids.
    private func bruteForce(
        _ groups: [(group: String, entries: Set<String>)], _ parameters: SimilarityParameters
    ) -> [[Listed]] {
        groups.map { group, mine in
            guard mine.count >= parameters.minimumEntries else { return [] }
            var found: [(listed: Listed, common: Int, size: Int)] = []
            for (other, its) in groups where other != group && its.count >= parameters.minimumEntries {
                let common = mine.intersection(its).count
                guard common >= parameters.minimumCommon else { continue }
                let score = Double(common) / (Double(mine.count) * Double(its.count)).squareRoot()
                found.append((Listed(group: other, common: common, score: Float(score)), common, its.count))
            }
            found.sort {
                let (left, right) = ($0.common * $0.common * $1.size, $1.common * $1.common * $0.size)
                return left != right
                    ? left > right : $0.listed.group.utf8.lexicographicallyPrecedes($1.listed.group.utf8)
            }
            return found.prefix(parameters.limit).map(\.listed)
        }
    }

    private func lists(_ model: ModelVersion, _ relation: Relation) -> [[Listed]] {
        (0..<model.groupCount).map { group in
            model.neighbours(of: group, by: relation).map { neighbour in
                Listed(group: model.id(of: Int(neighbour.index)), common: Int(neighbour.common), score: neighbour.score)
            }
        }
    }

    @Test("a hidden group is left out of everything, like a private one", arguments: 0..<4)
    func hiddenGroups(seed: UInt64) throws {
        let community = try SmallCommunity.random(seed: seed)
        let catalog = try Catalog(path: community.catalogPath, mode: .writing)
        let hidden = try catalog.facts.groups().filter(\.isShown).prefix(2).map(\.id)
        func model() throws -> (model: ModelVersion, manifest: Manifest) {
            let loaded = try community.store.load(community.recompute().manifest.version)
            return (loaded.model, loaded.manifest)
        }
        func decide(_ action: SiteChange.Action) throws {
            try catalog.take(hidden.map { .site(SiteChange(ofGroup: $0, action, atMilliseconds: 1)) })
        }
        try decide(.curate(position: nil, startsAt: nil, expiresAt: nil))
        try decide(.hide)
        let without = try model()
        try decide(.unhide)
        try community.importing(.groups, "group_id,visibility\n" + hidden.map { "\($0),private\n" }.joined())
        let asPrivate = try model()
        #expect(without.manifest.groups == asPrivate.manifest.groups)
        #expect(without.model.curated.isEmpty && without.model.groupCount == asPrivate.model.groupCount)
        for group in hidden { #expect(without.model.index(ofID: group) == nil) }
        for relation in RelationTable.standard.requiredRelations {
            #expect(lists(without.model, relation) == lists(asPrivate.model, relation))
        }
    }

    @Test(
        "publishes the lists of brute force over the catalog, and a manifest with the right counts", arguments: 0..<12)
    func endToEnd(seed: UInt64) throws {
        let community = try SmallCommunity.random(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let outcome = try community.recompute { parameters in
            for relation in RelationTable.standard.requiredRelations {
                parameters[relation].minimumEntries = .random(in: 1...30, using: &generator)
                parameters[relation].minimumCommon = .random(in: 1...8, using: &generator)
                parameters[relation].limit = [1, 3, 10, 100].randomElement(using: &generator) ?? 1
                parameters[relation].measure = .cosine
            }
            parameters.threads = .random(in: 1...4, using: &generator)
        }
        #expect(outcome.isPublished)
        let current = try #require(try community.store.current())
        #expect(current == outcome.manifest.version)
        let loaded = try community.store.load(current)
        let (manifest, model) = (loaded.manifest, loaded.model)
        #expect(manifest == outcome.manifest)
        for relation in RelationTable.standard.requiredRelations {
            let report = try #require(manifest[relation])
            let groups = try community.entries(relation)
            #expect((0..<model.groupCount).map { model.id(of: $0) } == groups.map(\.group))
            let expected = bruteForce(
                groups,
                .init(minimumEntries: report.minimumEntries, minimumCommon: report.minimumCommon, limit: report.limit))
            #expect(lists(model, relation) == expected)
            #expect((0..<model.groupCount).map { Int(model.size(of: $0, in: relation)) } == groups.map(\.entries.count))
            #expect(report.entries == groups.reduce(0) { $0 + $1.entries.count })
            #expect(report.groupsCounted == groups.count { $0.entries.count >= report.minimumEntries })
            #expect(report.groupsCounted + report.groupsBelowMinimum == groups.count)
            #expect(report.neighbours == expected.reduce(0) { $0 + $1.count })
            #expect(report.groupsWithNeighbours == expected.count { !$0.isEmpty })
        }
        #expect(manifest.groups.included == model.groupCount)
        #expect(manifest.groups.leftOutPrivate == (try community.privateGroupCount()))
        for group in 0..<model.groupCount {
            let facts = model.facts(of: group)
            #expect(facts.title == "Title of \(facts.id)")
            #expect(facts.joinPolicy == [.open, .approval, .invite][facts.id.count % 3])
        }
    }

    @Test("the published bytes contain nothing private, and no id of a photo or user", arguments: 0..<4)
    func privacy(seed: UInt64) throws {
        let community = try SmallCommunity.random(seed: 50 + seed)
        let outcome = try community.recompute { $0[.photos].minimumCommon = 1 }
        let folder = "\(community.store.location)/versions/\(outcome.manifest.version)"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(files) == ["model.coterie", "manifest.json"])
        for file in files {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
            for secret in ["hidden", "photo-", "user-"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file)")
            }
            // The search itself can find text:
            #expect(file != "model.coterie" || bytes.range(of: Data("Title of group-".utf8)) != nil)
        }
        #expect(try community.entries(.photos).allSatisfy { !$0.group.hasPrefix("hidden") })
    }

    @Test("1 to 4 threads give the same sections, byte for byte")
    func threads() throws {
        let community = try SmallCommunity.random(seed: 77)
        let checksums = try (1...4).map { threads in
            try community.recompute { $0.threads = threads }.manifest.sections
        }
        #expect(checksums.allSatisfy { $0 == checksums[0] })
        #expect(checksums[0].allSatisfy { $0.checksum.count == 16 })
    }

    @Test("a group with exactly X entries, and a pair with exactly Y common ones, count")
    func bounds() throws {
        let community = try SmallCommunity()
        var lines = ""
        for (group, users) in [("a", 0..<5), ("b", 1..<6), ("c", 3..<8), ("d", 0..<4)] {
            lines += users.map { "\(group),u\($0)\n" }.joined()
        }
        try community.importing(.memberships, "group_id,user_id\n" + lines)
        // a and b share 4, a and c 2, b and c 3; d has too few members.
        let loaded = { (outcome: RecomputeJob.Outcome) in try community.store.load(outcome.manifest.version).model }
        let model = try loaded(
            community.recompute {
                $0[.members].minimumEntries = 5
                $0[.members].minimumCommon = 3
            })
        #expect(lists(model, .members).map { $0.map(\.group) } == [["b"], ["a", "c"], ["b"], []])
        let stricter = try loaded(
            community.recompute {
                $0[.members].minimumEntries = 4
                $0[.members].minimumCommon = 4
            })
        #expect(lists(stricter, .members).map { $0.map(\.group) } == [["d", "b"], ["a"], [], ["a"]])
    }
}
