import Model
@testable import coterie_bench
import Testing

@Suite("The same seed gives the same bytes")
struct DeterminismTests {
    @Test(arguments: CommunityFile.allCases)
    func sameSeedSameBytes(_ file: CommunityFile) throws {
        let parameters = try GeneratedTables.sampleParameters(seed: 3)
        let first = GeneratedTables.bytes(of: file, Community(parameters))
        #expect(first == GeneratedTables.bytes(of: file, Community(parameters)))
        let other = try GeneratedTables.sampleParameters(seed: 4)
        #expect(first != GeneratedTables.bytes(of: file, Community(other)))
    }

    @Test("Files do not depend on which were written before")
    func anyOrder() throws {
        let parameters = try GeneratedTables.sampleParameters(seed: 3)
        let community = Community(parameters)
        let pools = GeneratedTables.bytes(of: .pools, community)
        for file in CommunityFile.allCases.reversed() { _ = GeneratedTables.bytes(of: file, community) }
        #expect(GeneratedTables.bytes(of: .pools, community) == pools)
    }

    @Test("A digest pins the bytes across machines and changes of the code")
    func pinnedBytes() throws {
        let parameters = try CommunityParameters(
            groups: 400, users: 300, photos: 600, memberships: 3000, pools: 900, seed: 1,
            endDay: "2026-06-01")
        let community = Community(parameters)
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for file in CommunityFile.allCases where file.isPart(of: parameters) {
            for byte in GeneratedTables.bytes(of: file, community) {
                digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(digest == 7_513_724_297_025_815_857)
    }

    @Test("Another relation of users has a part of the memberships, one of photos a part of the pool entries")
    func otherRelations() throws {
        let fans = RelationSource(table: "fans", of: .users, timeColumn: "since")
        let covers = RelationSource(table: "covers", of: .photos, timeColumn: "since")
        let stars = RelationSource(table: "stars", of: .users, timeColumn: "since")
        let relations = RelationTable(
            Array(RelationTable.standard)
                + [fans, covers, stars].map {
                    RelationDescription($0.table, singular: "x", meaning: "x", of: .table($0))
                })
        #expect(CommunityFile.all(of: relations).map(\.name).suffix(3) == ["fans.tsv", "covers.tsv", "stars.tsv"])
        let community = Community(try GeneratedTables.sampleParameters())
        func rows(_ file: CommunityFile) -> Set<Substring> {
            Set(String(decoding: GeneratedTables.bytes(of: file, community), as: UTF8.self).split(separator: "\n"))
        }
        for (part, whole) in [(fans, RelationSource.memberships), (covers, .pools)] {
            let (part, whole) = (rows(.relation(part)), rows(.relation(whole)))
            #expect(part.subtracting(whole).count == 1, "only the header is another one")
            #expect((0.2...0.3).contains(Double(part.count) / Double(whole.count)))
        }
        #expect(rows(.relation(fans)) != rows(.relation(stars)))
    }

    @Test("An error of the sink ends the writing")
    func sinkFailure() throws {
        struct Full: Error {}
        let community = Community(try GeneratedTables.sampleParameters())
        var chunks = 0
        #expect(throws: Full.self) {
            try community.write(.photos) { _ throws(Full) in
                chunks += 1
                throw Full()
            }
        }
        #expect(chunks == 1)
    }

    @Test("Chunks are whole lines")
    func wholeLines() throws {
        let community = Community(try GeneratedTables.sampleParameters())
        var chunks = 0
        var partial = 0
        let rows = community.write(.memberships) { chunk in
            chunks += 1
            if chunk.last != UInt8(ascii: "\n") { partial += 1 }
        }
        #expect(rows == 60_000)
        #expect(chunks > 1)
        #expect(partial == 0)
    }
}
