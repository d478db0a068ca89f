@testable import coterie_bench
import Testing

@Suite("The files agree with each other")
struct IntegrityTests {
    let tables: GeneratedTables

    init() throws { tables = try #require(GeneratedTables.sample) }

    @Test("Counts are exact, those of pool entries within 5%")
    func counts() {
        #expect(tables[.groups].count == 800)
        #expect(tables[.users].count == 6000)
        #expect(tables[.photos].count == 20_000)
        #expect(tables[.memberships].count == 60_000)
        #expect(tables[.favourites].count == 90_000)
        #expect(tables[.follows].count == 30_000)
        // A few users have joined no group, so they cannot post.
        #expect((19_000...20_000).contains(tables[.posts].count))
        #expect(abs(tables[.pools].count - 40_000) <= 2000)
    }

    @Test("Every file is UTF-8, with its header and as many fields in each row", arguments: CommunityFile.allCases)
    func wellFormed(_ file: CommunityFile) throws {
        let bytes = try #require(tables.files[file])
        let text = try #require(String(validating: bytes, as: UTF8.self))
        #expect(text.hasPrefix(file.columns.joined(separator: "\t") + "\n"))
        #expect(text.hasSuffix("\n"))
        #expect(!text.contains("\r"))
        #expect(tables[file].allSatisfy { $0.count == file.columns.count })
        #expect(!text.contains("{"))
        let mayBeEmpty: Set = ["tags", "latitude", "longitude", "answers"]
        for column in file.columns where !mayBeEmpty.contains(column) {
            #expect(!tables.column(column, of: file).contains(""), "\(column)")
        }
    }

    @Test("Identifiers and titles are unique")
    func uniqueIdentifiers() {
        #expect(Set(tables.column("group_id", of: .groups)).count == 800)
        #expect(Set(tables.column("title", of: .groups)).count == 800)
        #expect(Set(tables.column("user_id", of: .users)).count == 6000)
        #expect(Set(tables.column("photo_id", of: .photos)).count == 20_000)
    }

    @Test("Pairs are unique and name existing rows")
    func pairs() {
        let groups = Set(tables.column("group_id", of: .groups))
        let users = Set(tables.column("user_id", of: .users))
        let photos = Set(tables.column("photo_id", of: .photos))
        #expect(Set(tables[.memberships].map { $0[0] + "\t" + $0[1] }).count == tables[.memberships].count)
        #expect(Set(tables[.pools].map { $0[0] + "\t" + $0[1] }).count == tables[.pools].count)
        #expect(groups.isSuperset(of: tables.column("group_id", of: .memberships)))
        #expect(users.isSuperset(of: tables.column("user_id", of: .memberships)))
        #expect(groups.isSuperset(of: tables.column("group_id", of: .pools)))
        #expect(photos.isSuperset(of: tables.column("photo_id", of: .pools)))
        #expect(users.isSuperset(of: tables.column("user_id", of: .photos)))
        for file in [CommunityFile.favourites, .follows] {
            #expect(Set(tables[file].map { $0[0] + "\t" + $0[1] }).count == tables[file].count)
            #expect(users.isSuperset(of: tables.column("user_id", of: file)))
        }
        #expect(photos.isSuperset(of: tables.column("photo_id", of: .favourites)))
        #expect(users.isSuperset(of: tables.column("followed_id", of: .follows)))
        #expect(tables[.follows].allSatisfy { $0[0] != $0[1] })
    }

    @Test("Owners post only to groups they joined")
    func poolsFollowMemberships() {
        let memberships = Set(tables[.memberships].map { $0[0] + "\t" + $0[1] })
        let owners = tables.values("user_id", by: "photo_id", of: .photos)
        let foreign = tables[.pools].filter { !memberships.contains($0[0] + "\t" + (owners[$0[1]] ?? "")) }
        #expect(foreign.isEmpty)
    }

    @Test("Members post only in groups they joined, and after that")
    func postsFollowMemberships() {
        let joined = Dictionary(
            uniqueKeysWithValues: tables[.memberships].map { ($0[0] + "\t" + $0[1], $0[2]) })
        let early = tables[.posts].filter { $0[2] < joined[$0[0] + "\t" + $0[1], default: "~"] }
        #expect(early.isEmpty)
        let answers = tables[.posts].count { !$0[3].isEmpty }
        #expect((11_000...12_500).contains(answers))
    }

    @Test("Times are in order and within the three years")
    func dates() {
        // ISO 8601 times sort as texts do.
        let created = tables.values("created_at", by: "group_id", of: .groups)
        let lastActive = tables.values("last_active_at", by: "group_id", of: .groups)
        let uploaded = tables.values("uploaded_at", by: "photo_id", of: .photos)
        var latest = created
        for row in tables[.memberships] {
            #expect(row[2] >= created[row[0], default: "?"])
            latest[row[0]] = max(latest[row[0], default: ""], row[2])
        }
        for row in tables[.pools] {
            #expect(row[2] >= created[row[0], default: "?"])
            #expect(row[2] >= uploaded[row[1], default: "?"])
            latest[row[0]] = max(latest[row[0], default: ""], row[2])
        }
        for row in tables[.favourites] { #expect(row[2] >= uploaded[row[1], default: "?"]) }
        #expect(latest == lastActive)
        #expect(tables[.photos].allSatisfy { $0[3] <= $0[4] })
        let times =
            Array(created.values) + Array(lastActive.values) + tables.column("taken_at", of: .photos)
            + tables.column("uploaded_at", of: .photos)
        #expect(times.allSatisfy { $0 >= "2023-06-02T00:00:00Z" && $0 < "2026-06-01T00:00:00Z" && $0.count == 20 })
    }

    @Test("Coordinates are on the globe, and three in five photos have them")
    func coordinates() throws {
        let located = tables[.photos].filter { !$0[6].isEmpty }
        #expect(tables[.photos].allSatisfy { $0[6].isEmpty == $0[7].isEmpty })
        #expect((11_400...12_600).contains(located.count))
        for row in located {
            let latitude = try #require(Double(row[6]))
            let longitude = try #require(Double(row[7]))
            #expect((-90...90).contains(latitude) && (-180...180).contains(longitude))
        }
    }
}
