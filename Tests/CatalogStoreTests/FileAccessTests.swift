import Basics
import CatalogStore
import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@Suite("File permissions")
struct FileAccessTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/catalog.sqlite" }

    /// The value of `F_OFD_GETLK`, which the module Glibc does not have.
    private static let getLockOfOpenFile: CInt = 36

    init() throws { directory = try TemporaryDirectory() }

    /// Returns the permissions of all files in a folder, by name.
    private func modes(in folder: String) throws -> [String: Int] {
        var modes: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            modes[name] = attributes[.posixPermissions] as? Int
        }
        return modes
    }

    @Test(
        "Only the owner may read a new catalog, SQLite's files next to it, and rejected lines")
    func new() throws {
        let catalog = try CatalogUnderTest()
        try catalog.importing(.memberships, "group_id,user_id\nowls,ann\n,ann\n")
        let modes = try modes(in: catalog.directory.path).filter { !$0.key.hasPrefix("file") }
        #expect(
            modes == [
                "catalog.sqlite": 0o600, "catalog.sqlite-wal": 0o600, "catalog.sqlite-shm": 0o600, "rejects.tsv": 0o600,
                "rejects-reasons.tsv": 0o600,
            ])
    }

    @Test("Rejected lines go to no other file, and a file that others could read is closed to them")
    func rejects() throws {
        let test = try CatalogUnderTest()
        let bad = "group_id,user_id\nowls,ann\n,ann\n"
        let target = test.directory.path + "/target"
        try "kept".write(toFile: target, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: test.rejectsPath, withDestinationPath: target)
        let error = try #require(catalogError { try test.importing(.memberships, bad) })
        #expect(error.code == .fileFailed && error.message.contains("it is a link"), "\(error)")
        #expect(test.content(of: "target") == "kept")
        #expect(try test.content(.memberships).isEmpty)
        try FileManager.default.removeItem(atPath: test.rejectsPath)
        try "old".write(toFile: test.rejectsPath, atomically: true, encoding: .utf8)
        try #require(unsafe chmod(test.rejectsPath, 0o666) == 0)
        try test.importing(.memberships, bad)
        #expect(try modes(in: test.directory.path)["rejects.tsv"] == 0o600)
    }

    @Test("An existing catalog keeps its permissions, and SQLite's files next to it have the same")
    func existing() throws {
        _ = try Catalog(path: path, mode: .writing)
        try #require(unsafe chmod(path, 0o640) == 0)
        for mode in [Catalog.Mode.writing, .recording] {
            let catalog = try Catalog(path: path, mode: mode)
            #expect(try catalog.facts.groups().isEmpty)
            #expect(
                try modes(in: directory.path)
                    == ["catalog.sqlite": 0o640, "catalog.sqlite-wal": 0o640, "catalog.sqlite-shm": 0o640])
        }
    }

    @Test("A new catalog at the end of a link has the same permissions")
    func link() throws {
        let target = directory.path + "/elsewhere"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        _ = try Catalog(path: path, mode: .writing)
        #expect(try modes(in: directory.path)["elsewhere"] == 0o600)
    }

    @Test("Opening a file again keeps the locks that the process has on it")
    func locks() throws {
        let first = try Database(path: path, mode: .create)
        try first.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
        // The descriptor is closed at the very end: closing any descriptor of the file would give up the locks.
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        func isLocked() -> Bool {
            // To a lock of the open file description, locks of the same process are foreign.
            var lock = flock()
            (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
            return unsafe fcntl(descriptor, Self.getLockOfOpenFile, &lock) == 0 && lock.l_type != F_UNLCK
        }
        #expect(isLocked())
        let second = try Database(path: path, mode: .create)
        #expect(isLocked())
        try second.execute("INSERT INTO t VALUES (1)")
    }
}
