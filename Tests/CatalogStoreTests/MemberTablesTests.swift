import Basics
@testable import CatalogStore
import Changes
import Model
import SQLite
import TestSupport
import Testing

@Suite("What members tell: favourites, follows, and whether they are listed")
struct MemberTablesTests {
    private func community() throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,user_id\np,ann\nq,bob\n")
        try test.importing(.favourites, "user_id,photo_id,added_at\nann,q,500000001\nbob,p,\nbob,q,500000003\n")
        try test.importing(.follows, "user_id,followed_id,since\nann,bob,500000001\nbob,cat,500000002\ncat,ann,\n")
        return test
    }

    @Test("Pairs of members are imported, replaced and counted like any others")
    func imports() throws {
        let test = try community()
        let again = try test.importing(.follows, "followed_id\tuser_id\nbob\tann\ndan\tann\n", ending: "tsv")
        #expect(again.rows == 2 && again.written == 1 && again.unchanged == 1 && again.created == ["users": 1])
        #expect(
            try test.content(.follows) == ["ann|bob|500000001", "ann|dan|~", "bob|cat|500000002", "cat|ann|~"])
        let fewer = try test.importing(.favourites, "user_id,photo_id\nbob,q\nbob,p\n") { $0.replaces = true }
        #expect(fewer.removed == 1 && fewer.unchanged == 2)
        #expect(try test.content(.favourites) == ["bob|p|~", "bob|q|500000003"])
        let unknown = catalogError {
            try test.importing(.follows, "user_id,followed_id\nann,nobody\n") { $0.isStrict = true }
        }
        #expect(unknown?.message.contains("there is no user nobody") == true, "\(String(describing: unknown))")
        let statistics = try CatalogStatistics(of: test.catalog.facts)
        let follows = try #require(statistics.relations.first { $0.name == "follows" })
        #expect(follows.rows == 4 && follows.rowKind == "users" && follows.entries == "users")
        let examination = try CatalogExamination(of: test.catalog.facts)
        #expect(examination.dangling.isEmpty && examination.withoutIndex.isEmpty)
    }

    @Test("A catalog without them does not mention them")
    func none() throws {
        let test = try CatalogUnderTest()
        try test.importing(.memberships, "group_id,user_id\ng,ann\n")
        let statistics = try CatalogStatistics(of: test.catalog.facts)
        #expect(statistics.relations.map(\.name) == ["memberships", "pools"])
        #expect(statistics.things[1].properties.map(\.name) == ["with a name", "with interests"])
    }

    @Test("Listed is yes, no or unknown; another word rejects the row, and a later file without it keeps it")
    func listed() throws {
        let test = try CatalogUnderTest()
        let summary = try test.importing(
            .users, "user_id,listed\nann,yes\nbob,No\ncat,\ndan,maybe\neve,true\nfay,0\n")
        #expect(summary.rejected == 1 && summary.written == 5)
        try test.importing(.users, "user_id,name\nbob,Bob\n")
        let found = try test.lines("SELECT user_id || ifnull(listed, '~') FROM users ORDER BY user_id")
        #expect(found == ["ann1", "bob0", "cat~", "eve1", "fay0"])
        // No value, or one that cannot be read, takes a yes back, but not a no.
        try test.importing(.users, "user_id,listed\nann,\nbob,\n")
        try test.importing(.users, "user_id,listed\neve,sure\nbob,never\n")
        let later = try test.lines("SELECT user_id || ifnull(listed, '~') FROM users ORDER BY user_id")
        #expect(later == ["ann~", "bob0", "cat~", "eve~", "fay0"])
        try test.importing(.users, "user_id,listed\nann,yes\neve,yes\n")
        let users = try CatalogStatistics(of: test.catalog.facts).things[1]
        #expect(users.count("listed") == 2 && users.count("not listed") == 2)
    }

    @Test("Photos and members go with the pairs that name them, on either side")
    func removal() throws {
        let test = try community()
        let photo = try test.catalog.removal.remove(.photos, [["p"]])
        #expect(photo.others == ["favourites": 1])
        let pairs = [["ann", "bob"], ["bob", "ann"]]
        let pair = try test.catalog.removal.remove(.follows, pairs)
        #expect(pair.removed == 1 && pair.unknown == ["bob ann"])
        let user = try test.catalog.removal.remove(.users, [["cat"]])
        #expect(user.others == ["follows": 2])
        #expect(try test.content(.follows) == [])
        let examination = try CatalogExamination(of: test.catalog.facts)
        #expect(examination.dangling.isEmpty && examination.withoutIndex.isEmpty)
    }

    @Test("A forgotten member leaves no trace on either side, and no file brings them back")
    func forgetting() throws {
        let test = try community()
        let catalog = try Catalog(path: test.path, mode: .recording)
        #expect(
            try catalog.facts.traces(ofMember: "bob").rows == ["users": 1, "photos": 1, "favourites": 2, "follows": 2])
        let (summary, _) = try catalog.removal.forget(["bob"], withPhotos: false, atMilliseconds: 1)
        #expect(summary.others == ["photos": 1, "favourites": 2, "follows": 2])
        let pairs = try test.importing(.follows, "user_id,followed_id\nann,bob\nbob,ann\nann,cat\n")
        #expect(pairs.forgotten == 2 && pairs.written == 1)
        let likes = try test.importing(.favourites, "user_id,photo_id\nbob,q\n")
        #expect(likes.forgotten == 1)
        #expect(try catalog.facts.traces(ofMember: "bob").rows.isEmpty)
        #expect(try test.content(.follows) == ["ann|cat|~", "cat|ann|~"])
    }

    @Test("Merging two ids of a member joins what either told, and the one who is not listed stays so")
    func renaming() throws {
        let test = try community()
        try test.importing(.users, "user_id,listed\nann,no\ncat,yes\n")
        #expect(try test.catalog.rename(.users, from: "ann", to: "cat") == .merged)
        #expect(try test.content(.favourites) == ["bob|p|~", "bob|q|500000003", "cat|q|500000001"])
        #expect(try test.content(.follows) == ["bob|cat|500000002", "cat|bob|500000001"])
        #expect(try test.lines("SELECT listed FROM users WHERE user_id = 'cat'") == ["0"])
    }
}
