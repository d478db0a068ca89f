import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Columns that may have no values")
struct NotedColumnTests {
    private static let joinedAt = RelationSource.memberships.notedTime
    private static let addedAt = RelationSource.pools.notedTime

    private func noted(_ catalog: Catalog) throws -> Set<NotedColumn> {
        Set(
            try [NotedColumn.tags, .latitude, Self.joinedAt, Self.addedAt].filter {
                try $0.hasValues(in: catalog.facts.database)
            })
    }

    @Test("a new catalog and rows without values note nothing")
    func empty() throws {
        let test = try CatalogUnderTest()
        #expect(try noted(test.catalog).isEmpty)
        try test.importing(.memberships, "group_id,user_id,joined_at\ng,u,\n")
        try test.importing(.pools, "group_id,photo_id\ng,p\n")
        try test.importing(.photos, "photo_id,user_id,tags,latitude,longitude,uploaded_at\np,u,,,,1700000000\n")
        #expect(try noted(test.catalog).isEmpty)
        #expect(try !WorkEstimate(.memberships, of: test.catalog.facts).hasDates)
        #expect(try ContentEstimate(of: test.catalog.facts.database) == ContentEstimate())
    }

    @Test(
        "the first value of a column is noted, whatever comes after",
        arguments: [
            (joinedAt, ImportKind.memberships, "group_id,user_id,joined_at\ng,u,1700000000\ng,v,\n"),
            (addedAt, .pools, "group_id,photo_id,added_at\ng,p,\ng,q,1700000000\n"),
            (.tags, .photos, "photo_id,tags\np,snow;sun\nq,\n"),
            (.latitude, .photos, "photo_id,latitude,longitude\np,46.5,8\nq,,\n"),
        ])
    func values(column: NotedColumn, kind: ImportKind, text: String) throws {
        let test = try CatalogUnderTest()
        try test.importing(kind, text)
        #expect(try noted(test.catalog) == [column])
        // Rows without a value take no note back.
        let lines = text.split(separator: "\n")
        try test.importing(kind, lines[0] + "\n" + (try #require(lines.first { $0.hasSuffix(",") })) + "\n")
        #expect(try noted(test.catalog) == [column])
    }

    @Test("an estimate of content counts the tags of a sample")
    func content() throws {
        let test = try CatalogUnderTest()
        let rows = (1...300).map { "p\($0),\($0.isMultiple(of: 2) ? "snow;sun" : "")" }
        try test.importing(.photos, "photo_id,tags\n" + rows.joined(separator: "\n") + "\n")
        #expect(
            try ContentEstimate(of: test.catalog.facts.database)
                == ContentEstimate(photos: 300, tags: 300, hasPlaces: false))
    }

    @Test("a sample of many photos has no key that does not exist")
    func sample() throws {
        let test = try CatalogUnderTest()
        try Database(path: test.path, mode: .readWrite).execute(
            """
            INSERT INTO photos (photo_key, photo_id, tags)
            WITH RECURSIVE keys(key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM keys WHERE key < 30000)
            SELECT key, 'p' || key, 'snow;sun' FROM keys;
            UPDATE catalog_state SET value = 1 WHERE name = 'photos.tags';
            """)
        #expect(
            try ContentEstimate(of: test.catalog.facts.database)
                == ContentEstimate(photos: 30_000, tags: 60_000, hasPlaces: false))
    }
}
