import Foundation
import Testing

@Suite("Trending groups on the command line", .aFewAtATime)
struct TrendingTests {
    /// A person who joined a public group, or added a public photo to it.
    private struct Event {
        var group, person: String
        var time: Date
        var isJoining: Bool
    }

    /// What the files of the sample community say.
    private func events() throws -> [Event] {
        let community = try SampleCommunity()
        let publicGroups = Set(community.publicGroups)
        let publicPhotos = Set(community.publicPhotos)
        let owners = try Dictionary(
            uniqueKeysWithValues: SampleCommunity.rows("photos", ["photo_id", "user_id"]).map { ($0[0], $0[1]) })
        let joined = try SampleCommunity.rows("memberships", ["group_id", "user_id", "joined_at"]).map {
            try Event(group: $0[0], person: $0[1], time: .init($0[2], strategy: .iso8601), isJoining: true)
        }
        let posted = try SampleCommunity.rows("pools", ["group_id", "photo_id", "added_at"])
            .filter { publicPhotos.contains($0[1]) }
            .map {
                try Event(
                    group: $0[0], person: owners[$0[1]] ?? "", time: .init($0[2], strategy: .iso8601), isJoining: false)
            }
        return (joined + posted).filter { publicGroups.contains($0.group) }
    }

    @Test("The counts are those of the last seven days and of the eight weeks before", arguments: StoreKind.available)
    func counts(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        let answer: Answers.Trending = try await workspace.succeed("trending", "--json").json()
        #expect(!answer.groups.isEmpty)
        #expect(answer.groups.map(\.rank) == Array(1...answer.groups.count))
        #expect(answer.groups.map(\.score) == answer.groups.map(\.score).sorted(by: >))
        let events = try events()
        let last = try #require(events.map(\.time).max())
        try #require(last < Date(), "the sample community is of the future: set the clock")
        for row in answer.groups {
            func people(_ week: Int, isJoining: Bool) -> Int {
                let end = last - Double(week) * 7 * 86_400
                let inWeek = events.filter { $0.time <= end && $0.time > end - 7 * 86_400 }
                return Set(inWeek.filter { $0.group == row.groupId && $0.isJoining == isJoining }.map(\.person)).count
            }
            #expect(row.joiners == people(0, isJoining: true), "\(row.groupId)")
            #expect(row.posters == people(0, isJoining: false), "\(row.groupId)")
            let usual = (1...8).reduce(0) { $0 + people($1, isJoining: true) + people($1, isJoining: false) }
            #expect(abs(row.usualWeek - Double(usual) / 8) < 1e-3, "\(row.groupId)")
            #expect(Double(row.joiners + row.posters) > row.usualWeek, "\(row.groupId)")
        }
        let table = try await workspace.succeed("trending", "--limit", "2").lines
        #expect(table.count == 3)
        for (line, row) in zip(table.dropFirst(), answer.groups) { #expect(line.contains(row.groupId)) }
    }

    @Test("Without dates nothing trends, and the command says so")
    func nothing() async throws {
        let workspace = try Workspace()
        let rows = (1...40).flatMap { user in ["a\tu\(user)", "b\tu\(user)"] }
        let file = try workspace.write("group_id\tuser_id\n" + rows.joined(separator: "\n") + "\n", to: "members.tsv")
        try await workspace.succeed("import", "memberships", file)
        try await workspace.succeed("recompute", "--min-members", "1", "--min-common-members", "1")
        #expect(try await workspace.succeed("trending").text.contains("no group trends"))
        #expect(try await workspace.succeed("trending", "--json").json(Answers.Trending.self).groups.isEmpty)
    }
}
