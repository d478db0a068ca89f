import CatalogStore
import Model
import TestSupport
import Testing

@Suite("Lookups")
struct LookupTests {
    @Test("overlaps have the counts of brute force, without private groups and photos", arguments: 0..<4)
    func overlaps(seed: UInt64) throws {
        let test = try RandomCatalog.filled(seed: 100 + seed)
        let groups = try test.catalog.facts.groups()
        let privatePhotos = Set(try test.lines("SELECT photo_id FROM photos WHERE visibility = 1"))
        #expect(!privatePhotos.isEmpty)
        for (kind, importKind) in [(RelationSource.memberships, ImportKind.memberships), (.pools, .pools)] {
            var entries: [String: Set<String>] = [:]
            for line in try test.content(importKind) {
                let parts = line.split(separator: "|").map(String.init)
                if kind == .memberships || !privatePhotos.contains(parts[1]) {
                    entries[parts[0], default: []].insert(parts[1])
                }
            }
            for group in groups.prefix(12) {
                let mine = entries[group.id] ?? []
                for minimum in [1, 2, 5] {
                    let expected = groups.filter { $0.id != group.id && $0.visibility == .public }.compactMap { other in
                        let its = entries[other.id] ?? []
                        let common = mine.intersection(its).count
                        return common < minimum ? nil : Overlap(groupID: other.id, common: common, size: its.count)
                    }
                    let report = try OverlapReport(of: group, in: kind, of: test.catalog.facts, minimumCommon: minimum)
                    #expect(report.size == mine.count)
                    #expect(report.overlaps == expected)
                }
                // A required group is reported even if it is private or has nothing in common.
                for other in groups where other.id != group.id {
                    let report = try OverlapReport(
                        of: group, in: kind, of: test.catalog.facts, minimumCommon: 1000, alwaysIncluding: other)
                    let its = entries[other.id] ?? []
                    #expect(
                        report.overlaps == [
                            Overlap(groupID: other.id, common: mine.intersection(its).count, size: its.count)
                        ])
                }
            }
        }
    }

    @Test("a user's groups and a photo's groups, and the groups of its owner's other public photos")
    func profiles() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\ng1,public\ng2,private\ng3,public\n")
        try test.importing(.memberships, "group_id,user_id\ng3,u\ng1,u\ng2,u\ng1,v\n")
        #expect(try test.catalog.facts.member(withID: "u")?.memberships.map(\.groupID) == ["g1", "g2", "g3"])
        #expect(try test.catalog.facts.member(withID: "w") == nil)
        try test.importing(
            .photos, "photo_id,user_id,visibility\na,u,public\nb,u,public\nc,u,private\nd,u,public\ne,v,public\nf,,\n")
        try test.importing(.pools, "group_id,photo_id\ng1,a\ng3,a\ng1,b\ng3,b\ng1,c\ng1,d\ng1,e\n")
        let photo = try #require(try test.catalog.facts.photo(withID: "a"))
        #expect(photo.groups == ["g1", "g3"] && photo.ownerID == "u" && photo.visibility == .public)
        #expect(photo.ownerGroups.map(\.groupID) == ["g1", "g3"] && photo.ownerGroups.map(\.photos) == [2, 1])
        #expect(try test.catalog.facts.photo(withID: "c")?.visibility == .private)
        let ownerless = try #require(try test.catalog.facts.photo(withID: "f"))
        #expect(ownerless.ownerID == nil && ownerless.ownerGroups.isEmpty && ownerless.groups.isEmpty)
        #expect(try test.catalog.facts.photo(withID: "z") == nil)
    }

    @Test("ids near one that does not exist")
    func near() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,title\na1,x\na3,x\na5,Macro\nb,x\n")
        #expect(try test.catalog.facts.idsNear("a4", in: .groups, limit: 1) == ["a5", "a3"])
        #expect(try test.catalog.facts.idsNear("macro", in: .groups, limit: 2).first == "a5")
        #expect(try test.catalog.facts.idsNear("zzz", in: .groups, limit: 2) == ["b", "a5"])
        #expect(try test.catalog.facts.idsNear("a", in: .users) == [])
    }

    @Test("users' texts by column, even if keys have gaps")
    func users() throws {
        let test = try CatalogUnderTest()
        try test.importing(.users, "user_id,interests\na,\nb,owls;snow\nc,bees\nd,\n")
        try test.importing(.users, "user_id\nb\nd\n") { $0.replaces = true }
        let users = try Matrices(of: test.catalog.facts, threads: 1).users()
        let keys = try test.lines("SELECT user_key FROM users ORDER BY user_key").compactMap { Int($0) }
        #expect(keys.map { users.ids[$0] } == ["b", "d"])
        #expect(keys.map { users.interests[$0] } == ["owls;snow", ""])
        #expect((0..<10).map { users.ids[$0] }.filter { !$0.isEmpty } == ["b", "d"])
    }
}
