import Model
import Redis

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
