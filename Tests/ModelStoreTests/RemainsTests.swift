import Basics
import Foundation
import Model
import TestSupport
import Testing

@testable import ModelStore

@Suite("What killed processes leave in a folder of images")
struct RemainsTests {
    @Test("is removed at the next start; what another process is making stays")
    func sweep() throws {
        let directory = try TemporaryDirectory()
        let cache = ImageCache(directory.path, hasOwnCopies: false)
        try cache.sweep()
        let files = FileManager.default
        let versions = directory.path + "/versions"
        for name in ["v1", ".incoming-v2", ".removed-v0"] {
            try files.createDirectory(atPath: "\(versions)/\(name)", withIntermediateDirectories: true)
            _ = files.createFile(atPath: "\(versions)/\(name)/model.coterie", contents: Data([1]))
        }
        let writer = try PublishedMembersWriter("\(versions)/v1/members-alive")
        for name in ["members", "members-dead"] {
            _ = files.createFile(atPath: "\(versions)/v1/\(name)", contents: Data([1]))
        }
        // While another process installs an image, nothing is touched.
        try FolderLock.whilePublishing(in: FolderLayout(directory: directory.path)) { () throws(Failure) in
            _ = #expect(throws: Failure.self) { try cache.sweep() }
        }
        #expect(try files.contentsOfDirectory(atPath: versions).count == 3)
        try cache.sweep()
        #expect(try files.contentsOfDirectory(atPath: versions) == ["v1"])
        let left = try files.contentsOfDirectory(atPath: versions + "/v1").sorted()
        #expect(left == ["members", "members-alive", "model.coterie"])
        try writer.finish()
        try cache.sweep()
        #expect(!files.fileExists(atPath: versions + "/v1/members-alive"))
    }
}
