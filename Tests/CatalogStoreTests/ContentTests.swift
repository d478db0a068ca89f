@testable import CatalogStore
import Model
import SQLite
import TestSupport
import Testing

extension PhotoContent {
    /// Returns the terms of one photo, as indexes of the vocabularies.
    fileprivate func terms(ofPhoto column: Int) -> (tags: [Int], place: Int?) {
        var tags = TermTally(vocabularyCount: self.tags.terms.count)
        var places = TermTally(vocabularyCount: self.places.terms.count)
        records.count([UInt32(column)], tags: &tags, places: &places)
        return (tags.terms.map(\.term), places.terms.first?.term)
    }
}

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

    private func content(_ test: CatalogUnderTest, minimumPhotos: Int, threads: Int = 1) throws -> PhotoContent {
        try Matrices(of: test.catalog.facts, threads: threads).photoContent(minimumPhotos: minimumPhotos) { _ in
        }
    }

    @Test("tags are those of public photos, case is ignored, and each counts once per photo")
    func tags() throws {
        let test = try filled()
        #expect(try Matrices(of: test.catalog.facts, threads: 1).hasPhotoContent())
        let found = try content(test, minimumPhotos: 2)
        #expect(found.tags.terms == ["bee", "macro"] && found.tags.totals == [3, 2] && found.tags.photoCount == 3)
        let columns = try test.lines("SELECT photo_key FROM photos ORDER BY photo_id").map { Int($0) ?? -1 }
        #expect(columns.map { Set(found.terms(ofPhoto: $0).tags) } == [[0, 1], [0], [], [], [0, 1], []])
        #expect(try content(test, minimumPhotos: 1).tags.terms == ["bee", "macro", "rare"])
    }

    @Test("a tag is one, whatever the encoding of its accents")
    func encodings() throws {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,visibility,tags\na,public,cafe\u{301}\nb,public,caf\u{E9}\n")
        let found = try content(test, minimumPhotos: 2)
        #expect(found.tags.terms.map { Array($0.utf8) } == [Array("caf\u{E9}".utf8)] && found.tags.totals == [2])
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
        let found = try content(test, minimumPhotos: 1)
        #expect(found.tags.terms.count == 65_536 && found.tags.terms[0] == "t69999" && found.tags.totals[0] == 2)
        #expect(found.terms(ofPhoto: 1).tags.count == 65_536 && found.terms(ofPhoto: 2).tags.count == 1)
    }

    @Test("locations are those of public photos with both coordinates")
    func places() throws {
        let test = try filled()
        let places = try content(test, minimumPhotos: 1).places
        #expect(places.terms.map(\.south) == [473, 100] && places.terms.map(\.west) == [85, 100])
        #expect(places.totals == [2, 1] && places.photoCount == 3)
    }

    @Test("a catalog without tags and locations has none")
    func none() throws {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,visibility,tags,latitude,longitude\na,public,,,\nb,private,,,\n")
        #expect(try !Matrices(of: test.catalog.facts, threads: 1).hasPhotoContent())
        let content = try content(test, minimumPhotos: 1)
        #expect(content.tags.terms.isEmpty && content.places.terms.isEmpty)
    }

    @Test("is what brute force finds, and the same on any number of threads")
    func bruteForce() throws {
        var generator = SeededGenerator(seed: 70)
        let test = try CatalogUnderTest()
        // There are more photos than a range holds, a few tags in two spellings, and gaps between the keys.
        let photos = (0..<34_000).map { index in
            let tags = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                let tag = Int.random(in: 0..<400, using: &generator)
                return Bool.random(using: &generator) ? "Tag\(tag)" : "tag\(tag)"
            }
            let place = Bool.random(using: &generator) ? Int.random(in: -900..<900, using: &generator) : nil
            return (
                id: index, tags: tags, place: place, owner: Int.random(in: 0..<50, using: &generator),
                isPrivate: Int.random(in: 0..<9, using: &generator) == 0
            )
        }
        try test.importing(
            .photos,
            "photo_id,user_id,visibility,tags,latitude,longitude\n"
                + photos.map { photo in
                    let place = photo.place.map { "\(Double($0) / 10 + 0.05),5.05" } ?? ","
                    return "\(photo.id),\(photo.owner == 0 ? "" : "u\(photo.owner)"),"
                        + "\(photo.isPrivate ? "private" : "public"),\(photo.tags.joined(separator: ";")),\(place)\n"
                }.joined())
        try Database(path: test.path, mode: .readWrite).execute("DELETE FROM photos WHERE photo_key % 7 = 3")
        let left = photos.filter { !$0.isPrivate && ($0.id + 1) % 7 != 3 }
        var counts: [String: Int] = [:]
        for photo in left {
            var seen: Set<String> = []
            for tag in photo.tags.map({ $0.lowercased() }) where seen.insert(tag).inserted {
                counts[tag, default: 0] += 1
            }
        }
        let photosOfPlace = Dictionary(grouping: left.compactMap(\.place)) { $0 }.mapValues(\.count)
        let vocabulary = counts.filter { $0.value >= 5 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        // With 400 tags, all fit into memory. With 90, shares of the tags must be divided once more.
        let tables = test.directory.path + "/tables"
        _ = try Matrices(of: test.catalog.facts, threads: 1)
            .exportTables(to: tables, relations: .standard, rowsPerPart: 9000)
        for (threads, mostTags) in [(1, 400), (3, 400), (3, 90)] {
            let snapshot = try Matrices(of: test.catalog.facts, threads: threads)
            let found = try snapshot.photoContent(minimumPhotos: 5, mostTags: mostTags) { _ in }
            let fromTables = try TableSnapshot(tables, snapshot)
                .photoContent(minimumPhotos: 5, mostTags: mostTags) { _ in }
            #expect(fromTables.tags.terms == vocabulary && fromTables.tags.totals == found.tags.totals)
            #expect(fromTables.tags.photoCount == found.tags.photoCount)
            #expect(found.tags.terms == vocabulary)
            #expect(found.tags.totals.map(Int.init) == vocabulary.map { counts[$0] ?? 0 })
            #expect(found.tags.photoCount == left.count { !$0.tags.isEmpty })
            #expect(found.places.photoCount == left.count { $0.place != nil })
            let areTermsRight = left.lazy.filter { $0.id.isMultiple(of: 5) }.allSatisfy { photo in
                let terms = found.terms(ofPhoto: photo.id + 1)
                let place = terms.place.map { found.places.terms[$0] }
                return Set(terms.tags.map { found.tags.terms[$0] })
                    == Set(photo.tags.map { $0.lowercased() }).intersection(vocabulary)
                    && place?.south == photo.place.flatMap { photosOfPlace[$0, default: 0] >= 5 ? $0 : nil }
            }
            #expect(areTermsRight)
            let pairs = Set(left.map { "\($0.owner) \(found.owners[$0.id + 1])" })
            #expect(pairs.count == Set(left.map(\.owner)).count && pairs.contains("0 0"))
        }
    }
}

/// The photos that share pools with a photo.
@Suite("Companions of a photo")
struct CompanionTests {
    @Test("are weighted by their cosine, without private groups and photos")
    func weights() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nb,public\nc,public\ns,private\n")
        try test.importing(.photos, "photo_id,visibility\np,public\nq,public\nr,public\nh,private\nx,public\n")
        try test.importing(.pools, "group_id,photo_id\na,p\nb,p\ns,p\na,q\nb,q\na,r\nc,r\na,h\nc,h\ns,x\nc,x\n")
        let photo = try #require(try test.catalog.facts.photo(withID: "p"))
        // q is in a and b like p: 1. r is in a and c: ½.
        #expect(
            companions(photo) == [
                .init(groupID: "a", photos: 2, share: 1), .init(groupID: "b", photos: 1, share: 1 / 1.5),
                .init(groupID: "c", photos: 1, share: 0.5 / 1.5),
            ])
        #expect(
            try companions(#require(try test.catalog.facts.photo(withID: "x"))) == [
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
        let photo = try #require(try test.catalog.facts.photo(withID: "p1500"))
        #expect(companions(photo).map(\.groupID) == ["big", "other"])
        #expect(companions(photo).map(\.photos) == [200, 1])
    }

    @Test("a photo has its tags, its location and its owner's memberships")
    func facts() throws {
        let test = try CatalogUnderTest()
        try test.importing(.memberships, "group_id,user_id\ng,u\na,u\n")
        try test.importing(.photos, "photo_id,user_id,tags,latitude,longitude\np,u,Bee;macro,1.5,-2\nq,,,3,\n")
        let photo = try #require(try test.catalog.facts.photo(withID: "p"))
        #expect(photo.tags == ["Bee", "macro"] && photo.location?.latitude == 1.5 && photo.location?.longitude == -2)
        #expect(photo.ownerMemberships == ["a", "g"] && photo.companionGroups.isEmpty)
        let other = try #require(try test.catalog.facts.photo(withID: "q"))
        #expect(other.tags.isEmpty && other.location == nil && other.ownerMemberships.isEmpty)
    }
}
