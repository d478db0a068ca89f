/// The description of a relation: one entry of a `RelationTable`.
package struct RelationDescription: Sendable, Equatable {
    /// The relation, named by 1 to 16 lower-case letters; a plural such as `photos`.
    package var relation: Relation
    /// The word for one entry in a sentence: `photo`.
    package var singular: String
    /// The phrase for groups that are similar in this relation: `groups that hold the same photos`.
    package var meaning: String
    package var origin: Origin
    /// The other data that is learned from the relation beside neighbours, or nil if there is none.
    package var role: Role?
    /// The weight of its neighbours where relations are blended, 0 or more.
    ///
    /// A weight of 0 leaves the relation out of lists and their reasons.
    package var weight: Double
    /// X: the fewest entries with which a group has neighbours and can be one (inclusive).
    ///
    /// A recompute may use another number.
    package var minimumEntries: Int
    /// Y: the fewest common entries of a pair (inclusive); a recompute may use another number.
    package var minimumCommon: Int
    /// k: the most neighbours that a group keeps; a recompute may use another number.
    package var limit: Int

    /// The origin of a relation's entries.
    package enum Origin: Sendable, Equatable {
        /// The pairs of a table of the catalog.
        ///
        /// A version has a relation without a required role only if the table has rows.
        case table(RelationSource)
        /// The features that are typical of the photos in a group's pool.
        ///
        /// A version has such a relation only if there are photos with the feature. It counts in lists only as far as
        /// there is evidence that it helps.
        case photos(PhotoFeature)
    }

    /// The other data that is learned from a relation beside neighbours.
    package enum Role: Sendable {
        /// Memberships: profiles, joins, and the popularity of groups.
        case membership
        /// Photos in pools: tags, locations, and people who post.
        case pool
        /// Posts: how much is said in a group, and how often it is answered.
        case conversation

        /// Whether every version has the relation; another one is there only if its table has rows.
        package var isRequired: Bool { self != .conversation }
    }

    /// Creates the description of a relation.
    ///
    /// X and Y default to 1, which keeps the neighbours of small groups. The score formula itself shrinks scores that
    /// rest on few common entries. The default of k is 100: more neighbours bring almost nothing for a list of 20.
    package init(
        _ name: String, singular: String, meaning: String, of origin: Origin, role: Role? = nil,
        weight: Double = 1, minimumEntries: Int = 1, minimumCommon: Int = 1, limit: Int = 100
    ) {
        relation = Relation(rawValue: name)
        self.singular = singular
        self.meaning = meaning
        self.origin = origin
        self.role = role
        self.weight = weight
        self.minimumEntries = minimumEntries
        self.minimumCommon = minimumCommon
        self.limit = limit
    }

    /// The relation of groups with the same photos in their pools.
    package static let photos = RelationDescription(
        "photos", singular: "photo", meaning: "groups that hold the same photos", of: .table(.pools), role: .pool)
    /// The relation of groups with the same members.
    package static let members = RelationDescription(
        "members", singular: "member", meaning: "groups that the same people joined", of: .table(.memberships),
        role: .membership)
    /// The relation of groups whose photos have the same typical tags.
    package static let themes = RelationDescription(
        "themes", singular: "theme", meaning: "groups about the same things", of: .photos(.tags))
    /// The relation of groups whose photos were taken in the same places.
    package static let places = RelationDescription(
        "places", singular: "place", meaning: "groups in the same places", of: .photos(.places))
    /// The relation of groups whose photos look alike.
    package static let looks = RelationDescription(
        "looks", singular: "look", meaning: "groups whose photos look alike", of: .photos(.looks))
    /// The relation of groups whose photos the same members like.
    package static let favourites = RelationDescription(
        "favourites", singular: "favourite", meaning: "groups whose photos the same people like",
        of: .photos(.admirers))
    /// The relation of groups where the same members post.
    package static let conversation = RelationDescription(
        "conversation", singular: "speaker", meaning: "groups where the same members talk", of: .table(.posts),
        role: .conversation)

    /// Whether every version has the relation; others have it only if there is data.
    package var isRequired: Bool { role?.isRequired ?? false }
    /// The catalog's table of the relation, or nil if its entries are features of photos.
    package var source: RelationSource? { if case .table(let source) = origin { source } else { nil } }
    /// The feature of photos that makes the relation, or nil if its entries are those of a table.
    package var feature: PhotoFeature? { if case .photos(let feature) = origin { feature } else { nil } }

    /// The relation's name: `photos`.
    package var name: String { relation.rawValue }
    /// The word for its entries in a sentence: `photos`.
    package var plural: String { singular + "s" }
    /// The name of n(i), a group's number of entries, in answers: `photoCount`.
    package var sizeField: String { singular + "Count" }
}

/// The relations that a program knows, in the order in which it processes them.
///
/// This table is the only place that defines relations. Imports, catalog tables, recomputes, lists, commands and HTTP
/// take the relations from the table passed to them. A model version names its own relations
/// (`ModelVersion.relations`). A relation of the version that the table lacks is not used; one that the version lacks
/// is empty.
package struct RelationTable: Sendable, Equatable, RandomAccessCollection {
    private var entries: [RelationDescription]
    /// The tables of what members tell, such as favourites and follows; no relation of groups reads them itself.
    package let memberTables: [RelationSource]

    package static let standard = RelationTable(
        [.photos, .members, .themes, .places, .looks, .favourites, .conversation],
        memberTables: [.favourites, .follows])

    /// The value of `by` that blends all relations; the word dates from when there were two.
    package static let blendName = "both"

    /// Names with another meaning: other Redis keys of a version, the blend.
    static let reservedNames: Set<String> = [blendName, "users", "manifest", "shape"]

    /// Creates a table of relations, whose names, sources and roles must all be different.
    package init(_ entries: [RelationDescription], memberTables: [RelationSource] = []) {
        for (index, facts) in entries.enumerated() {
            precondition(
                facts.relation.hasGoodName && !Self.reservedNames.contains(facts.name), "\(facts.name) is no good name")
            precondition(facts.weight >= 0 && facts.minimumCommon >= 1, "\(facts.name) has bad numbers")
            for other in entries[..<index] {
                precondition(
                    other.relation != facts.relation && other.origin != facts.origin
                        && (other.role == nil || other.role != facts.role), "\(facts.name) is like \(other.name)")
            }
        }
        self.entries = entries
        self.memberTables = memberTables
        for source in sources {
            // The names are used in SQL; the table's name is also that of an import.
            precondition(
                [source.table, source.entryWord, source.timeColumn].allSatisfy(Self.isGoodInSQL)
                    && !["groups", "users", "photos"].contains(source.table)
                    && sources.count { $0.table == source.table } == 1, "\(source.table) is a bad source")
        }
    }

    /// The catalog's tables of pairs: those of the relations, then those of what members tell.
    package var sources: [RelationSource] { entries.compactMap(\.source) + memberTables }

    /// The relations whose entries are in tables of the catalog, in order.
    package var tabled: [RelationDescription] { entries.filter { $0.source != nil } }
    /// The names of the relations that every version has.
    package var requiredRelations: [Relation] { entries.filter(\.isRequired).map(\.relation) }

    /// Whether every version has the relation of a table.
    package func isRequired(_ source: RelationSource) -> Bool {
        entries.contains { $0.source == source && $0.isRequired }
    }

    /// Returns the relations of tables that a version has, in order.
    package func tabled(in model: VisibleModel) -> [RelationDescription] {
        tabled(whereFilled: model.relations.contains)
    }

    /// Returns the relations of tables that are required or have data, in order.
    package func tabled(whereFilled hasData: (Relation) -> Bool) -> [RelationDescription] {
        tabled.filter { $0.isRequired || hasData($0.relation) }
    }

    private static func isGoodInSQL(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// The first index, which is always 0.
    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }
    package subscript(index: Int) -> RelationDescription { entries[index] }

    /// The description of a relation, or nil if the table lacks it.
    package subscript(relation: Relation) -> RelationDescription? { entries.first { $0.relation == relation } }

    /// The description of the relation that has a role, or nil if none has.
    package subscript(role: RelationDescription.Role) -> RelationDescription? { entries.first { $0.role == role } }

    /// Whether the entries of a relation are in a table of the catalog.
    package func isTabled(_ relation: Relation) -> Bool { self[relation]?.source != nil }

    /// The relations, in order.
    package var relations: [Relation] { entries.map(\.relation) }

    /// The values that `by` accepts: each relation's name, and the name of the blend.
    package var choices: [String] { entries.map(\.name) + [Self.blendName] }

    /// Returns the table for members' lists: each weight is multiplied by the version's evidence weight.
    package func weighted(in model: VisibleModel) -> RelationTable {
        weighted(
            Dictionary(uniqueKeysWithValues: map { ($0.relation, $0.weight * model.evidenceWeight(of: $0.relation)) }))
    }

    /// Returns the table with other weights; a relation that is not named gets weight 0 and is left out of lists.
    package func weighted(_ weights: [Relation: Double]) -> RelationTable {
        RelationTable(
            entries.map { facts in
                var facts = facts
                facts.weight = weights[facts.relation] ?? 0
                return facts
            }, memberTables: memberTables)
    }
}

/// A feature of photos that groups can have in common.
package enum PhotoFeature: Sendable, CaseIterable {
    /// The tags that are typical of a group.
    case tags
    /// The cells of the map that are typical of a group.
    case places
    /// The cells of similar vectors that are typical of a group.
    case looks
    /// The members who like a photo of a group.
    case admirers
}

/// The kind of entry that two groups may share, by its name: `photos`, `members`.
///
/// Options, manifests, sections of model files, Redis keys and answers use the name. An entry of a `RelationTable`
/// describes the relation.
package struct Relation: RawRepresentable, Hashable, Sendable, Codable {
    /// The relation's name.
    package let rawValue: String

    /// Creates a relation with any name; `RelationTable` checks names.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Whether the name is 1 to 16 lower-case letters, which fits the section table of a model file.
    var hasGoodName: Bool {
        (1...16).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}
