import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import TestSupport
import Testing

/// The signals of the sample community, whose groups are named after what happens in them.
@Suite("Signals of the sample community")
struct SampleCommunityTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Data/sample").path

    @Test("the order of the lines in the files changes no byte of a model")
    func order() throws {
        let models = try [false, true].map { isReversed in
            let community = try SmallCommunity()
            // Relations first and backwards: users, photos and groups get other numbers.
            for kind in isReversed ? ImportKind.ofGroups.reversed() : ImportKind.ofGroups {
                let text = try String(contentsOfFile: "\(Self.folder)/\(kind.name).tsv", encoding: .utf8)
                let lines = text.split(separator: "\n")
                let rows = isReversed ? Array(lines.dropFirst().reversed()) : Array(lines.dropFirst())
                let path = "\(community.directory.path)/\(kind.name).tsv"
                let content = ([lines[0]] + rows).joined(separator: "\n") + "\n"
                try Data(content.utf8).write(to: URL(fileURLWithPath: path))
                let options = ImportOptions(rejectsPath: community.directory.path + "/rejects.tsv")
                _ = try Importer(
                    into: Catalog(path: community.catalogPath, mode: .writing), kind: kind, options: options
                ).run([path])
            }
            let version = try community.recompute().manifest.version
            return try Data(
                contentsOf: URL(
                    fileURLWithPath: community.directory.path + "/store/versions/\(version)/model.coterie"))
        }
        #expect(models[0] == models[1])
    }

    @Test("seasonal groups rise in their months; what trends at the end of October is autumn; tags find their groups")
    func sample() throws {
        let community = try SmallCommunity()
        let catalog = try Catalog(path: community.catalogPath, mode: .writing)
        for kind in ImportKind.ofGroups {
            let options = ImportOptions(rejectsPath: community.directory.path + "/rejects.tsv")
            _ = try Importer(into: catalog, kind: kind, options: options).run(["\(Self.folder)/\(kind.name).tsv"])
        }
        let model = try community.store.load(community.recompute().manifest.version).model
        func index(_ id: String) throws -> Int { try #require(model.index(ofID: id)) }
        // January is 0.
        for (id, season) in [
            ("christmas-lights", [11]), ("autumn-leaves", [9, 10]), ("hanami", [2, 3]), ("snow-day", [11, 0, 1]),
            ("beach-days", [5, 6, 7]),
        ] {
            let group = try index(id)
            let factors = (0..<12).map { model.seasonalFactor(of: group, month: $0) }
            let others = factors.indices.filter {
                !season.contains($0) && !season.contains(($0 + 1) % 12) && !season.contains(($0 + 11) % 12)
            }
            let inSeason = season.map { factors[$0] }
            #expect(inSeason.contains { $0 > 1.2 }, "\(id): \(factors)")
            #expect(inSeason.reduce(0, +) / Double(season.count) > 1.1, "\(id): \(factors)")
            #expect(others.reduce(0) { $0 + factors[$1] } / Double(others.count) < 0.9, "\(id): \(factors)")
        }
        let steady = try index("macro-mondays")
        #expect((0..<12).allSatisfy { (0.7...1.4).contains(model.seasonalFactor(of: steady, month: $0)) })
        let trending = model.trending.map { model.id(of: Int($0.group)) }
        #expect(trending.contains("autumn-leaves") && !trending.contains("christmas-lights"))
        #expect(model.groups(withTag: "puppy").prefix(3).contains { model.id(of: Int($0.group)).contains("dogs") })
        let paris = try #require(PlaceCell(latitude: 48.86, longitude: 2.35))
        #expect(model.groups(at: paris).contains { model.id(of: Int($0.group)).contains("paris") })
        #expect(model.groups(withTopic: "Autumn").contains(UInt32(try index("autumn-leaves"))))
    }
}
