import Basics
import Foundation
import Glibc
import Model
import ModelStore
import TestSupport
import Testing

@Suite("Versions that are loaded as copies")
struct OwnCopyTests {
    @Test("stay as they were, whatever becomes of their files; they leave nothing behind, and need no room to spare")
    func damage() throws {
        let directory = try TemporaryDirectory()
        let model = try SampleModel.model(groupCount: 90)
        let store = FolderStore(directory.path, hasOwnCopies: true)
        let version = try store.publish(model, manifest: SampleModel.manifest(1, groupCount: 90), members: nil) {
            _, _ in
        }.version
        let folder = "\(directory.path)/versions/\(version)"
        let loaded = try store.load(version)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["manifest.json", "model.coterie"])
        let path = folder + "/model.coterie"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o444, "nobody changes it by accident")
        unsafe chmod(path, 0o644)
        try Data(repeating: 0xA5, count: 5000).write(to: URL(fileURLWithPath: path))
        unsafe truncate(path, 0)
        #expect(try encodedAgain(loaded.model) == model)
        #expect(throws: Failure.self) { try store.load(version) }
    }

    @Test(
        "are mapped files after all if the disk has no room for them", .enabled(if: SmallDisk.isAvailable, "takes root")
    )
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 1024)
        let model = try SampleModel.model(groupCount: 90)
        let store = FolderStore(disk.path, hasOwnCopies: true)
        let version = try store.publish(model, manifest: SampleModel.manifest(1, groupCount: 90), members: nil) {
            _, _ in
        }.version
        try disk.fill()
        #expect(try encodedAgain(store.load(version).model) == model)
    }
}
