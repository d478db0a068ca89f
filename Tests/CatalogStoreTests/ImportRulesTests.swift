import CatalogStore
import Testing

@Suite("What an import changes")
struct ImportRulesTests {
    @Test("importing the same files again changes nothing", arguments: [1, 3, 1000])
    func again(batchRows: Int) throws {
        let test = try CatalogUnderTest()
        let files: [(ImportKind, String)] = [
            (
                .groups,
                "group_id,title,visibility,topics,created_at\ng1,One,private,a;b,500000005\ng2,,,,\ng3,Three,public,,\n"
            ),
            (.users, "user_id,name\nu1,Ann\nu2,Bob\n"),
            (.photos, "photo_id,user_id,latitude,tags\np1,u1,1.5,x\np2,u9,,\n"),
            (.memberships, "group_id,user_id,joined_at\ng1,u1,500000007\ng2,u2,\ng4,u1,500000008\n"),
            (.pools, "group_id,photo_id,added_at\ng1,p1,500000003\ng1,p2,\n"),
        ]
        for (kind, text) in files { try test.importing(kind, text) { $0.batchRows = batchRows } }
        let before = (try test.everything(), try test.catalog.facts.changeCount())
        for replaces in [false, true] {
            for (kind, text) in files where !replaces || kind == .memberships || kind == .pools {
                let summary = try test.importing(kind, text) {
                    $0.batchRows = batchRows
                    $0.replaces = replaces
                }
                #expect(summary.written == 0 && summary.removed == 0 && summary.unchanged == summary.rows)
                #expect(summary.rows > 0 && summary.created.isEmpty)
            }
        }
        #expect(try test.everything() == before.0)
        #expect(try test.catalog.facts.changeCount() == before.1)
    }

    @Test("a replacing import of what is there already changes nothing", arguments: ImportKind.all())
    func replacingAgain(kind: ImportKind) throws {
        let test = try CatalogUnderTest()
        let text =
            switch kind {
            case .memberships: "group_id,user_id\ng,u\nh,u\n"
            case .pools: "group_id,photo_id\ng,u\nh,u\n"
            case .favourites: "user_id,photo_id\ng,u\nh,u\n"
            case .follows: "user_id,followed_id\ng,u\nh,u\n"
            case .posts: "group_id,user_id,posted_at\ng,u,500000001\ng,u,500000002\n"
            default: "\(kind.columnNames[0])\na\nb\n"
            }
        try test.importing(kind, text) { $0.replaces = true }
        let changes = try test.catalog.facts.changeCount()
        #expect(changes > 0)
        let summary = try test.importing(kind, text) { $0.replaces = true }
        #expect(summary.written == 0 && summary.removed == 0 && summary.unchanged == 2)
        #expect(try test.catalog.facts.changeCount() == changes)
    }

    @Test("of two rows with one id the last wins; repeated pairs of a batch are counted")
    func duplicates() throws {
        let test = try CatalogUnderTest()
        let users = "user_id,name\nu,first\nv,only\nu,second\n"
        let memberships = "group_id,user_id,joined_at\ng,u,500000001\ng,v,500000005\ng,u,500000002\n"
        for _ in 0..<2 {
            try test.importing(.users, users)
            #expect(try test.content(.users) == ["u|second|~|~", "v|only|~|~"])
        }
        #expect(try test.importing(.memberships, memberships).duplicates == 1)
        #expect(try test.content(.memberships) == ["g|u|500000002", "g|v|500000005"])
        let changes = try test.catalog.facts.changeCount()
        let again = try test.importing(.memberships, memberships)
        #expect(again.rows == 3 && again.written == 0 && again.duplicates == 1 && again.unchanged == 2)
        #expect(try test.catalog.facts.changeCount() == changes)
    }

    @Test("a later import overwrites; missing columns keep values; empty cells clear all but visibility and policy")
    func laterWins() throws {
        let test = try CatalogUnderTest()
        try test.importing(
            .groups,
            """
            group_id,title,description,visibility,topics,join_policy,created_at,last_active_at
            g,Old,Text,private,a;b,invite,500000001,500000002
            """)
        try test.importing(.groups, "group_id,title\ng,New\n")
        #expect(try test.content(.groups) == ["g|New|Text|1|a;b|2|500000001|500000002"])
        try test.importing(.groups, "group_id,description,visibility,topics,join_policy,last_active_at\ng,,,,,\n")
        #expect(try test.content(.groups) == ["g|New|~|1|~|2|500000001|~"])
        // In JSON Lines, an absent key or null sets nothing. An empty text clears the value.
        try test.importing(
            .groups,
            "{\"group_id\":\"g\",\"title\":null,\"created_at\":500000009}\n{\"group_id\":\"h\",\"title\":\"H\"}\n",
            ending: "jsonl")
        #expect(try test.content(.groups) == ["g|New|~|1|~|2|500000009|~", "h|H|~|0|~|0|~|~"])
        try test.importing(.groups, "{\"group_id\":\"g\",\"title\":\"\",\"visibility\":\"public\"}\n", ending: "jsonl")
        #expect(try test.content(.groups)[0] == "g|~|~|0|~|2|500000009|~")

        try test.importing(.photos, "photo_id,user_id,latitude,visibility\np,u,1.5,private\n")
        try test.importing(.photos, "photo_id,user_id,latitude,visibility\np,,,\n")
        #expect(try test.content(.photos) == ["p|~|1|~|~|~|~|~|~|~"])
    }

    @Test("a given joining time replaces the old one; a missing one keeps it")
    func times() throws {
        let test = try CatalogUnderTest()
        try test.importing(
            .memberships, "group_id,user_id,joined_at\ng,u,500000005\ng,v,\ng,w,500000006\ng,w,\ng,x,\ng,x,500000007\n")
        #expect(try test.content(.memberships) == ["g|u|500000005", "g|v|~", "g|w|500000006", "g|x|500000007"])
        let summary = try test.importing(.memberships, "group_id,user_id\ng,u\ng,v\ng,new\n")
        #expect(summary.written == 1 && summary.unchanged == 2)
        try test.importing(.memberships, "group_id,user_id,joined_at\ng,u,500000003\ng,w,\n")
        #expect(
            try test.content(.memberships) == ["g|new|~", "g|u|500000003", "g|v|~", "g|w|500000006", "g|x|500000007"])
    }

    @Test("ids that are equal as texts but not in their bytes are different ids")
    func canonicallyEquivalentIDs() throws {
        let test = try CatalogUnderTest()
        let composed = "caf\u{e9}"
        let decomposed = "cafe\u{301}"
        try test.importing(.groups, "group_id,title\n\(composed),one\n\(decomposed),two\n")
        try test.importing(.photos, "photo_id,user_id\na,u\nb,u\nc,u\n")
        try test.importing(.pools, "group_id,photo_id\n\(composed),b\n\(composed),c\n\(decomposed),c\n")
        #expect(
            try test.catalog.facts.groups().map { Array($0.id.utf8) } == [decomposed, composed].map { Array($0.utf8) })
        #expect(try test.catalog.facts.group(withID: composed)?.title == "one")
        #expect(try test.catalog.facts.group(withID: decomposed)?.title == "two")
        #expect(try test.lines("SELECT count(*) FROM pools GROUP BY group_key ORDER BY 1") == ["1", "2"])
    }
}
