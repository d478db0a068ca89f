@testable import coterie_bench
import Testing

@Suite("The community has the shape of a real one")
struct ShapeTests {
    let tables: GeneratedTables

    init() throws { tables = try #require(GeneratedTables.sample) }

    @Test("A few groups have most members, a few members join most")
    func heavyTails() {
        #expect(share(ofTop: 0.01, column: "group_id", of: .memberships, population: 800) > 0.06)
        #expect(share(ofTop: 0.1, column: "group_id", of: .memberships, population: 800) > 0.3)
        #expect(share(ofTop: 0.01, column: "user_id", of: .memberships, population: 6000) > 0.06)
        #expect(share(ofTop: 0.1, column: "user_id", of: .memberships, population: 6000) > 0.35)
        #expect(share(ofTop: 0.1, column: "user_id", of: .photos, population: 6000) > 0.35)
    }

    @Test("Members join what interests them, with some noise")
    func interests() {
        let interests = tables.values("interests", by: "user_id", of: .users).mapValues {
            Set($0.split(separator: ";"))
        }
        let topics = tables.values("topics", by: "group_id", of: .groups)
        let fitting = tables[.memberships].filter { row in
            let theme = topics[row[0], default: ""].split(separator: ";").first ?? ""
            return interests[row[1], default: []].contains(theme)
        }
        let share = Double(fitting.count) / Double(tables[.memberships].count)
        #expect(share > 0.75 && share < 0.95)
    }

    @Test("Photos go to groups of one theme and to groups that take anything")
    func poolsAreThematic() {
        let topics = tables.values("topics", by: "group_id", of: .groups)
        var themes: [String: Set<Substring>] = [:]
        for row in tables[.pools] {
            let theme = topics[row[0], default: ""].split(separator: ";").first ?? ""
            if theme != "anything goes" { themes[row[1], default: []].insert(theme) }
        }
        #expect(themes.values.allSatisfy { $0.count == 1 })
        let groupsOfPhoto = Dictionary(grouping: tables[.pools]) { $0[1] }
        #expect(groupsOfPhoto.values.filter { $0.count > 1 }.count > 3000)
        #expect(groupsOfPhoto.count < 18_000, "some photos are in no group")
    }

    @Test("Seasonal groups have their season, in joins and in photos")
    func seasons() {
        let topics = tables.values("topics", by: "group_id", of: .groups)
        func joins(_ theme: String) -> [Int] {
            months(tables[.memberships].filter { topics[$0[0], default: ""].hasPrefix(theme + ";") }.map { $0[2] })
        }
        let autumn = joins("autumn")
        #expect(autumn[8...10].reduce(0, +) * 2 > autumn.reduce(0, +))
        let christmas = joins("christmas")
        #expect(christmas.max() == christmas[11])
        let blossom = joins("cherry blossom")
        #expect(blossom[2...4].reduce(0, +) * 2 > blossom.reduce(0, +))
        let leaves = months(
            tables[.photos].filter { $0[5].contains("foliage") || $0[5].contains("fall") }.map { $0[3] })
        #expect(leaves[8...10].reduce(0, +) * 2 > leaves.reduce(0, +))
    }

    @Test("The community grows")
    func growth() throws {
        let taken = tables.column("taken_at", of: .photos)
        let first = taken.filter { $0 < "2024-06-01" }.count
        let last = taken.filter { $0 >= "2025-06-01" }.count
        #expect(Double(last) > Double(first) * 1.3)
    }

    @Test("Some groups and photos are private; some groups are dead or near-duplicates")
    func exceptions() {
        let privateGroups = tables.column("visibility", of: .groups).filter { $0 == "private" }.count
        #expect((16...72).contains(privateGroups))
        let privatePhotos = tables.column("visibility", of: .photos).filter { $0 == "private" }.count
        #expect((1400...1800).contains(privatePhotos))
        let policies = Set(tables.column("join_policy", of: .groups))
        #expect(policies == ["open", "approval", "invite"])
        let dead = tables.column("last_active_at", of: .groups).filter { $0 < "2025-12-01" }.count
        #expect((20...200).contains(dead))
        let titles = tables.column("title", of: .groups)
        let twins = titles.filter { title in titles.contains { $0.count > title.count && $0.contains(title) } }
        #expect(twins.count > 10)
    }

    @Test("Groups with nearly the same name have nearly the same members")
    func duplicates() {
        let titles = tables.values("title", by: "group_id", of: .groups)
        let groups = Dictionary(titles.map { ($0.value, $0.key) }) { first, _ in first }
        let members = Dictionary(grouping: tables[.memberships]) { $0[0] }.mapValues { Set($0.map { $0[1] }) }
        var cosines: [Double] = []
        for (title, group) in groups where title.hasSuffix("!") || title.hasSuffix(" (New)") || title.hasSuffix(" Too")
        {
            let suffix = ["!", " (New)", " Too"].first { title.hasSuffix($0) } ?? ""
            guard let original = groups[String(title.dropLast(suffix.count))] else { continue }
            let left = members[group, default: []]
            let right = members[original, default: []]
            guard right.count >= 20 else { continue }
            let common = Double(left.intersection(right).count)
            cosines.append(common / Double(max(1, left.count * right.count)).squareRoot())
        }
        #expect(cosines.count >= 5)
        #expect(cosines.allSatisfy { $0 > 0.5 }, "\(cosines)")
    }

    /// Returns the share of rows whose value of a column is among the most frequent.
    private func share(ofTop part: Double, column: String, of file: CommunityFile, population: Int) -> Double {
        let values = tables.column(column, of: file)
        let counts = Dictionary(grouping: values) { $0 }.values.map(\.count).sorted(by: >)
        return Double(counts.prefix(Int(part * Double(population))).reduce(0, +)) / Double(values.count)
    }

    /// Returns the number of times that lie in each month.
    private func months(_ times: [String]) -> [Int] {
        var counts = Array(repeating: 0, count: 12)
        for time in times { if let month = Int(time.dropFirst(5).prefix(2)) { counts[month - 1] += 1 } }
        return counts
    }
}
