import Basics
import CatalogStore
import Model
import SQLite
import Similarity
import TestSupport
import Testing

@Suite("Groups and photos that only relations name")
struct UndescribedRowsTests {
    private let test: CatalogUnderTest
    private var catalog: Catalog { test.catalog }

    init() throws { test = try CatalogUnderTest() }

    /// Returns the groups that are used and shown.
    private func shown() throws -> [String] { try catalog.facts.groups().filter(\.isShown).map(\.id) }

    /// Returns the photos that are used and shown.
    private func shownPhotos() throws -> [String] {
        try test.lines("SELECT photo_id FROM photos ORDER BY photo_id").filter {
            try catalog.facts.photo(withID: $0)?.visibility == .public
        }
    }

    private func undescribed(_ kind: Int) throws -> Int {
        try CatalogStatistics(of: catalog.facts).things[kind].count("undescribed")
    }

    @Test("Memberships and pools alone make public groups and photos; nobody has described them")
    func relationsAlone() throws {
        let members = try test.importing(.memberships, "group_id,user_id\na,u\nb,u\n")
        let pools = try test.importing(.pools, "group_id,photo_id\na,p\nc,q\n")
        #expect(try shown() == ["a", "b", "c"] && shownPhotos() == ["p", "q"])
        #expect(members.unshown.isEmpty && pools.unshown.isEmpty)
        #expect(try undescribed(0) == 3 && undescribed(2) == 2)
    }

    /// Lines of a private group `s`, each with one reason for rejection.
    static let badGroups: [[UInt8]] =
        [
            "s,Secret,privat,", "s,Secret", "s,\"Secret,private,\n",
        ].map { Array($0.utf8) } + [Array("s,Secr".utf8) + [0xE8] + Array("te,private,".utf8)]

    @Test("A group whose line was rejected is not shown when a membership names it", arguments: badGroups)
    func rejectedGroup(line: [UInt8]) throws {
        let header = Array("group_id,title,visibility,created_at\na,A,public,\n".utf8)
        let groups = try test.importing(.groups, bytes: [header + line + [10]])
        #expect(groups.rejected == 1)
        let members = try test.importing(.memberships, "group_id,user_id\na,u\ns,u\n")
        #expect(try shown() == ["a"])
        #expect(try catalog.facts.unshownGroupIDs() == ["s"])
        #expect(members.created["groups"] == 1 && members.unshown == ["groups": 1])
        let statistics = try CatalogStatistics(of: catalog.facts).things[0]
        #expect(statistics.count("undescribed") == 1 && statistics.count("private") == 0)
        // The group's own line has no visibility, which means public.
        try test.importing(.groups, "group_id\ns\n")
        #expect(try shown() == ["a", "s"] && undescribed(0) == 0)
    }

    @Test(
        "A file whose column of private groups would be passed over is refused",
        arguments: ["is_private", "visibilty", "isPublic", "hidden"])
    func otherVisibility(name: String) throws {
        let texts = ["csv": "group_id,\(name)\ns,1\n", "jsonl": "{\"group_id\":\"s\",\"\(name)\":true}\n"]
        for (ending, text) in texts {
            let error = try #require(catalogError { try test.importing(.groups, text, ending: ending) })
            #expect(error.code == .badData && error.message.contains(name), "\(error.message)")
        }
        #expect(try CatalogStatistics(of: catalog.facts).things[0].rows == 0)
        try test.importing(.groups, "group_id,visibility,\(name)\ns,private,0\n", "group_id,publication\nt,2026\n")
        #expect(try shown() == ["t"])
    }

    @Test("A private group with a time that cannot be read stays private when a membership names it")
    func unreadableTime() throws {
        let times = ["0000-00-00 00:00:00", "never", "46327"]
        let lines = times.indices.map { "s\($0),Secret,private,\(times[$0])\n" }.joined()
        let groups = try test.importing(.groups, "group_id,title,visibility,created_at\na,A,public,\n" + lines)
        #expect(groups.rejected == 0)
        try test.importing(.memberships, "group_id,user_id\na,u\ns0,u\ns1,u\ns2,u\n")
        #expect(try shown() == ["a"])
        #expect(try CatalogStatistics(of: catalog.facts).things[0].count("private") == 3)
    }

    @Test("A photo whose line was rejected is not shown, nor counted, when a pool names it")
    func rejectedPhoto() throws {
        try test.importing(
            .photos, "photo_id,visibility,latitude\np,public,1\nq,private\nr,privat,\n", "photo_id\nt\n")
        let pools = try test.importing(.pools, "group_id,photo_id\na,p\na,q\na,r\nb,t\n")
        #expect(try shownPhotos() == ["p", "t"] && pools.unshown == ["photos": 2])
        // No file has described the groups.
        #expect(try shown() == ["a", "b"])
        let reading = try Matrices(of: catalog.facts, threads: 1).matrix(.pools) { _ in }
        #expect(reading.matrix.entryCount == 2 && reading.entriesOfPrivatePhotos == 2)
        #expect(try undescribed(2) == 2)
    }

    @Test("The first file of groups describes those that it has; of all others nobody knows any more")
    func firstFile() throws {
        try test.importing(.memberships, "group_id,user_id\na,u\nb,u\nc,u\n")
        let before = try catalog.facts.changeCount()
        let summary = try test.importing(.groups, "group_id,visibility\na,\nb,private\nd,public\n")
        #expect(summary.unshown == ["groups": 1])
        #expect(try shown() == ["a", "d"] && undescribed(0) == 1)
        #expect(try catalog.facts.changeCount() > before)
        // A later file without the column `visibility` keeps every known visibility.
        let second = try test.importing(.groups, "group_id,title\nb,B\nc,C\n")
        #expect(second.unshown.isEmpty)
        #expect(try shown() == ["a", "c", "d"])
    }

    @Test("After a file of groups that was refused, memberships make no public groups")
    func refusedFile() throws {
        try test.importing(.memberships, "group_id,user_id\nold,u\n")
        let error = catalogError {
            try test.importing(.groups, "group_id,visibility\na,public\ns,privat\n") { $0.maximumRejectedShare = 0.01 }
        }
        #expect(error?.code == .badData)
        let members = try test.importing(.memberships, "group_id,user_id\na,u\ns,u\n")
        // Earlier groups were left unchanged.
        #expect(try shown() == ["old"] && members.unshown == ["groups": 2])
        try test.importing(.groups, "group_id,visibility\na,public\ns,private\n")
        #expect(try shown() == ["a"])
    }

    @Test("A dry run of a file of groups changes nothing of what memberships make")
    func dryRun() throws {
        try test.importing(.groups, "group_id\na\n") { $0.isDryRun = true }
        try test.importing(.memberships, "group_id,user_id\nb,u\n")
        #expect(try shown() == ["b"])
    }

    @Test("Replacing keeps what is known of a group whose line is rejected, and memberships make none public")
    func replacing() throws {
        let header = "group_id,title,visibility,created_at\n"
        let rows = "a,A,public,\nb,B,public,\nc,C,public,\n"
        try test.importing(.groups, header + rows + "s,S,private,\nt,T,private,\nw,W,private,\n")
        // The third line cannot be read as text, but its id can be found.
        let text = header + rows + "s,S,privat,\nt,T,secret,\nw,"
        let lines = Array(text.utf8) + [0xFF] + Array(",private,\n".utf8)
        let summary = try test.importing(.groups, bytes: [lines]) {
            $0.replaces = true
            $0.allowsRejects = true
        }
        #expect(summary.rejected == 3 && summary.removed == 0)
        try test.importing(.memberships, "group_id,user_id\na,u\ns,u\nt,u\nw,u\n")
        #expect(try shown() == ["a", "b", "c"])
        #expect(try catalog.facts.group(withID: "s")?.visibility == .private)
        #expect(try catalog.facts.group(withID: "t")?.visibility == .private)
        #expect(try catalog.facts.group(withID: "w")?.visibility == .private)
    }

    @Test("A group that was deleted is not made public by a membership")
    func deleted() throws {
        try test.importing(.groups, "group_id,visibility\na,public\ns,private\n")
        _ = try catalog.removal.remove(.groups, [["s"]])
        try test.importing(.memberships, "group_id,user_id\ns,u\n")
        #expect(try shown() == ["a"])
    }
}
