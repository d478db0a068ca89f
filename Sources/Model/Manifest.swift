/// What a model version was built from, how, and what came out: `manifest.json`.
///
/// All times are Unix milliseconds, durations seconds, sizes bytes.
public struct Manifest: Codable, Sendable, Equatable {
    /// The version's name.
    public var version: VersionName
    /// The layout of the model file, `ModelLayout.format`.
    public var format: UInt32
    /// When the recompute began, in Unix milliseconds.
    public var createdAtMilliseconds: Int64
    /// The catalog it was built from.
    public var catalog: CatalogState
    /// The changes of daemons with journals of their own that are in it; nil if there were never any.
    public var changesTaken: TakenChanges?
    /// Groups that the site hides, which the version does not have; nil if there are none.
    public var hiddenGroups: [HiddenGroup]?
    /// When the parameters and weights were tuned, in Unix milliseconds; nil if they were not.
    public var tunedAtMilliseconds: Int64?
    /// Why the version did not become current when it was made; nil if it did.
    public var objections: [String]?
    /// The version's groups and what was left out.
    public var groups: GroupCounts
    /// How each relation was computed.
    public var relations: [RelationReport]
    /// What the size of a group counts in members' lists by evidence from the memberships; nil if there was none.
    public var popularityWeight: Double?
    /// What counts in lists for photos by evidence from the pools; nil if there was none.
    public var photoWeights: PhotoWeights?
    /// The steps of the recompute up to the writing of this manifest.
    public var steps: [StepReport]
    /// The sections of the model file with their checksums.
    public var sections: [SectionReport]
    /// What is published of members with the version; nil if nothing is.
    public var members: MembersReport?

    /// A manifest.
    public init(
        version: VersionName, createdAtMilliseconds: Int64, catalog: CatalogState, groups: GroupCounts,
        relations: [RelationReport], steps: [StepReport], sections: [SectionReport]
    ) {
        self.version = version
        format = ModelLayout.format
        self.createdAtMilliseconds = createdAtMilliseconds
        self.catalog = catalog
        self.groups = groups
        self.relations = relations
        self.steps = steps
        self.sections = sections
    }

    /// The length of the model's content, in bytes.
    public var byteCount: Int { sections.reduce(0) { $0 + $1.byteCount } }

    /// The changes of daemons that are in it.
    public var taken: TakenChanges { changesTaken ?? .none }

    /// The report of one relation.
    public subscript(relation: Relation) -> RelationReport? { relations.first { $0.relation == relation } }
}

extension Manifest {
    /// The state of the catalog at the moment it was read.
    public struct CatalogState: Codable, Sendable, Equatable {
        /// The catalog's schema version.
        public var schemaVersion: Int
        /// Counts every change to the catalog; equal numbers mean equal content.
        public var changeCount: Int64

        /// A state.
        public init(schemaVersion: Int, changeCount: Int64) {
            self.schemaVersion = schemaVersion
            self.changeCount = changeCount
        }
    }

    /// Groups in and out of the version.
    public struct GroupCounts: Codable, Sendable, Equatable {
        /// Public groups that are not hidden: all that the version has.
        public var included: Int
        /// Left out because they are private or hidden.
        public var leftOutPrivate: Int

        /// Counts.
        public init(included: Int, leftOutPrivate: Int) {
            self.included = included
            self.leftOutPrivate = leftOutPrivate
        }
    }

    /// One relation: its parameters and its counts.
    public struct RelationReport: Codable, Sendable, Equatable {
        /// Which relation.
        public var relation: Relation
        /// The formula's name: `cosine` or `modified`.
        public var measure: String
        /// The formula's parameters by name (a, p, q, h, r, g); empty for plain cosine.
        public var measureParameters: [String: Double]
        /// Whose k best pairs are listed, `source` or `target`; nil means those of the source.
        public var cut: String?
        /// What counts in lists by a tuning or by evidence from the memberships, beside the relation's own weight; nil
        /// means 1.
        public var evidenceWeight: Double?
        /// For the modified cosine, what a user or photo in so many groups weighs, in units of 2⁻³¹.
        ///
        /// With these integers any engine gets the same sums. Groups below X do not count. Nil for plain cosine.
        public var weights: [Int: UInt32]?
        /// X, inclusive.
        public var minimumEntries: Int
        /// Y, inclusive.
        public var minimumCommon: Int
        /// k.
        public var limit: Int
        /// Entries of the matrix groups × photos or groups × members.
        public var entries: Int
        /// Photos or members that are in a group; nil in versions that did not count them.
        public var columns: Int?
        /// Entries left out because the group is private.
        public var entriesOfPrivateGroups: Int
        /// Entries left out because the photo is private.
        public var entriesOfPrivatePhotos: Int
        /// Groups with X entries or more.
        public var groupsCounted: Int
        /// Groups with fewer.
        public var groupsBelowMinimum: Int
        /// Groups with a neighbour.
        public var groupsWithNeighbours: Int
        /// Neighbours listed, of all groups.
        public var neighbours: Int
        /// Which implementation ran: the processor's instructions it used.
        public var path: String

        /// A report.
        public init(
            relation: Relation, measure: String, measureParameters: [String: Double],
            weights: [Int: UInt32]? = nil, minimumEntries: Int, minimumCommon: Int, limit: Int, entries: Int,
            entriesOfPrivateGroups: Int, entriesOfPrivatePhotos: Int,
            groupsCounted: Int, groupsBelowMinimum: Int, groupsWithNeighbours: Int, neighbours: Int, path: String
        ) {
            self.relation = relation
            self.measure = measure
            self.measureParameters = measureParameters
            self.weights = weights
            self.minimumEntries = minimumEntries
            self.minimumCommon = minimumCommon
            self.limit = limit
            self.entries = entries
            self.entriesOfPrivateGroups = entriesOfPrivateGroups
            self.entriesOfPrivatePhotos = entriesOfPrivatePhotos
            self.groupsCounted = groupsCounted
            self.groupsBelowMinimum = groupsBelowMinimum
            self.groupsWithNeighbours = groupsWithNeighbours
            self.neighbours = neighbours
            self.path = path
        }
    }

    /// What counts in lists for photos, beside the cosine of pools, which counts 1.
    public struct PhotoWeights: Codable, Sendable, Equatable {
        /// The cosine by other relations, beside their own weights.
        public var otherRelations: Double
        /// The size of a pool, relative to the largest one.
        public var popularity: Double

        /// Weights.
        public init(otherRelations: Double, popularity: Double) {
            self.otherRelations = otherRelations
            self.popularity = popularity
        }
    }

    /// What a step of the recompute took.
    public struct StepReport: Codable, Sendable, Equatable {
        /// The step, in a few words.
        public var name: String
        /// How long it took, in seconds.
        public var seconds: Double
        /// The most memory the process had resident up to its end, in bytes.
        public var peakBytes: Int

        /// A step.
        public init(name: String, seconds: Double, peakBytes: Int) {
            self.name = name
            self.seconds = seconds
            self.peakBytes = peakBytes
        }
    }

    /// What a shared store holds of members: who joined what, and what they said and were shown.
    public struct MembersReport: Codable, Sendable, Equatable {
        /// In how many buckets each hash is.
        public var bucketCount: Int
        /// How many values there are, in all buckets of all hashes.
        public var valueCount: Int
        /// A checksum of all of them, which the store defines: 16 hexadecimal digits.
        public var checksum: String

        /// A report.
        public init(bucketCount: Int, valueCount: Int, checksum: String) {
            self.bucketCount = bucketCount
            self.valueCount = valueCount
            self.checksum = checksum
        }
    }

    /// A section of the model file.
    public struct SectionReport: Codable, Sendable, Equatable {
        /// Which.
        public var name: String
        /// Its length, in bytes.
        public var byteCount: Int
        /// XXH3, 64 bits, of its bytes: 16 hexadecimal digits.
        public var checksum: String

        /// A section.
        public init(name: String, byteCount: Int, checksum: String) {
            self.name = name
            self.byteCount = byteCount
            self.checksum = checksum
        }
    }
}

/// The name of a model version: the UTC time it was built, or a number above that of the version before it, and a few
/// digits of its content.
///
/// `20261121T113000123-9f3c01ab`: names of different versions sort in the order in which they were built. Only ASCII
/// letters, digits and hyphens, 1 to 64 of them, so that a name is safe in a path and in a Redis key.
public struct VersionName: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The name as it is written.
    public let description: String

    /// A name from outside.
    ///
    /// - Throws: `ModelError.badVersionName` unless it is 1 to 64 ASCII letters, digits and hyphens.
    public init(_ text: String) throws(ModelError) {
        let isSafe = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isSafe, (1...64).contains(text.utf8.count) else { throw .badVersionName(text) }
        description = text
    }

    /// Names sort by their bytes, hence in the order in which versions were built.
    public static func < (left: VersionName, right: VersionName) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    /// Reads a name from a manifest, and checks it.
    public init(from decoder: any Decoder) throws {
        self = try VersionName(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
