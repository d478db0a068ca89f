import Changes
import Foundation
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("All that is kept of a member")
struct MemberRowsTests {
    /// The tables without rows about one member, except the ledger: it has digests, and is asked by itself.
    private static let others: Set = [
        "groups", "catalog_state", "curated_groups", "hidden_groups", "journals", "ledger", "ledger_key",
        "tuning_notes", "vector_file",
    ]

    @Test("Every table of the schema is in the list of those with rows about members, or has none")
    func complete() throws {
        let test = try CatalogUnderTest()
        let tables = try test.lines("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        let relations = test.catalog.relations
        let listed = Set((MemberRows.naming(relations) + MemberRows.ofPhotos(relations)).map(\.table))
        #expect(listed.isDisjoint(with: Self.others))
        #expect(listed.union(Self.others) == Set(tables))
    }

    @Test("Rows have external ids in place of keys, and those of others are left out")
    func rows() throws {
        let test = try CatalogUnderTest()
        try test.importing(.users, "user_id,name\nann,\"An \"\"Ann\"\"\"\nbob,Bob\n")
        try test.importing(.photos, "photo_id,user_id,latitude\np,ann,1.5\nq,bob,\n")
        try test.importing(.memberships, "group_id,user_id,joined_at\ng,ann,500000001\ng,bob,\ng,ann,2150\n")
        try test.importing(.pools, "group_id,photo_id\ng,p\ng,q\n")
        try test.importing(.follows, "user_id,followed_id\nbob,ann\n")
        let catalog = try Catalog(path: test.path, mode: .recording)
        let click = InteractionRecord(id: "1", .click, groupID: "g", atMilliseconds: 5)
        try catalog.take([.member(MemberChange(ofUser: "ann", .record([click])))])
        let rows = try catalog.facts.rows(ofMember: "ann")
        let texts = rows.map { "\($0.table) \($0.json)" }
        #expect(
            texts.contains(
                #"users {"user_id":"ann","name":"An \"Ann\"","interests":null,"listed":null,"interests_stamp":null}"#))
        #expect(texts.contains(#"memberships {"group_id":"g","user_id":"ann","joined_at":500000001}"#))
        #expect(texts.contains(#"refused_memberships {"group_id":"g","user_id":"ann","joined_at":5680281600}"#))
        #expect(texts.contains(#"pools {"group_id":"g","photo_id":"p","added_at":null}"#))
        #expect(texts.contains(#"follows {"user_id":"bob","followed_id":"ann","since":null}"#))
        #expect(
            rows.map(\.table) == [
                "users", "photos", "interactions", "memberships", "refused_memberships", "follows", "pools",
            ])
        for row in rows { _ = try JSONSerialization.jsonObject(with: Data(row.json.utf8)) }
        #expect(try catalog.facts.rows(ofMember: "nobody").isEmpty)
        _ = try catalog.removal.forget(["ann"], withPhotos: true, atMilliseconds: 7)
        #expect(try catalog.facts.rows(ofMember: "ann").map(\.json) == [#"{"forgotten_at":7,"readmitted_at":0}"#])
    }
}
