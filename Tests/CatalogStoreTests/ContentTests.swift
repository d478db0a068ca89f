import CatalogStore
import SQLite
import TestSupport
import Testing

@Suite("Reading the content of photos")
struct ContentTests {
    private func filled() throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        try test.importing(
            .photos,
            """
            photo_id,visibility,tags,latitude,longitude
            a,public,Bee;macro;BEE,47.37,8.54
            b,public,bee;rare,47.31,8.59
            c,private,bee;secret;macro,47.37,8.54
            d,public,,10,
            e,public,macro;bee,10,10
            f,public, ; ,,

            """)
        return test
    }

    @Test("tags are those of public photos, case is ignored, and each counts once per photo")
    func tags() throws {
        let test = try filled()
        let snapshot = try CatalogSnapshot(of: test.catalog, threads: 1)
        #expect(try snapshot.hasContent(.tags) && snapshot.hasContent(.places))
        let tags = try snapshot.photoTags(minimumPhotos: 2) { $0.lowercased() }
        #expect(tags.vocabulary == ["bee", "macro"] && tags.totals == [3, 2] && tags.photoCount == 3)
        let columns = try test.lines("SELECT photo_key FROM photos ORDER BY photo_id").map { Int($0) ?? -1 }
        #expect(columns.map { Set(tags.terms(ofPhoto: $0)) } == [[0, 1], [0], [], [], [0, 1], []])
        #expect(tags.terms(ofPhoto: 1000).isEmpty)
        #expect(
            try snapshot.photoTags(minimumPhotos: 1) { $0.lowercased() }.vocabulary == ["bee", "macro", "rare"])
    }

    @Test("at most 65,536 tags are kept, the most frequent ones first")
    func manyTags() throws {
        let test = try CatalogUnderTest()
        let tags = (0..<70_000).map { "t\($0)" }.joined(separator: ";")
        try Database(path: test.path, mode: .readWrite).execute(
            """
            INSERT INTO photos (photo_key, photo_id, tags) VALUES (1, 'a', '\(tags)'), (2, 'b', 't69999');
            UPDATE catalog_state SET value = 1 WHERE name = 'photos.tags';
            """)
        let found = try CatalogSnapshot(of: test.catalog, threads: 1).photoTags(minimumPhotos: 1) { String($0) }
        #expect(found.vocabulary.count == 65_536 && found.vocabulary[0] == "t69999" && found.totals[0] == 2)
        #expect(found.terms(ofPhoto: 1).count == 65_536 && found.terms(ofPhoto: 2).count == 1)
    }

    @Test("locations are those of public photos with both coordinates and a cell")
    func places() throws {
        let test = try filled()
        let snapshot = try CatalogSnapshot(of: test.catalog, threads: 1)
        let places = try snapshot.photoPlaces(minimumPhotos: 1) { latitude, longitude in
            latitude == longitude ? nil : Int(latitude * 10)
        }
        #expect(places.vocabulary == [473] && places.totals == [2] && places.photoCount == 2)
    }

    @Test("a catalog without tags and locations has none")
    func none() throws {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,visibility,tags,latitude,longitude\na,public,,,\nb,private,x,1,1\n")
        let snapshot = try CatalogSnapshot(of: test.catalog, threads: 1)
        #expect(try !snapshot.hasContent(.tags) && !snapshot.hasContent(.places))
        #expect(try snapshot.photoTags(minimumPhotos: 1) { $0.lowercased() }.vocabulary.isEmpty)
    }
}

/// Photos that share pools with one.
@Suite("Companions of a photo")
struct CompanionTests {
    @Test("are weighted by their cosine, without private groups and photos")
    func weights() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nb,public\nc,public\ns,private\n")
        try test.importing(.photos, "photo_id,visibility\np,public\nq,public\nr,public\nh,private\nx,public\n")
        try test.importing(.pools, "group_id,photo_id\na,p\nb,p\ns,p\na,q\nb,q\na,r\nc,r\na,h\nc,h\ns,x\nc,x\n")
        let photo = try #require(try test.catalog.photo(withID: "p"))
        // q is in a and b like p: 1; r is in a and c: ½.
        #expect(
            companions(photo) == [
                .init(groupID: "a", photos: 2, share: 1), .init(groupID: "b", photos: 1, share: 1 / 1.5),
                .init(groupID: "c", photos: 1, share: 0.5 / 1.5),
            ])
        #expect(
            try companions(#require(try test.catalog.photo(withID: "x"))) == [
                .init(groupID: "a", photos: 1, share: 1), .init(groupID: "c", photos: 1, share: 1),
            ])
    }

    private func companions(_ photo: PhotoRecord) -> [CompanionGroup] {
        photo.companionGroups.sorted { $0.groupID < $1.groupID }
    }

    @Test("are a few hundred, however large the pools are")
    func bounded() throws {
        let test = try CatalogUnderTest()
        let photos = (0..<3000).map { "p\($0)" }
        try test.importing(
            .pools, "group_id,photo_id\n" + photos.map { "big,\($0)\n" }.joined() + "other,p1501\nother,p3\n")
        let photo = try #require(try test.catalog.photo(withID: "p1500"))
        #expect(companions(photo).map(\.groupID) == ["big", "other"])
        #expect(companions(photo).map(\.photos) == [200, 1])
    }

    @Test("a photo has its tags, its location and its owner's memberships")
    func facts() throws {
        let test = try CatalogUnderTest()
        try test.importing(.memberships, "group_id,user_id\ng,u\na,u\n")
        try test.importing(.photos, "photo_id,user_id,tags,latitude,longitude\np,u,Bee;macro,1.5,-2\nq,,,3,\n")
        let photo = try #require(try test.catalog.photo(withID: "p"))
        #expect(photo.tags == ["Bee", "macro"] && photo.location?.latitude == 1.5 && photo.location?.longitude == -2)
        #expect(photo.ownerMemberships == ["a", "g"] && photo.companionGroups.isEmpty)
        let other = try #require(try test.catalog.photo(withID: "q"))
        #expect(other.tags.isEmpty && other.location == nil && other.ownerMemberships.isEmpty)
    }
}
