package import Basics

/// A model version, read in place from its bytes.
///
/// Everything is checked when the version is opened, and reading it afterwards cannot fail. Groups have an index, 0 ..<
/// `groupCount`, in ascending order of the bytes of their external ids.
package final class ModelVersion: Sendable {
    package let groupCount: Int
    private let region: ByteRegion
    private let ids: TextColumn
    private let titles: TextColumn
    private let topicTexts: TextColumn
    private let factsStart: Int
    private let sizesStart: Int
    private let readers: [RelationReader]
    /// The relations of the version, in the order of the file.
    package let relations: [Relation]
    let signals: SignalReader
    /// The photos with vectors, or nil if the version has none.
    package let looks: IndexedPhotos?
    private let map: MapReader?

    /// Opens the bytes of a model file and checks every offset, index and text.
    ///
    /// - Throws: `Failure` that says what is wrong with the bytes.
    /// - Complexity: O(bytes).
    package init(_ region: ByteRegion) throws(Failure) {
        let table = try SectionTable(region)
        let facts = try table[.facts]
        guard facts.count.isMultiple(of: ModelLayout.factsByteCount) else {
            throw .corrupt(section: "facts", reason: "its length is no multiple of \(ModelLayout.factsByteCount)")
        }
        let groupCount = facts.count / ModelLayout.factsByteCount
        let relations = try Self.relations(region, table[.relations])
        let (sizes, scales) = (try table[.sizes], try table[.scales])
        guard sizes.count == groupCount * relations.count * 4 else {
            throw .corrupt(section: "sizes", reason: "it is not of one number a group and relation")
        }
        guard scales.count == relations.count * ModelLayout.scalesByteCount else {
            throw .corrupt(section: "scales", reason: "it is not of two numbers a relation")
        }
        self.groupCount = groupCount
        self.region = region
        factsStart = facts.lowerBound
        ids = try TextColumn(region, range: table[.ids], count: groupCount, section: .ids)
        titles = try TextColumn(region, range: table[.titles], count: groupCount, section: .titles)
        topicTexts = try TextColumn(region, range: table[.topics], count: groupCount, section: .topics)
        self.relations = relations
        sizesStart = sizes.lowerBound
        var readers: [RelationReader] = []
        for (index, relation) in relations.enumerated() {
            readers.append(
                try RelationReader(
                    region, range: table[.init(relation)],
                    scaleOffset: scales.lowerBound + index * ModelLayout.scalesByteCount, groupCount: groupCount,
                    relation: relation))
        }
        self.readers = readers
        signals = try SignalReader(region, table, groupCount: groupCount)
        looks = try IndexedPhotos(region, table, groupCount: groupCount)
        map = try MapReader(region, table, groupCount: groupCount)
        try checkGroups()
    }

    private static func relations(_ region: ByteRegion, _ range: Range<Int>) throws(Failure) -> [Relation] {
        let text = unsafe region.withBytes(range) { unsafe String(decoding: $0, as: UTF8.self) }
        let relations = text.split(separator: ";").map { Relation(rawValue: String($0)) }
        guard !relations.isEmpty, Set(relations).count == relations.count,
            relations.allSatisfy({ $0.hasGoodName && !RelationTable.reservedNames.contains($0.rawValue) })
        else { throw .corrupt(section: "relations", reason: "it does not name relations") }
        return relations
    }

    private func checkGroups() throws(Failure) {
        for index in 0..<groupCount {
            let bytes = ids.byteRange(index)
            guard (1...255).contains(bytes.count) else {
                throw .corrupt(section: "ids", reason: "the id of group \(index) has \(bytes.count) bytes")
            }
            guard unsafe region.withBytes(bytes, { unsafe !$0.contains(0) }) else {
                throw .corrupt(section: "ids", reason: "the id of group \(index) has a zero byte")
            }
            guard index == 0 || ids.isAscending(at: index) else {
                throw .corrupt(section: "ids", reason: "group \(index) is out of order")
            }
            guard storedJoinPolicy(of: index) != nil else {
                throw .corrupt(section: "facts", reason: "group \(index) has an unknown join policy")
            }
        }
    }

    /// Returns a group's external id.
    package func id(of index: Int) -> String { ids[checked(index)] }

    /// Returns a group's title, which may be empty.
    package func title(of index: Int) -> String { titles[checked(index)] }

    /// Returns a group's topics, in the order of the catalog.
    package func topics(of index: Int) -> [String] {
        topicTexts[checked(index)].split(separator: ";").map(String.init)
    }

    package func facts(of index: Int) -> GroupFacts {
        GroupFacts(
            id: id(of: index), title: titles[index], topics: topics(of: index), joinPolicy: joinPolicy(of: index),
            createdAt: createdAt(of: index), lastActiveAt: lastActiveAt(of: index), talk: talk(of: index))
    }

    /// Returns the time at which a group was founded, in Unix seconds, or nil if unknown.
    package func createdAt(of index: Int) -> Int64? { time(of: index, at: 0) }

    /// Returns the time at which something last happened in a group, in Unix seconds, or nil if unknown.
    package func lastActiveAt(of index: Int) -> Int64? { time(of: index, at: 8) }

    private func time(of index: Int, at offset: Int) -> Int64? {
        let start = start(ofFactsOf: index)
        let time = Int64(littleEndian: region.load(start + offset, as: Int64.self))
        return time == .min ? nil : time
    }

    /// Returns the way to join a group.
    package func joinPolicy(of index: Int) -> JoinPolicy {
        guard let policy = storedJoinPolicy(of: index) else {
            preconditionFailure("the policies are checked when a version is opened")
        }
        return policy
    }

    private func storedJoinPolicy(of index: Int) -> JoinPolicy? {
        JoinPolicy(code: Int64(region.load(start(ofFactsOf: index) + 16, as: UInt8.self)))
    }

    /// Returns the posts of a group in the last weeks; none if the version has no posts.
    package func talk(of index: Int) -> GroupTalk {
        let start = start(ofFactsOf: index)
        return GroupTalk(
            recentPosts: UInt32(littleEndian: region.load(start + 20, as: UInt32.self)),
            encodedAnswers: UInt16(littleEndian: region.load(start + 18, as: UInt16.self)))
    }

    /// Calls `body` with the bytes of a group's external id, which are valid only during the call.
    package func withIDBytes<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe region.withBytes(ids.byteRange(checked(index))) { unsafe body($0) }
    }

    /// Returns the external ids of groups, in the order given.
    package func ids(of groups: [UInt32]) -> PackedTexts {
        for group in groups { _ = checked(Int(group)) }
        return ids.texts(of: groups)
    }

    /// Whether the version has a map of its groups.
    package var hasMap: Bool { map != nil }

    /// Returns a group's place on the map; nil for a group beside it, and if there is none.
    package func place(of index: Int) -> MapPlace? { map?[checked(index)] }

    /// Returns n(i), a group's entries in a relation; 0 if the version lacks the relation.
    package func size(of index: Int, in relation: Relation) -> UInt32 {
        self.index(of: relation).map { size(of: index, at: $0) } ?? 0
    }

    /// Returns n(i) of groups: group after group, with one number for each relation in the order of `relations`.
    ///
    /// Reading them all at once lets the processor wait for several memory accesses together.
    package func sizes(of groups: [UInt32]) -> [UInt32] {
        var sizes: [UInt32] = []
        sizes.reserveCapacity(groups.count * relations.count)
        for group in groups {
            for relation in relations.indices { sizes.append(size(of: Int(group), at: relation)) }
        }
        return sizes
    }

    /// Returns n(i) of all groups in a relation; zeros if the version lacks the relation.
    package func sizes(in relation: Relation) -> [UInt32] {
        guard let relation = index(of: relation) else { return [UInt32](repeating: 0, count: groupCount) }
        return (0..<groupCount).map { size(of: $0, at: relation) }
    }

    private func size(of index: Int, at relation: Int) -> UInt32 {
        let start = sizesStart + (checked(index) * relations.count + relation) * 4
        return UInt32(littleEndian: region.load(start, as: UInt32.self))
    }

    /// Returns the index of the group with an external id, compared byte by byte, or nil if there is none.
    ///
    /// - Complexity: O(log groups).
    package func index(ofID id: String) -> Int? {
        let index = lowerBound(of: id)
        return index < groupCount && ids.compare(index, with: id.utf8Span.span) == 0 ? index : nil
    }

    /// Returns the index of the first group whose id does not sort before `id`; `groupCount` if there is none.
    package func lowerBound(of id: String) -> Int {
        let bytes = id.utf8Span.span
        return (0..<groupCount).partitioningIndex { ids.compare($0, with: bytes) >= 0 }
    }

    /// Returns the index of a relation in `relations`, or nil if the version lacks it.
    package func index(of relation: Relation) -> Int? { relations.firstIndex(of: relation) }

    /// Returns a group's neighbours in a relation, best first; none if the version lacks the relation.
    package func neighbours(of index: Int, by relation: Relation) -> NeighbourList {
        let range = reader(relation)?.range(ofList: checked(index))
        return NeighbourList(range ?? 0..<0, in: region)
    }

    /// Returns the lists of groups: group after group, with one list for each relation in the order of `relations`.
    package func lists(of groups: [UInt32]) -> NeighbourLists { lists(of: groups, without: nil) }

    /// Returns the lists of groups without hidden groups, both as owners and as members of lists.
    ///
    /// - Parameters:
    ///   - wanted: for each relation, whether its lists are read; others are returned empty. An empty array means all.
    ///   - limit: the number of best neighbours read from each list, hidden ones included; nil for all.
    ///   - hidden: the groups to leave out, or nil for none.
    func lists(of groups: [UInt32], in wanted: [Bool] = [], limit: Int? = nil, without hidden: GroupSet?)
        -> NeighbourLists
    {
        let byteLimit = limit.map { $0 * Neighbour.byteCount } ?? .max
        var ranges = [Range<Int>](repeating: 0..<0, count: groups.count * readers.count)
        for (relation, reader) in readers.enumerated() where wanted.isEmpty || wanted[relation] {
            for (position, group) in groups.enumerated() {
                let range = reader.range(ofList: checked(Int(group)))
                guard hidden?.contains(group) != true else { continue }
                ranges[position * readers.count + relation] =
                    range.lowerBound..<range.lowerBound + min(range.count, byteLimit)
            }
        }
        return NeighbourLists(ranges, relationCount: readers.count, in: region, without: hidden)
    }

    /// Returns the plain cosine c / √(nᵢ nⱼ) of a group and a neighbour in one of its lists, whatever the measure.
    package func cosine(of neighbour: Neighbour, to index: Int, by relation: Relation) -> Double {
        neighbour.cosine(
            sizes: Double(size(of: index, in: relation)), Double(size(of: Int(neighbour.index), in: relation)))
    }

    /// Returns the mean of the best scores of a relation; 1 if the version lacks the relation.
    ///
    /// Scores divided by this mean can be compared across relations.
    package func meanBestScore(of relation: Relation) -> Double { reader(relation)?.scale ?? 1 }

    /// Returns the weight of a relation in members' lists, 0 or more, from evidence in the memberships.
    ///
    /// The weight is 1 if there was no evidence, or if the version lacks the relation.
    package func evidenceWeight(of relation: Relation) -> Double { reader(relation)?.evidenceWeight ?? 1 }

    /// Returns the number of neighbours in all lists of a relation.
    package func neighbourCount(of relation: Relation) -> Int { reader(relation)?.total ?? 0 }

    private func reader(_ relation: Relation) -> RelationReader? { index(of: relation).map { readers[$0] } }

    /// Returns the offset of a group's facts of fixed size.
    private func start(ofFactsOf index: Int) -> Int { factsStart + checked(index) * ModelLayout.factsByteCount }

    func checked(_ index: Int) -> Int {
        precondition(index >= 0 && index < groupCount, "no group \(index) of \(groupCount)")
        return index
    }
}

extension ModelVersion {
    /// Opens a version that was just encoded, from a copy in memory.
    ///
    /// - Throws: `Failure` if the sections contradict one another.
    package convenience init(_ model: EncodedModel) throws(Failure) { try self.init(ByteRegion(gathering: model)) }
}

extension ByteRegion {
    /// Assembles the whole file in memory, as a store would write it.
    package convenience init(gathering model: EncodedModel) {
        let placement = model.placement
        let file = UnsafeMutableRawBufferPointer.allocate(byteCount: placement.byteCount, alignment: 64)
        unsafe model.write(to: file, placement)
        unsafe self.init(adopting: UnsafeRawBufferPointer(file)) { unsafe $0.deallocate() }
    }
}

/// The ways to become a member of a group.
package enum JoinPolicy: String, Sendable, CaseIterable {
    /// Anyone may join.
    case open
    /// A moderator must approve.
    case approval
    /// People join by invitation only.
    case invite

    /// The number in catalogs and versions.
    package var code: Int64 { self == .open ? 0 : self == .approval ? 1 : 2 }

    /// Creates a policy from its number, or nil if no policy has it.
    package init?(code: Int64) {
        guard let policy = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = policy
    }
}

/// The facts of a group that serving needs, except its entries and neighbours.
///
/// Only public groups are in a model version.
package struct GroupFacts: Sendable, Equatable {
    /// The group's external id: 1 to 255 bytes of UTF-8 without NUL.
    package var id: String
    /// The group's title, which may be empty.
    package var title: String
    /// The group's topics, in the order of the catalog.
    package var topics: [String]
    package var joinPolicy: JoinPolicy
    /// The time at which the group was founded, in Unix seconds, or nil if unknown.
    package var createdAt: Int64?
    /// The time at which something last happened in the group, in Unix seconds, or nil if unknown.
    package var lastActiveAt: Int64?
    /// The posts of the last weeks.
    package var talk: GroupTalk

    package init(
        id: String, title: String = "", topics: [String] = [], joinPolicy: JoinPolicy = .open, createdAt: Int64? = nil,
        lastActiveAt: Int64? = nil, talk: GroupTalk = GroupTalk()
    ) {
        self.id = id
        self.title = title
        self.topics = topics
        self.joinPolicy = joinPolicy
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
        self.talk = talk
    }
}

/// The posts of a group in the last weeks, and how often a post is answered.
package struct GroupTalk: Sendable, Equatable {
    /// The number of weeks whose posts are counted.
    package static let weeks = 8
    /// The number that `encodedAnswers` has for one answer to each post.
    private static let answerScale = 100.0

    /// The number of posts in these weeks, answers included.
    package private(set) var recentPosts: UInt32
    /// The number of answers for each post that is none itself, in hundredths.
    let encodedAnswers: UInt16

    package init(posts: Int = 0, answers: Int = 0) {
        let beginnings = Double(max(1, posts - answers))
        self.init(
            recentPosts: UInt32(clamping: posts),
            encodedAnswers: UInt16(clamping: Int((Double(answers) / beginnings * Self.answerScale).rounded())))
    }

    init(recentPosts: UInt32, encodedAnswers: UInt16) {
        self.recentPosts = recentPosts
        self.encodedAnswers = encodedAnswers
    }

    /// The mean number of posts a week.
    package var postsPerWeek: Double { Double(recentPosts) / Double(Self.weeks) }
    /// The mean number of answers for each post that is none itself, to hundredths.
    package var answersPerPost: Double { Double(encodedAnswers) / Self.answerScale }
}
