import Basics
import Testing

@testable import coterie_bench

@Suite("Sizes from the smallest to the largest, and impossible ones")
struct ParameterTests {
    private func parameters(
        groups: Int = 10, users: Int = 10, photos: Int = 10, memberships: Int = 20, pools: Int = 5,
        endDay: String = "2024-02-29"
    ) throws(Failure) -> CommunityParameters {
        try CommunityParameters(
            groups: groups, users: users, photos: photos, memberships: memberships, pools: pools, seed: 1,
            endDay: endDay)
    }

    @Test("The smallest communities")
    func smallest() throws {
        let empty = GeneratedTables(Community(try parameters(groups: 0, users: 0, photos: 0, memberships: 0, pools: 0)))
        for file in CommunityFile.allCases {
            #expect(empty.files[file] == Array((file.columns.joined(separator: "\t") + "\n").utf8))
        }
        let single = GeneratedTables(
            Community(try parameters(groups: 1, users: 1, photos: 0, memberships: 1, pools: 0)))
        #expect(single[.groups].count == 1)
        #expect(single[.users].count == 1)
        #expect(single[.memberships].count == 1)
        #expect(single[.photos].isEmpty && single[.pools].isEmpty)
        let photos = GeneratedTables(
            Community(try parameters(groups: 0, users: 1, photos: 3, memberships: 0, pools: 0)))
        #expect(photos[.photos].count == 3)
    }

    @Test("Every user can be in every group", arguments: [1, 7, 60])
    func complete(_ size: Int) throws {
        let community = Community(
            try parameters(groups: size, users: size, photos: 0, memberships: size * size, pools: 0))
        let rows = GeneratedTables(community)[.memberships]
        #expect(Set(rows.map { $0[0] + "\t" + $0[1] }).count == size * size)
    }

    @Test("Thousands of groups get unique titles")
    func manyTitles() throws {
        let community = Community(try parameters(groups: 20_000, users: 0, photos: 0, memberships: 0, pools: 0))
        let tables = GeneratedTables(community)
        #expect(Set(tables.column("title", of: .groups)).count == 20_000)
        #expect(Set(tables.column("group_id", of: .groups)).count == 20_000)
        #expect(tables.column("title", of: .groups).filter { $0.contains("#") }.count < 200)
    }

    @Test("Pool entries beyond what members can post are fewer, not an endless search")
    func unreachablePools() throws {
        let community = Community(try parameters(groups: 5, users: 5, photos: 50, memberships: 5, pools: 250))
        let count = GeneratedTables(community)[.pools].count
        #expect(count > 0 && count <= 250)
    }

    @Test("Contradictory counts are refused, with the numbers")
    func contradictions() {
        #expect(throws: Failure(.badData, "-1 groups: give a number from 0 to 1000000")) {
            try parameters(groups: -1)
        }
        #expect(throws: Failure(.badData, "1000000001 photos: give a number from 0 to 1000000000")) {
            try parameters(photos: 1_000_000_001)
        }
        #expect(throws: Failure(.badData, "101 memberships: the groups and users asked for allow at most 100")) {
            try parameters(memberships: 101)
        }
        #expect(throws: Failure(.badData, "101 pool entries: the groups and photos asked for allow at most 100")) {
            try parameters(pools: 101)
        }
        #expect(throws: Failure(.badData, "10 photos need someone to own them: ask for at least 1 user")) {
            try parameters(users: 0, memberships: 0, pools: 0)
        }
        #expect(throws: Failure(.badData, "5 pool entries need members who post them: ask for some memberships")) {
            try parameters(memberships: 0)
        }
    }

    @Test(
        "Days are checked",
        arguments: [
            "2025-02-29", "2025-13-01", "2025-00-10", "2025-04-31", "2025-1-01", "20250101", "", "1972-12-31",
            "2025-06-0x",
            "２０２５-06-01",
        ])
    func wrongDays(_ text: String) {
        #expect(
            throws: Failure(.badData, "\"\(text)\" is not a day: write it as YYYY-MM-DD, from 1973-01-01 to 9999-12-31")
        ) { try parameters(endDay: text) }
    }

    @Test(
        "All times are before the end day, across leap days",
        arguments: ["2024-03-01", "2024-02-29", "2025-01-01", "9999-12-31"])
    func endDay(_ text: String) throws {
        let community = Community(
            try CommunityParameters(
                groups: 20, users: 100, photos: 2000, memberships: 200, pools: 0, seed: 2, endDay: text))
        let times = GeneratedTables(community).column("taken_at", of: .photos)
        let last = try #require(times.max())
        #expect(last < text)
        let endDay = try #require(CalendarDate(text))
        let lastDay = try #require(CalendarDate(String(last.prefix(10))))
        #expect(endDay.daysSince1970 - lastDay.daysSince1970 <= 7, "and nearly reached")
    }
}
