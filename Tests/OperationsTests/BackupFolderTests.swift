import CatalogStore
import Foundation
import ModelStore
import TestSupport
import Testing

@testable import Operations

@Suite("A folder of backups")
struct BackupFolderTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/backups" }
    private var catalog: String { directory.path + "/catalog.sqlite" }
    /// Noon of 1 June 2025, in Unix seconds.
    private let noon: Int64 = 1_748_779_200

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try add(groups: 1)
    }

    /// Imports groups with long titles.
    private func add(groups count: Int) throws {
        let path = directory.path + "/groups.csv"
        let title = String(repeating: "macro ", count: 100)
        try ("group_id,title\n" + (0..<count).map { "g\($0),\(title)\n" }.joined())
            .write(toFile: path, atomically: true, encoding: .utf8)
        let importer = try Importer(
            into: Catalog(path: catalog, mode: .writing), kind: .groups,
            options: ImportOptions(rejectsPath: directory.path + "/rejects"))
        _ = try importer.run([path])
    }

    /// Takes a backup so many days after noon, and returns its path.
    @discardableResult
    private func backUp(days: Int64 = 0, name: String? = nil) throws -> String {
        let now = noon + days * 86_400
        let path = name.map { "\(folder)/\($0)" } ?? BackupFolder(folder).file(at: now)
        _ = try SiteBackup(catalog: catalog, journals: [], store: nil)
            .write(to: path, isReplacing: false, now: now * 1000)
        return path
    }

    /// Returns the findings about backups, a minute after noon.
    private func findings() -> [String] {
        var places = HealthCheck.Places(
            catalog: catalog, store: .folder(directory.path + "/store"), cache: directory.path)
        places.backups = folder
        let check = HealthCheck(places, scratchFolder: directory.path + "/scratch") { (noon + 60) * 1000 }
        var found: [String] = []
        _ = check.run { finding in
            guard finding.subject == "backup" else { return }
            found.append("\(finding.state.rawValue) \(finding.message.replacing(folder + "/", with: ""))")
        }
        return found
    }

    @Test("Of backups dated after now, none counts or goes; the one just written never goes")
    func pruned() throws {
        for days in [-3, -2, -1, 0, 400, 500] as [Int64] { try backUp(days: days) }
        let pruned = try BackupFolder(folder).prune(keeping: 2, at: noon)
        let names = { (days: [Int64]) in days.map { BackupFolder(folder).file(at: noon + $0 * 86_400) } }
        #expect(pruned.removed == names([-3, -2]) && pruned.ahead == names([400, 500]))
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" })
                == Set(names([-1, 0, 400, 500])))
        #expect(try BackupFolder(folder).prune(keeping: 1, at: noon).removed == names([-1]))
        #expect(try BackupFolder(folder).prune(keeping: 0, at: noon).removed == [])
        #expect(try BackupFolder(folder).prune(keeping: 9, at: noon + 600 * 86_400).ahead == [])
    }

    @Test("A check takes the time from the manifest, whatever the name and the times of the file")
    func times() throws {
        #expect(findings() == ["bad \(folder) has no backup that can be used"])
        let old = try backUp(days: -3, name: "site.tar")
        #expect(findings() == ["bad the newest one, site.tar, is 3 days old"])
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: old)
        #expect(findings() == ["bad the newest one, site.tar, is 3 days old"])
        let ahead = try backUp(days: 400)
        #expect(
            findings() == [
                "warning \(ahead.dropFirst(folder.count + 1)) is of 2026-07-06T12:00:00Z, after now",
                "bad the newest one, site.tar, is 3 days old",
            ])
        try FileManager.default.removeItem(atPath: ahead)
        let new = try backUp()
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: new)
        #expect(findings() == ["good the newest one, coterie-20250601T120000Z.tar, is of 2025-06-01T12:00:00Z"])
    }

    @Test("Files that are no backups do not count; one with the name of a backup is bad, with its name")
    func foreign() throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/notes.tar"))
        try Data().write(to: URL(fileURLWithPath: folder + "/empty.tar"))
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-cf", folder + "/other.tar", "-C", directory.path, "groups.csv"]
        try tar.run()
        tar.waitUntilExit()
        try FileManager.default.createDirectory(atPath: folder + "/folder.tar", withIntermediateDirectories: false)
        #expect(unsafe mkfifo(folder + "/pipe.tar", 0o600) == 0)
        #expect(findings() == ["bad \(folder) has no backup that can be used"])
        let good = try backUp()
        #expect(findings().map { $0.prefix(4) } == ["good"])
        // A damaged one beside it is bad, whatever its length.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: good))
        let copy = folder + "/coterie-20250601T115900Z.tar"
        // The manifest and its checksum come last.
        let sum = try #require(bytes.range(of: Data("checksum\0".utf8), options: .backwards)).lowerBound
        for count in [0, 1, 511, 512, 5000, bytes.count / 2, bytes.count * 2 / 3, sum - 700, sum, sum + 512] {
            try bytes.prefix(count).write(to: URL(fileURLWithPath: copy))
            let found = findings()
            #expect(found.count == 1 && found[0].hasPrefix("bad "), "\(count): \(found)")
            #expect(found[0].contains("coterie-20250601T115900Z.tar cannot be used"), "\(count): \(found)")
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: copy))
        #expect(findings().first?.hasPrefix("bad coterie-20250601T115900Z.tar cannot be used") == true)
        // A cut copy under another name is known by its beginning.
        try FileManager.default.removeItem(atPath: copy)
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: folder + "/today.tar"))
        #expect(findings().first?.hasPrefix("bad today.tar cannot be used") == true)
    }

    @Test("A backup of less than half of the bytes of the one before is a warning with both names")
    func small() throws {
        try backUp(days: -1, name: "before.tar")
        #expect(findings().map { $0.prefix(4) } == ["good"])
        try FileManager.default.removeItem(atPath: folder + "/before.tar")
        try add(groups: 3000)
        try backUp(days: -1, name: "before.tar")
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalog + suffix) }
        try add(groups: 1)
        try backUp()
        let found = findings()
        #expect(found.count == 1 && found[0].hasPrefix("warning the newest one, coterie-20250601T120000Z.tar, has "))
        #expect(found.first?.contains("the one before, before.tar, has ") == true, "\(found)")
    }
}
