import Basics
import Model
import Redis

/// The neighbour lists of a relation, read in place from the bytes of its section.
struct NeighbourSectionReader {
    private let section: EncodedModel.Section
    private let groupCount: Int
    private let recordsStart: Int

    /// Creates a reader after checking that the offsets ascend and cover all neighbours.
    ///
    /// - Throws: `Failure.corrupt` if they do not.
    init(_ section: EncodedModel.Section, groupCount: Int) throws(Failure) {
        self.section = section
        self.groupCount = groupCount
        recordsStart = (groupCount + 1) * 8
        let fault = Failure(
            .corrupt, "the offsets of the section \"\(section.name.rawValue)\" contradict themselves")
        let total = (section.bytes.count - recordsStart) / Neighbour.byteCount
        guard recordsStart <= section.bytes.count,
            section.bytes.count == recordsStart + total * Neighbour.byteCount, offset(0) == 0,
            offset(groupCount) == total
        else { throw fault }
        for group in 0..<groupCount {
            guard offset(group) <= offset(group + 1), offset(group + 1) <= total else { throw fault }
        }
    }

    /// Returns the positions of a group's neighbours among all neighbours of the section.
    func list(_ group: Int) -> Range<Int> { Int(offset(group))..<Int(offset(group + 1)) }

    /// Returns the number of bytes that hold the offsets and neighbours of the groups through `group`, inclusive.
    func byteCount(upTo group: Int) -> Int { (group + 1) * 8 + Int(offset(group + 1)) * Neighbour.byteCount }

    /// Appends the compact value of a list.
    ///
    /// - Throws: `Failure.corrupt` if the scores ascend, or a neighbour is the group itself or not in the version.
    func append(_ list: Range<Int>, of group: Int, to bytes: inout [UInt8]) throws(Failure) {
        let records = unsafe section.bytes.span.bytes.extracting(droppingFirst: recordsStart)
        var ceiling = NeighbourListCoding.firstCeiling
        for place in list {
            let neighbour = unsafe records.unsafeLoadUnaligned(
                fromByteOffset: place * Neighbour.byteCount, as: Neighbour.self)
            guard neighbour.index < groupCount, neighbour.index != group else {
                throw Failure(
                    .corrupt, "a neighbour of group \(group) by \(section.name.rawValue) is no other group")
            }
            guard NeighbourListCoding.append(neighbour, ceiling: &ceiling, to: &bytes) else {
                throw Failure(
                    .corrupt, "the scores of the \(section.name.rawValue) of group \(group) do not descend")
            }
        }
    }

    private func offset(_ group: Int) -> UInt64 {
        let bytes = unsafe section.bytes.span.bytes
        return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: group * 8, as: UInt64.self))
    }
}

/// The lossless compact encoding of a group's neighbours in one relation.
///
/// Each neighbour, best first, has three `Varint`s:
///
/// 1. the neighbour's index
/// 2. the number of common entries
/// 3. the difference of its score's bit pattern (Float32) from the previous one; the first is subtracted from infinity,
///    0x7F800000
///
/// Scores descend, and so do their bit patterns; the differences are small. A neighbour takes about 7.5 bytes in lists
/// of 100, where a fixed record takes 12.
enum NeighbourListCoding {
    /// The bit pattern from which the first score's is subtracted: infinity, above all scores.
    static let firstCeiling = Float.infinity.bitPattern

    /// Appends a neighbour.
    ///
    /// - Parameters:
    ///   - ceiling: the bit pattern of the previous score, which this neighbour's replaces.
    ///   - bytes: the bytes to append to.
    /// - Returns: `false` if the score is greater than the previous one.
    @inline(__always)
    static func append(_ neighbour: Neighbour, ceiling: inout UInt32, to bytes: inout [UInt8]) -> Bool {
        let pattern = neighbour.score.bitPattern
        guard pattern <= ceiling else { return false }
        Varint.append(neighbour.index, to: &bytes)
        Varint.append(neighbour.common, to: &bytes)
        Varint.append(ceiling - pattern, to: &bytes)
        ceiling = pattern
        return true
    }

    /// Appends the neighbours of an encoded value to a list.
    ///
    /// - Returns: `false` if the bytes are malformed; then the neighbours appended so far are useless.
    static func decode(_ bytes: borrowing Span<UInt8>, appendingTo neighbours: inout [Neighbour]) -> Bool {
        var place = 0
        var ceiling = firstCeiling
        while place < bytes.count {
            guard let index = Varint.read(bytes, at: &place, as: UInt32.self),
                let common = Varint.read(bytes, at: &place, as: UInt32.self),
                let drop = Varint.read(bytes, at: &place, as: UInt32.self), drop <= ceiling
            else { return false }
            ceiling -= drop
            neighbours.append(Neighbour(index: index, common: common, score: Float(bitPattern: ceiling)))
        }
        return true
    }
}

/// The number of keys of each kind that a version has in Redis, so that its keys are found without a search.
struct VersionShape: Sendable, Equatable {
    /// The greatest number of groups, buckets or chunks, which are counted by 32-bit numbers.
    static let maximumCount = Int(UInt32.max)

    /// The number of groups, which is the greatest number of keys for each relation.
    var groupCount: Int
    /// The relations, in the order of the model file.
    var relations: [Relation]
    /// The number of buckets of users, or 0 if no members are published with the version.
    var bucketCount: Int
    /// The number of chunks of each section that is stored in chunks.
    var chunkCounts: [ModelLayout.SectionName: Int]

    var fields: [(name: String, value: String)] {
        [("lists", relations.map(\.rawValue).joined(separator: ";"))]
            + [("groups", String(groupCount)), ("buckets", String(bucketCount))]
            + Self.chunkedNames.compactMap { name in
                let count = chunkCounts[name] ?? 0
                // A version without vectors has the fields that it always had.
                return count == 0 && ModelLayout.SectionName.optional.contains(name)
                    ? nil : (name.rawValue, String(count))
            }
    }

    private static var chunkedNames: [ModelLayout.SectionName] { [.ids] + RedisLayout.chunkedSections }

    init(_ model: EncodedModel, idChunkCount: Int, bucketCount: Int) {
        groupCount = model.groupCount
        relations = model.relations
        self.bucketCount = bucketCount
        chunkCounts = [.ids: idChunkCount]
        for name in RedisLayout.chunkedSections {
            chunkCounts[name] = Self.chunkCount(ofByteCount: model[name]?.bytes.count ?? 0)
        }
    }

    /// Creates the shape from a server's reply to `HGETALL`, or returns `nil` if the reply is no shape.
    init?(_ reply: RedisReply) {
        guard case .array(let elements) = reply, !elements.isEmpty else { return nil }
        var numbers: [String: Int] = [:]
        var lists = ""
        for place in stride(from: 0, to: elements.count - 1, by: 2) {
            if elements[place].text == "lists" {
                lists = elements[place + 1].text ?? ""
                continue
            }
            guard let name = elements[place].text, let number = elements[place + 1].text.flatMap({ Int($0) }),
                (0...Self.maximumCount).contains(number)
            else { return nil }
            numbers[name] = number
        }
        guard let groups = numbers["groups"], let buckets = numbers["buckets"] else { return nil }
        groupCount = groups
        relations = lists.split(separator: ";").map { Relation(rawValue: String($0)) }
        bucketCount = buckets
        chunkCounts = [:]
        for name in Self.chunkedNames { chunkCounts[name] = numbers[name.rawValue] ?? 0 }
    }

    /// Returns the number of chunks that `count` bytes need.
    static func chunkCount(ofByteCount count: Int) -> Int {
        (count + RedisLayout.chunkByteCount - 1) / RedisLayout.chunkByteCount
    }

    /// Returns the stems of a version's numbered keys, and the number of keys of each; numbers begin with 0.
    func numberedKeys(_ version: VersionName, _ layout: RedisLayout) -> [(stem: String, count: Int)] {
        relations.map { (layout.stem(version, .init($0)), groupCount) }
            + Self.chunkedNames.map { (layout.stem(version, $0), chunkCounts[$0] ?? 0) }
            + [(layout.users(version), bucketCount), (layout.renewedUsers(version), bucketCount)]
    }
}
