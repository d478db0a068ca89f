import Changes
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

/// A copy of a catalog as it would have been at a moment.
@Suite struct HoldOutTests {
    private static let moment: Int64 = 1_700_000_000

    /// A catalog of what happened before a moment, and if wanted also of what came later.
    private func catalog(_ test: CatalogUnderTest, withLater: Bool) throws -> Catalog {
        func times(_ rows: [(row: String, seconds: Int64?)]) -> String {
            rows.filter { withLater || $0.seconds ?? 0 < Self.moment }
                .map { "\($0.row),\($0.seconds.map(String.init) ?? "")\n" }.joined()
        }
        let (before, after) = (Self.moment - 1, Self.moment)
        try test.importing(
            .groups, "group_id,title,created_at\n" + times([("g,G", before), ("h,H", before), ("new,New", after)]))
        try test.importing(.users, "user_id,interests\nann,owls\nbob,snow\n")
        try test.importing(
            .photos,
            "photo_id,user_id,tags,uploaded_at\n"
                + times([("p,ann,owl", before), ("q,ann,owl;night", after), ("r,bob,", nil)]))
        try test.importing(
            .memberships,
            "group_id,user_id,joined_at\n"
                + times([("g,ann", before), ("h,ann", after), ("g,bob", nil), ("new,bob", after + 5)]))
        try test.importing(
            .pools,
            "group_id,photo_id,added_at\n"
                + times([("g,p", before), ("h,p", after), ("g,q", after), ("h,r", nil), ("new,p", after)]))
        try test.importing(
            .favourites, "user_id,photo_id,added_at\n" + times([("ann,p", before), ("bob,p", after), ("bob,r", nil)]))
        try test.importing(
            .follows, "user_id,followed_id,since\n" + times([("ann,bob", after), ("bob,ann", before)]))
        let catalog = try Catalog(path: test.path, mode: .recording)
        let interactions = [before, after].filter { withLater || $0 < after }.map { seconds in
            InteractionRecord(id: "\(seconds)", .click, groupID: "g", atMilliseconds: seconds * 1000)
        }
        try catalog.take([.member(MemberChange(ofUser: "ann", .record(interactions)))])
        return catalog
    }

    @Test func everythingIsCutAtTheMoment() throws {
        let (whole, earlier) = (try CatalogUnderTest(), try CatalogUnderTest())
        let path = whole.path + "-copy"
        #expect(try HoldOutRule.after(Self.moment).copy(catalog(whole, withLater: true).facts, to: path) == 2)
        _ = try catalog(earlier, withLater: false)
        let queries = [
            "SELECT group_id FROM groups WHERE visibility = 0 ORDER BY 1",
            "SELECT photo_id || ' ' || coalesce(tags, '') FROM photos WHERE visibility = 0 ORDER BY 1",
            """
            SELECT group_id || ' ' || user_id FROM memberships JOIN groups USING (group_key) JOIN users USING (user_key)
            ORDER BY 1
            """,
            """
            SELECT group_id || ' ' || photo_id FROM pools JOIN groups USING (group_key) JOIN photos USING (photo_key)
            ORDER BY 1
            """,
            "SELECT user_id || ' ' || photo_id FROM favourites JOIN users USING (user_key) JOIN photos USING (photo_key) ORDER BY 1",
            "SELECT user_id || ' ' || followed_key FROM follows JOIN users USING (user_key) ORDER BY 1",
            "SELECT id FROM interactions ORDER BY 1",
        ]
        let past = try HoldOutRule.after(Self.moment).past(ofCatalog: whole.path, relations: .standard)
        for query in queries {
            let lines = try Self.lines(query, path)
            #expect(try lines == Self.lines(query, earlier.path), "\(query)")
            #expect(try lines == past.database.prepare(query).texts(), "\(query), without a copy")
        }
        // Nobody knows since when interests are stated.
        #expect(try Self.lines("SELECT user_id FROM users WHERE interests IS NOT NULL", path).isEmpty)
        #expect(try past.member(withID: "ann")?.interests == [])
        #expect(try past.member(withID: "ann")?.memberships.map(\.groupID) == ["g"])
        // The catalog itself stays as it is.
        #expect(try Self.lines("SELECT count(*) FROM users WHERE interests IS NOT NULL", whole.path) == ["2"])
        #expect(try Self.lines("SELECT count(*) FROM memberships", whole.path) == ["4"])
    }

    /// A file of many members, all of whom joined at one time, may be sorted by group.
    @Test func noGroupIsLastBecauseOfItsPlace() {
        let groups = (0..<10).map { (group: Int64($0), joinedAt: Int64?.some(Self.moment)) }
        let chosen = (0..<1000).flatMap { HoldOutRule.last.heldOut(of: groups, ofUser: Int64($0)) }
        let counts = chosen.reduce(into: [Int](repeating: 0, count: 10)) { $0[Int($1)] += 1 }
        #expect(chosen.count == 1000 && counts.allSatisfy { (60...140).contains($0) }, "\(counts)")
        let later = groups + [(group: 3, joinedAt: Self.moment + 1)]
        #expect(HoldOutRule.last.heldOut(of: later, ofUser: 7) == [3])
    }

    private static func lines(_ query: String, _ path: String) throws -> [String] {
        let rows = try Database(path: path, mode: .readWrite).prepare(query)
        var lines: [String] = []
        while try rows.step() { lines.append(rows.text(0)) }
        return lines
    }
}
