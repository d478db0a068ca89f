import Model
import Redis

/// The lists of a relation's section, read in place from its bytes.
struct NeighbourSectionReader {
    private let section: EncodedModel.Section
    private let groupCount: Int
    private let recordsStart: Int

    /// Checks that the offsets ascend and span the neighbours.
    ///
    /// - Throws: `StoreError.corrupt` if they do not.
    init(_ section: EncodedModel.Section, groupCount: Int) throws(StoreError) {
        self.section = section
        self.groupCount = groupCount
        recordsStart = (groupCount + 1) * 8
        let fault = StoreError(
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

    /// The places of a group's neighbours among all of the section.
    func list(_ group: Int) -> Range<Int> { Int(offset(group))..<Int(offset(group + 1)) }

    /// How many bytes of the section are offsets and neighbours of the groups up to one, inclusive.
    func byteCount(upTo group: Int) -> Int { (group + 1) * 8 + Int(offset(group + 1)) * Neighbour.byteCount }

    /// Appends the compact value of a list.
    ///
    /// - Throws: `StoreError.corrupt` if its scores do not descend, or a neighbour is no other group of the version.
    func append(_ list: Range<Int>, of group: Int, to bytes: inout [UInt8]) throws(StoreError) {
        let records = unsafe section.bytes.span.bytes.extracting(droppingFirst: recordsStart)
        var ceiling = NeighbourListCoding.firstCeiling
        for place in list {
            let neighbour = unsafe records.unsafeLoadUnaligned(
                fromByteOffset: place * Neighbour.byteCount, as: Neighbour.self)
            guard neighbour.index < groupCount, neighbour.index != group else {
                throw StoreError(
                    .corrupt, "a neighbour of group \(group) by \(section.name.rawValue) is no other group")
            }
            guard NeighbourListCoding.append(neighbour, ceiling: &ceiling, to: &bytes) else {
                throw StoreError(
                    .corrupt, "the scores of the \(section.name.rawValue) of group \(group) do not descend")
            }
        }
    }

    private func offset(_ group: Int) -> UInt64 {
        let bytes = unsafe section.bytes.span.bytes
        return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: group * 8, as: UInt64.self))
    }
}

/// A group's neighbours in one relation as a compact value, without loss.
///
/// Three numbers a neighbour, best first, each as a `Varint`: the neighbour's index; the common entries; and by how
/// much the bit pattern of its score (Float32) is smaller than the one before, the first one's than that of infinity,
/// 0x7F800000. As scores descend, so do their bit patterns, and the differences are small. About 7.5 bytes a neighbour
/// in lists of 100, where fixed records have 12.
enum NeighbourListCoding {
    /// What the first score's bit pattern is subtracted from: that of infinity, above all scores.
    static let firstCeiling = Float.infinity.bitPattern

    /// Appends a neighbour.
    ///
    /// - Parameter ceiling: the bit pattern of the score before; becomes that of this one.
    /// - Returns: false if the score does not descend.
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

    /// Appends the neighbours of a value to a list.
    ///
    /// - Returns: false if the bytes are not such a value; what was appended until then is of no use.
    static func decode(_ bytes: borrowing Span<UInt8>, appendingTo neighbours: inout [Neighbour]) -> Bool {
        var place = 0
        var ceiling = firstCeiling
        while place < bytes.count {
            guard let index = Varint.read(bytes, at: &place), let common = Varint.read(bytes, at: &place),
                let drop = Varint.read(bytes, at: &place), drop <= ceiling
            else { return false }
            ceiling -= drop
            neighbours.append(Neighbour(index: index, common: common, score: Float(bitPattern: ceiling)))
        }
        return true
    }
}

/// How many keys of each kind a version has in Redis: enough to enumerate them without searching the server.
struct VersionShape: Sendable, Equatable {
    /// More groups than an index can name, or more chunks or buckets than that, are refused.
    static let maximumCount = Int(UInt32.max)

    /// Groups, and therefore possible keys of each relation.
    var groupCount: Int
    /// What its groups have in common, in the order of the model file.
    var relations: [Relation]
    /// Buckets of users; 0 if no members are published with the version.
    var bucketCount: Int
    /// How a bucket is stored.
    var packing: Packing
    /// Chunks of each section that is stored in chunks.
    var chunkCounts: [ModelLayout.SectionName: Int]

    /// How the users of a bucket are stored.
    enum Packing: Int {
        /// As fields of a hash: what a shape means that does not say it.
        case hashes = 1
        /// As `PackedUsers`.
        case packed
    }

    /// What versions had whose shape does not name their relations: those of model format 2.
    private static let listsOfFormat2 = "photos;members"

    /// Field names and values, as they are stored.
    var fields: [(name: String, value: String)] {
        [("lists", relations.map(\.rawValue).joined(separator: ";"))]
            + [("groups", String(groupCount)), ("buckets", String(bucketCount))]
            + [("packing", String(packing.rawValue))]
            + Self.chunkedNames.map { ($0.rawValue, String(chunkCounts[$0] ?? 0)) }
    }

    private static var chunkedNames: [ModelLayout.SectionName] { [.ids] + RedisLayout.chunkedSections }

    /// The shape of a model.
    init(_ model: EncodedModel, idChunkCount: Int, userCount: Int?) {
        groupCount = model.groupCount
        relations = model.relations
        bucketCount = userCount.map { max(1, ($0 + RedisLayout.usersPerBucket - 1) / RedisLayout.usersPerBucket) } ?? 0
        packing = .packed
        chunkCounts = [.ids: idChunkCount]
        for name in RedisLayout.chunkedSections {
            chunkCounts[name] = Self.chunkCount(ofByteCount: model[name]?.bytes.count ?? 0)
        }
    }

    /// The shape that a server's answer to HGETALL describes; nil if it describes none.
    init?(_ reply: RedisReply) {
        guard case .array(let elements) = reply, !elements.isEmpty else { return nil }
        var numbers: [String: Int] = [:]
        var lists = Self.listsOfFormat2
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
        guard let groups = numbers["groups"], let buckets = numbers["buckets"],
            let packing = Packing(rawValue: numbers["packing"] ?? Packing.hashes.rawValue)
        else { return nil }
        self.packing = packing
        groupCount = groups
        relations = lists.split(separator: ";").map { Relation(rawValue: String($0)) }
        bucketCount = buckets
        chunkCounts = [:]
        for name in Self.chunkedNames { chunkCounts[name] = numbers[name.rawValue] ?? 0 }
    }

    /// How many chunks so many bytes make.
    static func chunkCount(ofByteCount count: Int) -> Int {
        (count + RedisLayout.chunkByteCount - 1) / RedisLayout.chunkByteCount
    }

    /// What the names of a version's numbered keys begin with, and how many numbers follow.
    func numberedKeys(_ version: VersionName, _ layout: RedisLayout) -> [(stem: String, count: Int)] {
        relations.map { (layout.stem(version, .init($0)), groupCount) }
            + Self.chunkedNames.map { (layout.stem(version, $0), chunkCounts[$0] ?? 0) }
            + RedisLayout.UserValues.allCases.map { (layout.stem(version, $0), bucketCount) }
    }
}
