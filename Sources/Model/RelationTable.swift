/// All there is to know of a relation: one entry of a `RelationTable`.
public struct RelationFacts: Sendable, Equatable {
    /// The relation, by its name: 1 to 16 lower-case letters, a plural such as `photos`.
    public var relation: Relation
    /// One entry, in a sentence: `photo`.
    public var singular: String
    /// What groups are that are similar by it, in a sentence: `groups that hold the same photos`.
    public var meaning: String
    /// Where the catalog has it.
    public var source: RelationSource
    /// What is learned from it beside neighbours; nil if nothing is.
    public var role: Role?
    /// How much its neighbours count where relations are blended, 0 or more; 0 leaves it out of lists and their
    /// reasons.
    public var weight: Double
    /// X: a group needs so many entries to have neighbours and to be one (inclusive), unless a recompute says
    /// otherwise.
    public var minimumEntries: Int
    /// Y: a pair needs so many common entries (inclusive), unless a recompute says otherwise.
    public var minimumCommon: Int
    /// k: a group keeps so many neighbours, unless a recompute says otherwise.
    public var limit: Int

    /// What is learned from a relation beside neighbours.
    public enum Role: Sendable {
        /// Who is a member of what: profiles, joins, and which groups are popular.
        case membership
        /// Which photos are in the pool: tags, locations, and who posts.
        case pool
    }

    /// The facts of a relation.
    ///
    /// X = Y = 1 by default: the formula itself shrinks scores that rest on few common entries, which keeps
    /// small groups' neighbours. k = 100: more bring next to nothing for a list of 20.
    public init(
        _ name: String, singular: String, meaning: String, source: RelationSource, role: Role? = nil,
        weight: Double = 1, minimumEntries: Int = 1, minimumCommon: Int = 1, limit: Int = 100
    ) {
        relation = Relation(rawValue: name)
        self.singular = singular
        self.meaning = meaning
        self.source = source
        self.role = role
        self.weight = weight
        self.minimumEntries = minimumEntries
        self.minimumCommon = minimumCommon
        self.limit = limit
    }

    /// Photos in the pools.
    public static let photos = RelationFacts(
        "photos", singular: "photo", meaning: "groups that hold the same photos", source: .pools, role: .pool)
    /// Members.
    public static let members = RelationFacts(
        "members", singular: "member", meaning: "groups that the same people joined", source: .memberships,
        role: .membership)

    /// The relation's name, which is also what its entries are called in a sentence: `photos`.
    public var name: String { relation.rawValue }
    /// What answers call n, a group's number of entries: `photoCount`.
    public var sizeField: String { singular + "Count" }
}

/// The table of the catalog that a relation is read from, and the file that is imported into it.
public struct RelationSource: Sendable, Hashable {
    /// The name of the table, and of the kind of file.
    public let table: String
    /// What its entries are; gives the columns their names.
    public let entries: Entries
    /// The column of the time at which an entry came about, in the table and in files.
    public let timeColumn: String
    /// Whether the index from entries to groups has the time as well, for those who look up what an entry is in.
    public let indexesTime: Bool

    /// What an entry of a group can be.
    public enum Entries: String, Sendable, CaseIterable {
        /// Users, all of whom count.
        case users
        /// Photos, of which public ones count.
        case photos
    }

    /// A table group × entry.
    ///
    /// - Parameter table: lower-case letters, no name of another table of the catalog.
    public init(table: String, of entries: Entries, timeColumn: String, indexesTime: Bool = false) {
        self.table = table
        self.entries = entries
        self.timeColumn = timeColumn
        self.indexesTime = indexesTime
    }

    /// Which photo is in the pool of which group.
    public static let pools = RelationSource(table: "pools", of: .photos, timeColumn: "added_at")
    /// Who is a member of which group.
    public static let memberships = RelationSource(
        table: "memberships", of: .users, timeColumn: "joined_at", indexesTime: true)
}

/// The relations that a program knows, in the order in which it goes through them.
///
/// The one place that says what relations there are: imports, the catalog's tables, recomputes, lists, commands and
/// HTTP go by a table that they are given. A model version names its own relations (`ModelVersion.relations`); one that
/// the table does not have is not used, and one that the version does not have is empty.
public struct RelationTable: Sendable, Equatable, RandomAccessCollection {
    private var entries: [RelationFacts]

    /// The relations of the product.
    public static let standard = RelationTable([.photos, .members])

    /// What `by` calls all relations blended; from when there were two.
    public static let blendName = "both"

    /// Names that something else has: sections of a model file, other keys of a version in Redis, the blend.
    static let reservedNames: Set<String> = Set(ModelLayout.SectionName.fixed.map(\.rawValue)).union([
        blendName, "joined", "feedback", "manifest", "shape",
    ])

    /// A table of relations; their names, sources and roles must all be different.
    public init(_ entries: [RelationFacts]) {
        for (index, facts) in entries.enumerated() {
            precondition(
                facts.relation.hasGoodName && !Self.reservedNames.contains(facts.name), "\(facts.name) is no good name")
            precondition(facts.weight >= 0 && facts.minimumCommon >= 1, "\(facts.name) has bad numbers")
            // The names of both stand in SQL, and that of the table is what is imported.
            precondition(
                [facts.source.table, facts.source.timeColumn].allSatisfy(Self.isGoodInSQL)
                    && !["groups", "users", "photos"].contains(facts.source.table), "\(facts.name) has a bad source")
            for other in entries[..<index] {
                precondition(
                    other.relation != facts.relation && other.source.table != facts.source.table
                        && (other.role == nil || other.role != facts.role), "\(facts.name) is like \(other.name)")
            }
        }
        self.entries = entries
    }

    private static func isGoodInSQL(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of relations.
    public var endIndex: Int { entries.count }
    /// The relation at an index.
    public subscript(index: Int) -> RelationFacts { entries[index] }

    /// The facts of a relation; nil if the table does not have it.
    public subscript(relation: Relation) -> RelationFacts? { entries.first { $0.relation == relation } }

    /// The relation that has a role; nil if none has.
    public subscript(role: RelationFacts.Role) -> RelationFacts? { entries.first { $0.role == role } }

    /// Their names, in order.
    public var relations: [Relation] { entries.map(\.relation) }

    /// What `by` may be: each relation, and all of them blended.
    public var choices: [String] { entries.map(\.name) + [Self.blendName] }

    /// The same table for members' lists: the weights multiplied by what a version found by evidence.
    public func weighted(in model: VisibleModel) -> RelationTable {
        weighted(
            Dictionary(uniqueKeysWithValues: map { ($0.relation, $0.weight * model.evidenceWeight(of: $0.relation)) }))
    }

    /// The same table with other weights; relations that are not named are left out of lists.
    public func weighted(_ weights: [Relation: Double]) -> RelationTable {
        RelationTable(
            entries.map { facts in
                var facts = facts
                facts.weight = weights[facts.relation] ?? 0
                return facts
            })
    }
}

/// What two groups may have in common, by its name: `photos`, `members`.
///
/// Options, manifests, sections of model files, keys in Redis and answers use the name. What else there is to know of a
/// relation is in its entry of a `RelationTable`.
public struct Relation: RawRepresentable, Hashable, Sendable, Codable {
    /// The name.
    public let rawValue: String

    /// A relation by its name, which is taken as it is; `RelationTable` says which names are good.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether the name is 1 to 16 lower-case letters, which is what the section table of a model file has room for.
    var hasGoodName: Bool {
        (1...16).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}
