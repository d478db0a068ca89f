import Basics
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
    private func add(groups count: Int, to other: String? = nil) throws {
        let path = directory.path + "/groups.csv"
        let title = String(repeating: "macro ", count: 100)
        try ("group_id,title\n" + (0..<count).map { "g\($0),\(title)\n" }.joined())
            .write(toFile: path, atomically: true, encoding: .utf8)
        let importer = try Importer(
            into: Catalog(path: other ?? catalog, mode: .writing), kind: .groups,
            options: ImportOptions(rejectsPath: directory.path + "/rejects"))
        _ = try importer.run([path])
    }

    /// Takes a backup so many days after noon, and returns its path.
    @discardableResult
    private func backUp(days: Int64 = 0, name: String? = nil, of other: String? = nil) throws -> String {
        let path = name.map { "\(folder)/\($0)" } ?? file(days)
        _ = try SiteBackup(catalog: other ?? catalog, journals: [], store: nil)
            .write(to: path, isReplacing: false, now: (noon + days * 86_400) * 1000)
        return path
    }

    private func file(_ days: Int64) -> String { BackupFolder(folder).file(at: noon + days * 86_400) }

    /// Removes old backups as after the one of noon, and returns the sentences about them.
    private func prune(keeping count: Int, after days: Int64 = 0) throws -> [String] {
        let lines = try BackupFolder(folder).prune(keeping: count, after: ArchiveReader(file(days)).manifest)
        return lines.map { $0.replacing(folder + "/", with: "") }
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

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
        for days in [-3, -2, -1, 0, 400] as [Int64] { try backUp(days: days) }
        try backUp(days: -9, name: "by-hand.tar")
        let ahead = "did not count: coterie-20260706T120000Z.tar is of 2026-07-06T12:00:00Z, after now: "
        let lines = try prune(keeping: 2)
        #expect(lines.count == 3 && lines[0].hasPrefix(ahead), "\(lines)")
        #expect(lines.dropFirst() == ["removed coterie-20250529T120000Z.tar", "removed coterie-20250530T120000Z.tar"])
        #expect(
            try names() == [
                "by-hand.tar", "coterie-20250531T120000Z.tar", "coterie-20250601T120000Z.tar",
                "coterie-20260706T120000Z.tar",
            ])
        #expect(try prune(keeping: 1).dropFirst() == ["removed coterie-20250531T120000Z.tar"])
        #expect(try prune(keeping: 0).count == 1)
        #expect(try prune(keeping: 9, after: 400) == [])
    }

    @Test("Backups of another catalog, and damaged ones, neither count nor go, and are named")
    func others() throws {
        for days in [-3, -2, -1] as [Int64] { try backUp(days: days) }
        // The disk of the catalog was not mounted, and an import made a new one.
        let other = directory.path + "/other.sqlite"
        try add(groups: 1, to: other)
        try backUp(of: other)
        try Data("x".utf8).write(to: URL(fileURLWithPath: file(-4)))
        let lines = try prune(keeping: 1)
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("did not count: coterie-202505") }, "\(lines)")
        #expect(lines.filter { $0.contains("is of another catalog") }.count == 3)
        #expect(try names().count == 5)
        try FileManager.default.removeItem(atPath: file(-4))
        let found = findings()
        #expect(found.first == "warning coterie-20250601T120000Z.tar is of another catalog" && found.count == 1)
        // The catalog that is restored is the same one, even in the place of the other.
        try FileManager.default.removeItem(atPath: file(0))
        _ = try Restoration(file(-1)).restore(
            to: Restoration.Places(catalog: other, journalFolder: directory.path), isReplacing: true,
            skipsMissing: false)
        try backUp(of: other)
        #expect(try prune(keeping: 1).map { $0.prefix(7) } == ["removed", "removed", "removed"])
    }

    @Test("Files of a killed backup go with the next one, and a check names them; those of a running one stay")
    func killed() throws {
        let good = try backUp(days: -1)
        for end in ["", "-scratch", "-scratch-journal"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/dead.tar.backup-partial" + end))
        }
        let running = try OpenFile(folder + "/running.tar.backup-partial", for: .rewriting)
        try running.append([1])
        #expect(findings() == ["warning dead.tar was not completed, and files of it are left"])
        let next = try backUp()
        #expect(try names().map { "\(folder)/\($0)" } == [good, next, running.path])
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

    @Test("The last backup with half of the bytes of the largest stays, and a check names it and the newest one")
    func small() throws {
        try add(groups: 3000)
        for days in [-4, -3] as [Int64] { try backUp(days: days) }
        #expect(try prune(keeping: 1, after: -3) == ["removed coterie-20250528T120000Z.tar"])
        let rows = (1..<3000).map { ["g\($0)"] }
        _ = try Catalog(path: catalog, mode: .writing).removal.remove(.groups, rows)
        for days in [-2, -1, 0] as [Int64] { try backUp(days: days) }
        let stays =
            "coterie-20250529T120000Z.tar stays until you remove it: the newer ones are far smaller"
        #expect(try prune(keeping: 1) == [stays] + [30, 31].map { "removed coterie-202505\($0)T120000Z.tar" })
        let found = findings()
        #expect(found.count == 1 && found[0].hasPrefix("warning the newest one, coterie-20250601T120000Z.tar, has "))
        #expect(found.first?.contains("an earlier one, coterie-20250529T120000Z.tar, has ") == true, "\(found)")
        // A site that has grown again needs it no longer.
        try add(groups: 3000)
        try backUp(days: 1)
        #expect(try prune(keeping: 1, after: 1).count == 2)
    }
}
