import SyntheticCommunity
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
        for file in CommunityFile.allCases {
            for byte in GeneratedTables.bytes(of: file, community) {
                digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(digest == 7_513_724_297_025_815_857)
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
