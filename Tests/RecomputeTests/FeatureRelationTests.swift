import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import TestSupport
import Testing

/// Relations whose entries are features of photos: themes, places and looks.
@Suite("Groups that are similar by what their photos show")
struct FeatureRelationTests {
    private static let features = [RelationDescription.themes, .places, .looks].map(\.relation)
    private static let photosOfGroup = 12

    /// The groups with the tags and the place of their photos; no photo is in two pools.
    private static let groups: [(id: String, visibility: String, tags: String, place: String, vector: String)] = [
        ("birds-of-berlin", "public", "bird;wing", "52.52,13.40", "1 0 0"),
        ("birds-of-rome", "public", "bird;wing", "41.90,12.50", "1 0 0"),
        ("cars-of-berlin", "public", "car;wheel", "52.52,13.40", "0 1 0"),
        ("cars-of-potsdam", "public", "car;wheel", "52.40,13.06", "0 1 0"),
        ("secret-birds", "private", "bird;wing", "52.52,13.40", "1 0 0"),
    ]

    private func community(isDescribed: Bool = true) throws -> SmallCommunity {
        let community = try SmallCommunity()
        var (photos, pools, vectors) = ("", "", "")
        for group in Self.groups {
            for number in 0..<Self.photosOfGroup {
                let id = "\(group.id)-\(number)"
                photos += isDescribed ? "\(id),public,\(group.tags),\(group.place)\n" : "\(id),public,,,\n"
                pools += "\(group.id),\(id)\n"
                vectors += "\(id)\t\(group.vector)\n"
            }
        }
        // Private photos about birds must not make a group of cars one of birds.
        for number in 0..<30 {
            photos += "private-\(number),private,bird;wing,41.90,12.50\n"
            pools += "cars-of-berlin,private-\(number)\n"
            vectors += "private-\(number)\t1 0 0\n"
        }
        try community.importing(
            .groups, "group_id,visibility\n" + Self.groups.map { "\($0.id),\($0.visibility)\n" }.joined())
        let members = Self.groups.flatMap { group in (0..<3).map { "\(group.id),u\($0)\n" } }
        try community.importing(.memberships, "group_id,user_id\n" + members.joined())
        try community.importing(.photos, "photo_id,visibility,tags,latitude,longitude\n" + photos)
        try community.importing(.pools, "group_id,photo_id\n" + pools)
        guard isDescribed else { return community }
        let path = community.directory.path + "/vectors.tsv"
        try Data(("photo_id\tvector\n" + vectors).utf8).write(to: URL(fileURLWithPath: path))
        let catalog = try Catalog(path: community.catalogPath, mode: .writing)
        _ = try VectorImporter(
            into: catalog, model: "m", options: ImportOptions(rejectsPath: community.directory.path + "/rejects")
        ).run([.init(path: path, idsPath: nil)])
        return community
    }

    private func recompute(_ community: SmallCommunity, threads: Int = 2) throws -> LoadedVersion {
        let job = RecomputeJob(
            catalogPath: community.catalogPath, store: community.store, parameters: .init(threads: threads),
            startedAtMilliseconds: 1_795_219_200_000)
        return try community.store.load(job.run(observer: RecordingObserver()).manifest.version)
    }

    private func neighbours(of id: String, by facts: RelationDescription, _ model: ModelVersion) throws -> [String] {
        let group = try #require(model.index(ofID: id))
        return model.neighbours(of: group, by: facts.relation).map { model.id(of: Int($0.index)) }.sorted()
    }

    @Test("Groups have the same themes, places or looks, whoever joined them and whatever is private")
    func similar() throws {
        let model = try recompute(community()).model
        #expect(model.relations == RelationTable.standard.requiredRelations + Self.features)
        for facts in [RelationDescription.themes, .looks] {
            #expect(try neighbours(of: "birds-of-berlin", by: facts, model) == ["birds-of-rome"])
            #expect(try neighbours(of: "cars-of-berlin", by: facts, model) == ["cars-of-potsdam"])
        }
        #expect(
            try neighbours(of: "birds-of-berlin", by: .places, model) == ["cars-of-berlin", "cars-of-potsdam"])
        #expect(try neighbours(of: "birds-of-rome", by: .places, model) == [])
        let birds = try #require(model.index(ofID: "birds-of-berlin"))
        #expect(model.neighbours(of: birds, by: RelationDescription.themes.relation).map(\.common) == [2])
    }

    @Test("Without descriptions of photos a version has none of these relations")
    func nothing() throws {
        let version = try recompute(community(isDescribed: false))
        #expect(version.model.relations == RelationTable.standard.requiredRelations)
        #expect(Self.features.allSatisfy { version.manifest[$0] == nil })
    }

    @Test("The same photos give the same bytes on any number of threads, and nothing counts in lists without evidence")
    func deterministic() throws {
        let versions = try [1, 3].map { try recompute(community(), threads: $0) }
        for relation in Self.features {
            #expect(versions.allSatisfy { $0.model.evidenceWeight(of: relation) == 0 })
            let lists = versions.map { version in
                (0..<version.model.groupCount).map { Array(version.model.neighbours(of: $0, by: relation)) }
            }
            #expect(lists[0] == lists[1] && lists[0].contains { !$0.isEmpty })
        }
    }
}
