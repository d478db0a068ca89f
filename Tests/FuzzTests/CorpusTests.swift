import Foundation
import Testing

@Suite("The corpus of the fuzz targets")
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Corpus")

    @Test("holds for what good bytes begin with, and for what Jobs/fuzz has found", arguments: FuzzTargets.all.keys)
    func corpus(name: String) throws {
        var target = try #require(FuzzTargets.all[name]).init()
        for bytes in try target.seeds() { try target.take(bytes) }
        let files = try? FileManager.default.contentsOfDirectory(
            at: Self.folder.appendingPathComponent(name), includingPropertiesForKeys: nil)
        for file in files ?? [] {
            let bytes = Array(try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.take(bytes) }
        }
    }

    @Test("holds for good bytes that are cut short anywhere", arguments: FuzzTargets.all.keys)
    func cut(name: String) throws {
        var target = try #require(FuzzTargets.all[name]).init()
        for seed in try target.seeds() {
            // Long ones at some places only: each takes its time.
            for count in stride(from: 0, to: seed.count, by: max(1, seed.count / 40)) {
                #expect(throws: Never.self, "\(count) of \(seed)") { try target.take(Array(seed.prefix(count))) }
            }
        }
    }

    @Test("has no folder that belongs to no target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders).subtracting(FuzzTargets.all.keys).isEmpty)
    }
}
