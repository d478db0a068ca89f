import Basics
import CatalogStore
import Changes
import Foundation
import Glibc
import Model
import ModelStore
@testable import Operations
import SQLite
import TestSupport
import Testing

@Suite("Bringing a backup back")
struct RestorationTests {
    private let directory: TemporaryDirectory
    private var catalogPath: String { path("catalog.sqlite") }
    private var backupPath: String { path("backup.tar") }
    private var store: FolderStore { FolderStore(path("store")) }

    init() throws {
        directory = try TemporaryDirectory()
        let catalog = try Catalog(path: directory.path + "/catalog.sqlite", mode: .writing)
        for (kind, text) in [
            (ImportKind.groups, "group_id\na\nb\n"), (.users, "user_id\nann\nbob\n"),
            (.memberships, "group_id,user_id\na,ann\n"), (.photos, "photo_id,user_id\np,ann\nq,ann\nr,bob\n"),
        ] {
            let file = directory.path + "/\(kind.name).csv"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            _ = try Importer(
                into: catalog, kind: kind, options: ImportOptions(rejectsPath: directory.path + "/rejects")
            ).run([file])
        }
    }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func journal(_ name: String) throws -> ChangeJournal {
        try ChangeJournal(path: path(name), mode: .recording)
    }

    private static func join(_ id: String, _ group: String, _ user: String) -> Change {
        .member(
            MemberChange(ofUser: user, .record([InteractionRecord(id: id, .join, groupID: group, atMilliseconds: 9)])))
    }

    private static func hide(_ group: String) -> Change {
        .site(SiteChange(ofGroup: group, .hide, atMilliseconds: 9))
    }

    @discardableResult
    private func backUp(_ journals: String...) throws -> BackupManifest {
        try SiteBackup(catalog: catalogPath, journals: journals.map(path), store: store)
            .write(to: backupPath, isReplacing: true, now: 7)
    }

    /// Brings the backup back into another folder.
    private func restore(_ folder: String = "elsewhere/deep", skipsMissing: Bool = false) throws
        -> (outcome: Restoration.Outcome, catalog: Facts)
    {
        let places = Restoration.Places(
            catalog: path("\(folder)/restored.sqlite"), journalFolder: path("\(folder)/journals"))
        let outcome = try Restoration(backupPath)
            .restore(to: places, isReplacing: false, skipsMissing: skipsMissing)
        return (outcome, try Facts(path: places.catalog))
    }

    private func interactions(_ catalog: Facts, _ user: String) throws -> [String] {
        try catalog.history(ofUser: user, impressionsSince: 0).map(\.id)
    }

    @Test("What journals have, and the catalog not yet, is in the catalog that comes back, and the journals come back")
    func journals() throws {
        let (one, two) = (try journal("journal-1.sqlite"), try journal("journal-2.sqlite"))
        _ = try one.record([Self.join("1", "b", "ann"), Self.hide("a")], at: 100)
        _ = try two.follow(one.changes(of: one.origin, after: 0, limit: 9), beyond: .none, at: 101)
        _ = try two.record([Self.join("2", "b", "bob")], at: 102)
        // The catalog has the first change already.
        let taken = try one.changes(of: one.origin, after: 0, limit: 1)
        _ = try Catalog(path: catalogPath, mode: .recording).ingest.apply(journaled: taken)
        try backUp("journal-1.sqlite", "journal-2.sqlite")
        // What comes later is not in it.
        _ = try one.record([Self.join("3", "b", "bob")], at: 103)
        let (outcome, catalog) = try restore()
        #expect(outcome.changes.applied == 2 && outcome.changes.held == 0 && outcome.stopping.isEmpty)
        #expect(try interactions(catalog, "ann") == ["1"])
        #expect(try interactions(catalog, "bob") == ["2"])
        #expect(try catalog.hiddenGroups().map(\.id) == ["a"])
        #expect(try catalog.appliedChanges() == AppliedChanges([one.origin: 2, two.origin: 1]))
        #expect(outcome.journals.map { $0.hasPrefix(path("elsewhere/deep/journals/")) } == [true, true])
        for (path, journal) in zip(outcome.journals, [one, two]) {
            let restored = try ChangeJournal(path: path, mode: .recording)
            let before = try journal.changes(of: two.origin, after: 0, limit: 9)
            #expect(try restored.changes(of: two.origin, after: 0, limit: 9) == before)
        }
    }

    @Test("What only a replaced journal has since the backup is in the catalog that comes back")
    func replacedJournal() throws {
        do {
            let one = try journal("journal-1.sqlite")
            _ = try one.record([Self.join("1", "b", "ann")], at: 100)
            try backUp("journal-1.sqlite")
            _ = try one.record([Self.join("2", "b", "bob")], at: 101)
        }
        let places = Restoration.Places(catalog: catalogPath, journalFolder: directory.path)
        let outcome = try Restoration(backupPath).restore(to: places, isReplacing: true, skipsMissing: false)
        #expect(outcome.changes.applied == 2 && outcome.stopping.isEmpty)
        let catalog = try Facts(path: catalogPath)
        #expect(try interactions(catalog, "ann") == ["1"] && interactions(catalog, "bob") == ["2"])
    }

    @Test("What a backup has of members is found without restoring it")
    func traces() throws {
        let one = try journal("journal-1.sqlite")
        _ = try one.record([Self.join("1", "b", "eve"), Self.join("2", "b", "eve"), Self.hide("a")], at: 100)
        try backUp("journal-1.sqlite")
        let folder = try TemporaryDirectory()
        let traces = try Restoration(backupPath).traces(of: ["ann", "eve", "nobody"], in: folder.path)
        #expect(traces[BytewiseString("eve")] == ["changes of daemons": 2])
        #expect(traces[BytewiseString("ann")] == ["users": 1, "memberships": 1, "photos": 2])
        #expect(traces[BytewiseString("nobody")] == nil)
    }

    @Test("Changes after one that is nowhere wait, unless they are to be taken without it")
    func missing() throws {
        let one = try journal("journal-1.sqlite")
        _ = try one.record([Self.join("1", "b", "ann"), Self.join("2", "a", "bob"), Self.join("3", "b", "bob")], at: 1)
        let other = try journal("journal-2.sqlite")
        // As if versions had the first two, which the catalog must have had then.
        _ = try other.follow(
            one.changes(of: one.origin, after: 2, limit: 9), beyond: AppliedChanges([one.origin: 2]), at: 2)
        try backUp("journal-2.sqlite")
        let (outcome, catalog) = try restore("first")
        #expect(outcome.stopping == [one.origin: StoppingChange(1, last: 3)] && outcome.changes.applied == 0)
        #expect(try interactions(catalog, "bob") == [])
        let (second, complete) = try restore("second", skipsMissing: true)
        #expect(second.stopping.isEmpty && second.changes.applied == 1)
        #expect(try interactions(complete, "bob") == ["3"])
    }

    @Test("Without being told, nothing is overwritten; then all of it is, and its log is gone")
    func replacing() throws {
        try backUp()
        let before = try Data(contentsOf: URL(fileURLWithPath: catalogPath))
        let places = Restoration.Places(catalog: catalogPath, journalFolder: directory.path)
        do {
            _ = try Restoration(backupPath).restore(to: places, isReplacing: false, skipsMissing: false)
            Issue.record("it was overwritten")
        } catch { #expect(error.code == .fileFailed) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: catalogPath)) == before)
        // A log that a killed writer has left must not be taken for one of the new file.
        try Catalog(path: catalogPath, mode: .recording).take([Self.hide("b")])
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: catalogPath + "-wal"))
        _ = try Restoration(backupPath).restore(to: places, isReplacing: true, skipsMissing: false)
        #expect(try Facts(path: catalogPath).hiddenGroups().map(\.id) == ["b"])
    }

    @Test("A damaged catalog is replaced as well")
    func replacingDamaged() throws {
        try backUp()
        try Data(repeating: 0x5A, count: 5000).write(to: URL(fileURLWithPath: catalogPath))
        let places = Restoration.Places(catalog: catalogPath, journalFolder: directory.path)
        _ = try Restoration(backupPath).restore(to: places, isReplacing: true, skipsMissing: false)
        #expect(try Facts(path: catalogPath).groupCount() == 2)
    }

    @Test("A backup that is damaged brings nothing back, and leaves nothing behind")
    func damaged() throws {
        try backUp()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: backupPath))
        bytes[10_000] ^= 1
        try bytes.write(to: URL(fileURLWithPath: backupPath))
        do {
            _ = try restore("nowhere")
            Issue.record("it was restored")
        } catch let error as Failure { #expect(error.code == .corrupt) }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: path("nowhere")) == [])
    }

    /// Replaces the site with the backup.
    private func replace(keepsRemoved: Bool = false) throws -> (outcome: Restoration.Outcome, catalog: Facts) {
        let places = Restoration.Places(catalog: catalogPath, journalFolder: directory.path, store: store)
        let outcome = try Restoration(backupPath)
            .restore(to: places, isReplacing: true, skipsMissing: false, keepsRemoved: keepsRemoved)
        return (outcome, try Facts(path: catalogPath))
    }

    private func photos(_ catalog: Facts) throws -> [String] {
        try ["p", "q", "r"].filter { try catalog.photo(withID: $0) != nil }
    }

    @Test(
        "Who was forgotten since the backup is forgotten again, with the photos that are gone",
        arguments: [true, false])
    func forgotten(withPhotos: Bool) throws {
        try backUp()
        do {
            let catalog = try Catalog(path: catalogPath, mode: .recording)
            _ = try catalog.removal.forget(["ann"], withPhotos: withPhotos, atMilliseconds: 5)
            if !withPhotos { _ = try catalog.removal.remove(.photos, [["q"]]) }
        }
        let (outcome, restored) = try replace()
        #expect(outcome.forgottenAgain == 1 && outcome.photosRemovedAgain == (withPhotos ? 2 : 1))
        #expect(outcome.unread.isEmpty)
        #expect(try restored.traces(ofMember: "ann").rows.isEmpty)
        #expect(try restored.ledger().times(of: "ann") == Ledger.Times(forgotten: 5))
        #expect(try photos(restored) == (withPhotos ? ["r"] : ["p", "r"]))
        #expect(try restored.photo(withID: "p")?.ownerID == nil)
    }

    @Test("So is who was forgotten in a journal that is replaced, before the catalog heard of it")
    func forgottenInJournal() throws {
        let journal = try journal("journal-1.sqlite")
        _ = try journal.record([Self.join("1", "b", "bob")], at: 1)
        try backUp("journal-1.sqlite")
        let removal = RemovalChange(.member("ann", withPhotos: true), atMilliseconds: 6)
        _ = try self.journal("journal-1.sqlite").record([.removal(removal)], at: 2)
        let (outcome, restored) = try replace()
        #expect(outcome.forgottenAgain == 1 && outcome.photosRemovedAgain == 2)
        #expect(try restored.ledger().times(of: "ann") == Ledger.Times(forgotten: 6))
        #expect(try photos(restored) == ["r"] && interactions(restored, "bob") == ["1"])
    }

    @Test("What is replaced and too damaged to say whom it has forgotten is named")
    func unreadable() throws {
        try backUp()
        try Data(repeating: 0x5A, count: 5000).write(to: URL(fileURLWithPath: catalogPath))
        let (outcome, _) = try replace()
        #expect(outcome.forgottenAgain == 0 && outcome.unread.count == 1)
        #expect(outcome.unread.first?.contains("catalog.sqlite") == true)
    }

    /// Imports a file into the catalog of the site.
    private func importing(_ kind: ImportKind, _ text: String) throws {
        let file = path("\(kind.name).csv")
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let catalog = try Catalog(path: catalogPath, mode: .writing)
        _ = try Importer(into: catalog, kind: kind, options: ImportOptions(rejectsPath: path("rejects"))).run([file])
    }

    private func visibility(_ table: String, _ id: String) throws -> Int64? {
        try Database(path: catalogPath, mode: .readOnly)
            .integer("SELECT visibility FROM \(table)s WHERE \(table)_id = '\(id)'")
    }

    @Test(
        "What was hidden, made private, unlisted or removed since the backup stays so, unless removals are undone",
        arguments: [false, true])
    func withdrawn(keepsRemoved: Bool) throws {
        try importing(.groups, "group_id\na\nb\nc\nd\n")
        try importing(.users, "user_id,listed\nann,yes\nbob,\ncat,yes\ndan,yes\n")
        try importing(.memberships, "group_id,user_id\na,ann\na,dan\nd,dan\n")
        try importing(.follows, "user_id,followed_id\nann,bob\nbob,ann\n")
        try backUp()
        try importing(.groups, "group_id,visibility\nb,private\nnew,public\n")
        try importing(.photos, "photo_id,visibility\nq,private\n")
        try importing(.users, "user_id,listed\ncat,no\n")
        do {
            let catalog = try Catalog(path: catalogPath, mode: .recording)
            try catalog.take(["a", "new"].map { .site(SiteChange(ofGroup: $0, .hide, atMilliseconds: 5)) })
            for (kind, row) in [
                (ImportKind.groups, ["c"]), (.photos, ["r"]), (.users, ["dan"]), (.follows, ["bob", "ann"]),
            ] { _ = try catalog.removal.remove(kind, [row], stamp: 6) }
        }
        let (outcome, restored) = try replace(keepsRemoved: keepsRemoved)
        var expected = WithdrawnAgain()
        (expected.hiddenGroups, expected.groups, expected.photos, expected.members) = (2, 1, 1, 1)
        if !keepsRemoved {
            (expected.missingGroups, expected.missingPhotos) = (1, 1)
            (expected.deletedMembers, expected.deletedPairs) = (1, 1)
        }
        #expect(outcome.withdrawnAgain == expected && outcome.unread.isEmpty)
        #expect(try restored.hiddenGroups().map(\.id) == ["a", "new"])
        // Only hidden, private and removed things are concerned.
        for (table, id, shown) in [
            ("group", "a", 0), ("group", "b", 1), ("group", "c", keepsRemoved ? 0 : 2), ("group", "d", 0),
            ("photo", "p", 0), ("photo", "q", 1), ("photo", "r", keepsRemoved ? 0 : 2),
        ] { #expect(try visibility(table, id) == Int64(shown), "\(table) \(id)") }
        let database = try Database(path: catalogPath, mode: .readOnly)
        #expect(
            try database.prepare("SELECT user_id || ' ' || coalesce(listed, '-') FROM users ORDER BY 1").texts()
                == ["ann 1", "bob -", "cat 0"] + (keepsRemoved ? ["dan 1"] : []))
        #expect(try database.integer("SELECT count(*) FROM memberships") == (keepsRemoved ? 3 : 1))
        #expect(try database.integer("SELECT count(*) FROM follows") == (keepsRemoved ? 2 : 1))
        #expect(try database.integer("SELECT count(*) FROM noted_removals") == (keepsRemoved ? 0 : 4))
        // A file that has them brings them back, but nothing shows what is hidden.
        try importing(.groups, "group_id\na\nc\nnew\n")
        try importing(.photos, "photo_id\nr\n")
        #expect(try visibility("group", "c") == 0 && visibility("photo", "r") == 0)
        #expect(try Facts(path: catalogPath).hiddenGroups().map(\.id) == ["a", "new"])
    }

    @Test("A restore that undid removals by mistake can be repeated, and brings back what they took")
    func removedTooAfterwards() throws {
        try importing(.memberships, "group_id,user_id\na,bob\n")
        try backUp()
        do {
            let catalog = try Catalog(path: catalogPath, mode: .recording)
            _ = try catalog.removal.remove(.users, [["bob"]], stamp: 6)
            _ = try catalog.removal.remove(.groups, [["b"]], stamp: 7)
        }
        #expect(try replace().outcome.withdrawnAgain.deletedMembers == 1)
        #expect(try visibility("group", "b") == 2)
        let (outcome, _) = try replace(keepsRemoved: true)
        #expect(outcome.withdrawnAgain == WithdrawnAgain())
        #expect(try visibility("group", "b") == 0)
        let database = try Database(path: catalogPath, mode: .readOnly)
        #expect(try database.integer("SELECT count(*) FROM memberships") == 2)
    }

    @Test("An older unhide in a journal of the backup does not show what was hidden later")
    func hiddenBeyondJournal() throws {
        let journal = try journal("journal-1.sqlite")
        _ = try journal.record([Self.hide("a")], at: 10)
        let unhide = SiteChange(ofGroup: "a", .unhide, atMilliseconds: 11)
        _ = try journal.record([.site(unhide)], at: 11)
        try backUp("journal-1.sqlite")
        let later = SiteChange(ofGroup: "a", .hide, atMilliseconds: 20)
        try Catalog(path: catalogPath, mode: .recording).take([.site(later)])
        // A later unhide that only the replaced journal has counts.
        _ = try journal.record([Self.hide("b")], at: 30)
        #expect(try replace().catalog.hiddenGroups().map(\.id) == ["a", "b"])
    }

    @Test("An empty catalog in the place says nothing of groups and photos")
    func emptyReplaced() throws {
        try backUp()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalogPath + suffix) }
        try importing(.users, "user_id\neve\n")
        let (outcome, _) = try replace()
        #expect(outcome.withdrawnAgain == WithdrawnAgain())
        #expect(try visibility("group", "a") == 0 && visibility("photo", "p") == 0)
    }

    @Test("The site's experiments come back to a store that has none; others stay, unless they are to be replaced")
    func experiments() throws {
        let text = Array(#"{"one":1}"#.utf8)
        #expect(try store.setExperiments(text, replacing: nil))
        let manifest = try backUp()
        #expect(manifest.files.map(\.name) == ["experiments.json", "catalog.sqlite"])
        let other = FolderStore(path("other"))
        func restore(_ folder: String, isReplacing: Bool = false) throws -> Bool {
            let places = Restoration.Places(
                catalog: path("\(folder)/catalog.sqlite"), journalFolder: path(folder), store: other)
            return try Restoration(backupPath)
                .restore(to: places, isReplacing: isReplacing, skipsMissing: false).hasExperiments
        }
        #expect(try restore("first"))
        #expect(try other.experiments() == text)
        // The same are no others.
        #expect(try restore("second"))
        let changed = Array(#"{"two":2}"#.utf8)
        #expect(try other.setExperiments(changed, replacing: text))
        do {
            _ = try restore("third")
            Issue.record("they were replaced")
        } catch let error as Failure { #expect(error.code == .fileFailed && error.message.contains("--replace")) }
        #expect(try other.experiments() == changed)
        #expect(!FileManager.default.fileExists(atPath: path("third")))
        #expect(try restore("third", isReplacing: true))
        #expect(try other.experiments() == text)
    }

    @Test("A catalog that is damaged is not backed up")
    func damagedCatalog() throws {
        let size = try Data(contentsOf: URL(fileURLWithPath: catalogPath)).count
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: catalogPath))
        try file.seek(toOffset: UInt64(size / 2))
        try file.write(contentsOf: Data(repeating: 0x5A, count: size / 4))
        try file.close()
        #expect(throws: Failure.self) { try backUp() }
        #expect(!FileManager.default.fileExists(atPath: backupPath))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.allSatisfy { !$0.contains("backup") })
    }

    @Test(
        "What root brings back belongs to the owner of the folder",
        .enabled(if: geteuid() == 0, "only root gives files away"))
    func owners() throws {
        _ = try journal("journal-1.sqlite").record([Self.hide("a")], at: 1)
        try backUp("journal-1.sqlite")
        let home = path("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try #require(unsafe chown(home, 4321, 4322) == 0)
        _ = try restore("home/new")
        let files = try #require(FileManager.default.enumerator(atPath: home)).compactMap { $0 as? String }
        #expect(files.count > 3)
        for file in files {
            let owner = try FileManager.default.attributesOfItem(atPath: "\(home)/\(file)")[.ownerAccountID] as? Int
            #expect(owner == 4321, "\(file)")
        }
    }
}
