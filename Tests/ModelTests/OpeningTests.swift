import Basics
@testable import Model
import TestSupport
import Testing

/// Opening bytes from outside: either an error, or a model all of whose reads work.
@Suite("Opening a model version")
struct OpeningTests {
    @Test("reads what was encoded", arguments: [0, 1, 2, 300])
    func roundTrip(groupCount: Int) throws {
        let groups = SampleModel.groups(groupCount)
        let table = SampleModel.table(groupCount: groupCount, limit: 12, seed: 5)
        let sizes = SampleModel.sizes(groupCount)
        let encoded = try EncodedModel(groups: groups, sizes: sizes, tables: [.members: table])
        let model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        #expect(model.groupCount == groupCount)
        #expect((0..<groupCount).map(model.facts(of:)) == groups)
        #expect((0..<groupCount).allSatisfy { model.index(ofID: groups[$0].id) == $0 })
        #expect(model.index(ofID: "no such group") == nil)
        #expect(model.relations == [.photos, .members])
        for group in 0..<groupCount {
            for relation in model.relations { #expect(model.size(of: group, in: relation) == sizes[relation]?[group]) }
            let expected = table.neighbours[table.offsets[group]..<table.offsets[group + 1]]
            #expect(model.neighbours(of: group, by: .members).elementsEqual(expected))
            #expect(model.neighbours(of: group, by: .photos).isEmpty)
        }
        #expect(model.meanBestScore(of: .members) == table.meanBestScore)
    }

    @Test("never crashes on bytes that changed", arguments: 0..<8)
    func flippedBytes(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let valid = try SampleModel.model(groupCount: 12, limit: 4, seed: UInt64(seed)).fileBytes
        for _ in 0..<1500 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            readAll(bytes)
        }
    }

    @Test("never crashes when any single byte has an extreme value")
    func everyByte() throws {
        let valid = try SampleModel.model(groupCount: 4, limit: 3).fileBytes
        for index in valid.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                var bytes = valid
                bytes[index] = value
                readAll(bytes)
            }
        }
    }

    @Test("refuses a file that is cut short at any byte")
    func truncations() throws {
        let valid = try SampleModel.model(groupCount: 5, limit: 3).fileBytes
        for count in 0..<valid.count {
            #expect(throws: Failure.self) { try ModelVersion(ByteRegion(copying: Array(valid.prefix(count)))) }
        }
        for (count, reason) in [(63, "it has no header"), (64, "it has 64 bytes of \(valid.count)")] {
            let region = ByteRegion(copying: Array(valid.prefix(count)))
            let error = #expect(throws: Failure.self) { try ModelVersion(region) }
            #expect(String(describing: error).contains(reason))
        }
    }

    @Test("refuses scores that are negative or not finite", arguments: [Float.nan, .infinity, -0.0, -1])
    func badScores(score: Float) throws {
        let groups = SampleModel.groups(2)
        let table = NeighbourTable(offsets: [0, 1, 1], neighbours: [Neighbour(index: 1, common: 3, score: score)])
        var sections = try EncodedModel(groups: groups, tables: [.photos: table]).sections
        // The mean of such scores is no number either; it must not be what is found wrong.
        let scales = try EncodedModel(groups: groups, tables: [:])[.scales]
        let index = try #require(sections.firstIndex { $0.name == .scales })
        sections[index] = try #require(scales)
        let bytes = EncodedModel(groupCount: 2, sections: sections).fileBytes
        #expect(throws: Failure.corrupt(section: "photos", reason: "the scores of group 0 do not descend")) {
            try ModelVersion(ByteRegion(copying: bytes))
        }
    }

    @Test("refuses sections that are not aligned", arguments: 0..<15)
    func misaligned(section: Int) throws {
        let encoded = try SampleModel.model(groupCount: 12, limit: 4)
        let placement = encoded.placement
        var bytes = encoded.fileBytes
        // A copy of the section, behind all others and a byte further on than it may be.
        let start = (bytes.count + 63) / 64 * 64 + 1
        bytes += [UInt8](repeating: 0, count: start - bytes.count) + bytes[placement.ranges[section]]
        func write(_ number: Int, at offset: Int) {
            for shift in 0..<8 { bytes[offset + shift] = UInt8(truncatingIfNeeded: number >> (8 * shift)) }
        }
        write(bytes.count, at: 16)
        let entry = ModelLayout.headerByteCount + section * ModelLayout.tableEntryByteCount
        write(start, at: entry + 16)
        #expect(
            throws: Failure.corrupt(
                section: placement.names[section].rawValue, reason: "it begins at byte \(start), no multiple of 64")
        ) { try ModelVersion(ByteRegion(copying: bytes)) }
        bytes.insert(contentsOf: [UInt8](repeating: 0, count: 63), at: start)
        write(bytes.count, at: 16)
        write(start + 63, at: entry + 16)
        readAll(bytes)
        #expect(throws: Never.self) { try ModelVersion(ByteRegion(copying: bytes)) }
    }

    @Test("refuses an offset that cuts a character in two")
    func cutCharacter() throws {
        let encoded = try EncodedModel(groups: [GroupFacts(id: "aé"), GroupFacts(id: "b")], tables: [:])
        var sections = encoded.sections
        var ids = sections[0].bytes
        #expect(ids[4] == 3)
        ids[4] = 2
        sections[0] = .init(name: .ids, bytes: ids)
        let bytes = EncodedModel(groupCount: 2, sections: sections).fileBytes
        #expect(throws: Failure.corrupt(section: "ids", reason: "offset 1 cuts a character in two")) {
            try ModelVersion(ByteRegion(copying: bytes))
        }
    }

    @Test("does not encode ids that are empty, too long or have a zero byte", arguments: [0, 256, 1])
    func badIDs(length: Int) {
        let id = length == 1 ? "a\0" : String(repeating: "a", count: length)
        #expect(throws: Failure.self) { try EncodedModel(groups: [GroupFacts(id: id)], tables: [:]) }
    }

    /// Opens bytes and, if that works, reads everything.
    private func readAll(_ bytes: [UInt8]) {
        guard let model = try? ModelVersion(ByteRegion(copying: bytes)) else { return }
        #expect(ModelReading.flaw(in: model) == nil)
    }
}
