import Basics
import Foundation
@testable import Operations
import TestSupport
import Testing

@Suite("The archive of a backup")
struct ArchiveTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/backup.tar" }

    init() throws { directory = try TemporaryDirectory() }

    /// Files of lengths around those of blocks and pieces.
    private static let contents: [(name: String, bytes: [UInt8])] =
        [0, 1, 511, 512, 513, (1 << 20) + 7].map {
            ("journals/\($0)", (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        } + [("catalog.sqlite", Array("the catalog".utf8))]

    @discardableResult
    private func write(_ contents: [(name: String, bytes: [UInt8])] = contents) throws -> BackupManifest {
        var writer = try ArchiveWriter(path)
        for (name, bytes) in contents {
            try writer.add(name) { target throws(Failure) in try OpenFile(target, for: .rewriting).append(bytes) }
        }
        let manifest = BackupManifest(
            format: BackupManifest.format, startedAtMilliseconds: 5, schemaVersion: 11, streamedChanges: nil,
            files: writer.files)
        try writer.finish(manifest)
        return manifest
    }

    /// The content of all files; nil if the archive is refused.
    private func read() throws -> [[UInt8]]? {
        do {
            let reader = try ArchiveReader(path)
            var contents: [[UInt8]] = []
            for file in reader.manifest.files {
                var bytes: [UInt8] = []
                try reader.read(file) { piece in bytes += piece }
                contents.append(bytes)
            }
            return contents
        } catch {
            #expect(error.code == .corrupt, "\(error)")
            return nil
        }
    }

    @Test("Files come back as they were, and nothing else is left beside the archive")
    func roundTrip() throws {
        let manifest = try write()
        #expect(try read() == Self.contents.map(\.bytes))
        #expect(try ArchiveReader(path).manifest == manifest)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["backup.tar"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("tar can read it")
    func tar() throws {
        try write()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/tar")
        process.arguments = ["-xf", path, "-C", directory.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        for (name, bytes) in Self.contents {
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)")) == Data(bytes), "\(name)")
        }
    }

    @Test("Whichever byte is changed: the archive is refused, or its files are what they were")
    func damage() throws {
        let small = [("journals/journal-1.sqlite", Array("a journal".utf8)), ("catalog.sqlite", [1, 2, 3])]
        try write(small)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var refused = 0
        for position in stride(from: 0, to: whole.count, by: 7) {
            var damaged = whole
            damaged[position] ^= 0x41
            try damaged.write(to: URL(fileURLWithPath: path))
            guard let contents = try read() else {
                refused += 1
                continue
            }
            #expect(contents == small.map(\.1), "byte \(position)")
        }
        #expect(refused > 150)
    }

    @Test("An archive that is cut off anywhere before its end is refused")
    func truncation() throws {
        try write([("catalog.sqlite", [1, 2, 3])])
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        // Only the two empty blocks at the end may be missing.
        for count in stride(from: 0, to: whole.count - 1024 - 512, by: 100) {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(try read() == nil, "\(count) bytes")
        }
    }

    @Test(
        "A backup of another program than the one of 2026-11-27 is refused, and it is said why",
        arguments: [(BackupManifest.format + 1, 99), (BackupManifest.format - 1, 23), (2, 25), (1, 24)])
    func otherProgram(format: Int, schemaVersion: Int) throws {
        var writer = try ArchiveWriter(path)
        try writer.add("catalog.sqlite") { target throws(Failure) in try OpenFile(target, for: .rewriting).append([1]) }
        try writer.finish(
            BackupManifest(
                format: format, startedAtMilliseconds: 5, schemaVersion: schemaVersion, streamedChanges: nil,
                files: writer.files))
        do {
            _ = try ArchiveReader(path)
            Issue.record("it was read")
        } catch {
            #expect(error.code == .otherFormat)
            let advice = format > BackupManifest.format ? "with that program" : "those of the program of 2026-11-27"
            #expect(error.message.contains(advice))
        }
    }
}
