import CatalogStore
import Changes
import Model
import TestSupport
import Testing

@Suite("What a catalog has")
struct StatisticsTests {
    @Test("Rows, properties, dates and sizes are counted, those without entries too")
    func counts() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,title,visibility,topics\na,A,public,x\nb,,private,\nempty,E,public,\n")
        try test.importing(.users, "user_id,interests\nlone,owls\n")
        try test.importing(
            .memberships,
            "group_id,user_id,joined_at\na,u1,500000100\na,u2,\na,u3,500000050\na,u4,\na,u5,\nb,u1,500000070\n")
        try test.importing(.photos, "photo_id,user_id,latitude,longitude,tags\np,u1,1,2,t\nq,,1,,\n")
        let statistics = try CatalogStatistics(of: test.catalog.facts)
        let (groups, users, photos) = (statistics.things[0], statistics.things[1], statistics.things[2])
        #expect(groups.rows == 3 && groups.count("private") == 1 && groups.count("with a title") == 2)
        #expect(users.rows == 6 && users.count("with interests") == 1)
        #expect(photos.rows == 2 && photos.count("with a place") == 1 && photos.count("with an owner") == 1)
        let memberships = try #require(statistics.relations.first { $0.name == "memberships" })
        #expect(
            memberships.rows == 6 && memberships.dates.count == 3
                && memberships.dates.range == 500_000_050...500_000_100)
        // One group has no members, one has 1, and one has 5.
        #expect(memberships.groupSizes.counts == [1, 1, 0, 1])
        #expect(memberships.entrySizes.counts == [1, 4, 1])
        #expect(memberships.entrySizes.count(below: 2) == 5)
        let pools = try #require(statistics.relations.first { $0.name == "pools" })
        #expect(pools.rows == 0 && pools.dates.range == nil && pools.groupSizes.counts == [3])
    }

    @Test("Groups of at least half of the members are named, and members of half of the groups; at most five each")
    func ubiquity() throws {
        let test = try CatalogUnderTest()
        let groups = (0..<8).map { "all-\($0)" } + (0..<300).map { "g\($0)" }
        try test.importing(
            .groups,
            "group_id,visibility\n" + groups.map { "\($0),\($0 == "all-0" ? "private" : "public")\n" }.joined())
        // 200 members are in two small groups; 100 of them in each of the large ones but the last, which has one less.
        var rows = (0..<200).map { "g\($0),u\($0)\ng\($0 + 1),u\($0)\n" }
        rows += (0..<8).flatMap { group in (0..<(group == 7 ? 99 : 100)).map { "all-\(group),u\($0)\n" } }
        // Nobody else is in the private group alone.
        rows += (0..<50).map { "all-0,private-\($0)\n" }
        try test.importing(.memberships, "group_id,user_id\n" + rows.joined())
        let found = try CatalogStatistics(of: test.catalog.facts)
        #expect(found.ubiquitousGroups.map(\.id) == (1...5).map { "all-\($0)" })
        #expect(found.ubiquitousGroups.allSatisfy { $0.count == 100 && $0.total == 200 })
        #expect(found.ubiquitousMembers.isEmpty)
        try test.catalog.take([.site(SiteChange(ofGroup: "all-1", .hide, atMilliseconds: 1))])
        #expect(try CatalogStatistics(of: test.catalog.facts).ubiquitousGroups.map(\.id) == (2...6).map { "all-\($0)" })
        // A member of 105 of the 209 groups with members.
        try test.importing(
            .memberships, "group_id,user_id\n" + (0..<105).map { "g\($0),bot\n" }.joined())
        let members = try CatalogStatistics(of: test.catalog.facts).ubiquitousMembers
        #expect(members.map(\.id) == ["bot"] && members.map(\.count) == [105] && members.map(\.total) == [209])
    }

    @Test("Ids that differ only in blanks, letter case, zeros or encoding are counted, and pairs are named")
    func twins() throws {
        let test = try CatalogUnderTest()
        let ids = [
            "ann", "Ann", "ANN", "u1", "u1\u{A0}", "\u{200B}u1", "Jose\u{301}", "jos\u{E9}", "bob", "Eve", "u2 ",
            "0070",
            "7%",
        ]
        try test.importing(.users, "user_id\n" + ids.map { "\($0)\n" }.joined())
        let users = try CatalogStatistics(of: test.catalog.facts).things[1]
        #expect(users.count("with an id that differs from another only in invisible characters") == 2)
        #expect(users.count("with an id that differs from another only in spelling") == 3)
        #expect(users.twins.map(\.id) == ["ANN", "Ann", "Jose\u{301}", "u1\u{A0}", "\u{200B}u1"])
        let others = ["ann", "ann", "jos\u{E9}", "u1", "u1"]
        #expect(users.twins.map { Array($0.other.utf8) } == others.map { Array($0.utf8) })
        #expect(try CatalogStatistics(of: test.catalog.facts).things[0].twins.isEmpty)
        try test.importing(.groups, "group_id\n007\n7\n1@N00\n1%40n00\n70\n00\n")
        let pairs = try CatalogStatistics(of: test.catalog.facts).things[0].twins
        #expect(pairs.map { "\($0.id) \($0.other)" } == ["007 7", "1%40n00 1@N00"])
    }

    @Test("Ids that look like no value, and broken texts, are counted with an example and a remedy")
    func doubts() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,title,description\ng,Caf\u{E9} \u{C3}O 5\u{B0},ch\u{E2}teau\n")
        #expect(try CatalogDoubt.all(in: test.catalog.facts).isEmpty)
        try test.importing(.users, "user_id\nNULL\nnone\n0\n-\n00\nnullify\nann\n")
        try test.importing(
            .groups, "group_id,title,description\nh,Caf\u{C3}\u{A9},\ni,,Don\u{E2}\u{20AC}\u{2122}t\nj,a\u{FFFD}b,\n")
        let found = try CatalogDoubt.all(in: test.catalog.facts)
        #expect(found.map(\.rows) == ["groups with a broken text", "users with an id that looks like no value"])
        #expect(found.map(\.count) == [3, 4] && found.map(\.example) == ["h", "-"])
        #expect(found.map(\.command) == [nil, "coterie delete user"])
    }

    @Test("Buckets begin at powers of two")
    func buckets() {
        #expect((0...4).map(SizeHistogram.sizes) == [0...0, 1...1, 2...3, 4...7, 8...15])
    }
}
