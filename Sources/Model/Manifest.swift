package import Basics

/// The record of a model version's inputs, parameters and results: `manifest.json`.
///
/// Times are in Unix milliseconds, durations in seconds and sizes in bytes.
package struct Manifest: Codable, Sendable, Equatable {
    /// The version's name.
    package var version: VersionName
    /// The format number of the model file, as in `ModelLayout.format`.
    package var format: UInt32
    /// The time at which the recompute began, in Unix milliseconds.
    package var createdAtMilliseconds: Int64
    /// The state of the catalog from which the version was built.
    package var catalog: CatalogState
    /// The changes from journals of daemons that the version includes, or nil if there were never any.
    package var changesTaken: AppliedChanges?
    /// The time at which parameters and weights were tuned, in Unix milliseconds, or nil if they were not.
    package var tunedAtMilliseconds: Int64?
    /// The reasons that kept the version from becoming current when it was made, or nil if it became current.
    package var objections: [String]?
    /// The number of groups in the version and the number left out.
    package var groups: GroupCounts
    /// The parameters and counts of each relation.
    package var relations: [RelationReport]
    /// The weight of a group's size in members' lists, learned from the memberships; nil if there was no evidence.
    package var popularityWeight: Double?
    /// The weights of favourites, follows and own photos; nil if the catalog had none.
    package var memberEvidence: [EvidenceWeight]?
    /// Whether popularity alone finds as much as any list, so that lists keep its order; nil means no.
    package var popularityWins: Bool?
    /// The weights in lists for photos, learned from the pools; nil if there was no evidence.
    package var photoWeights: PhotoWeights?
    /// The facts about the index of photos' vectors, or nil if there is none.
    package var looks: LooksReport?
    /// The steps of the recompute up to the writing of this manifest.
    package var steps: [StepReport]
    /// The sections of the model file, with their checksums.
    package var sections: [SectionReport]
    /// The published members, or nil if none are published.
    package var members: MembersReport?
    /// The changes of the published members since the version was made, or nil if there were none.
    package var erasure: Erasure?
    /// The quality of the lists of versions before, the oldest first; nil if none was measured.
    package var quality: [Quality]?
    /// Whether memberships, pools, photos and users were read from tables; nil means from the catalog.
    package var isFromTables: Bool?

    /// Creates a manifest in the current format; properties that are not given are nil.
    package init(
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

    /// The length of the model's sections, in bytes.
    package var byteCount: Int { sections.reduce(0) { $0 + $1.byteCount } }

    /// Whether the catalog has no members of the version, so that they must be read from the version.
    package var hasOwnMembers: Bool { isFromTables == true && members != nil }

    /// The changes from journals of daemons that the version includes; none if `changesTaken` is nil.
    package var taken: AppliedChanges { changesTaken ?? .none }

    /// The state of the catalog that the published members are of: that of the version, or a later one.
    package var membersState: MembersState {
        erasure?.renewal
            ?? MembersState(
                atMilliseconds: createdAtMilliseconds, taken: taken, memberChanges: catalog.memberChanges ?? 0)
    }

    /// Returns the manifest of the version with other members, made from a later state of the catalog.
    ///
    /// - Parameter mark: the forgotten members, whom the catalog does not have, as `Ledger.forgottenMark`.
    package func renewed(_ state: MembersState, without mark: String) -> Manifest {
        var manifest = self
        var erasure = erasure ?? .init(number: 0, forgotten: mark, atMilliseconds: 0)
        (erasure.number, erasure.forgotten, erasure.renewal) = (erasure.number + 1, mark, state)
        manifest.erasure = erasure
        return manifest
    }

    /// The report of one relation, or nil if there is none.
    package subscript(relation: Relation) -> RelationReport? { relations.first { $0.relation == relation } }
}

extension Manifest {
    /// The state of the catalog when it was read.
    package struct CatalogState: Codable, Sendable, Equatable {
        /// The catalog's schema version.
        package var schemaVersion: Int
        /// The number of changes to the catalog so far; equal numbers mean equal content.
        package var changeCount: Int64
        /// The number of imports and renamings that changed members; nil stands for 0.
        package var memberChanges: Int64?

        package init(schemaVersion: Int, changeCount: Int64, memberChanges: Int64? = nil) {
            self.schemaVersion = schemaVersion
            self.changeCount = changeCount
            self.memberChanges = memberChanges
        }
    }

    /// The number of groups in the version and the number left out.
    package struct GroupCounts: Codable, Sendable, Equatable {
        /// The groups in the version: all public groups that are not hidden.
        package var included: Int
        /// The groups left out because they are private or hidden.
        package var leftOutPrivate: Int

        package init(included: Int, leftOutPrivate: Int) {
            self.included = included
            self.leftOutPrivate = leftOutPrivate
        }
    }

    /// The parameters and counts of one relation.
    package struct RelationReport: Codable, Sendable, Equatable {
        package var relation: Relation
        /// The formula's name: `cosine` or `modified`.
        package var measure: String
        /// The formula's parameters by name (a, p, q, h, r, g, …); empty for plain cosine.
        package var measureParameters: [String: Double]
        /// The side of a pair whose k best are listed, `source` or `target`; nil means `source`.
        package var cut: String?
        /// The relation's weight in lists that a tuning or evidence from the memberships gave; nil means 1.
        ///
        /// This weight multiplies the relation's own weight.
        package var evidenceWeight: Double?
        /// For the modified cosine, the weight of a user or photo by its number of groups, in units of 2⁻³¹.
        ///
        /// Any engine gets the same sums from these integers. Only groups with X entries or more count. Nil for plain
        /// cosine.
        package var weights: [Int: UInt32]?
        /// X, the fewest entries of a group that counts (inclusive).
        package var minimumEntries: Int
        /// Y, the fewest common entries of a pair that counts (inclusive).
        package var minimumCommon: Int
        /// k, the most neighbours that a group keeps.
        package var limit: Int
        /// The number of entries in the matrix groups × photos or groups × members.
        package var entries: Int
        /// The number of photos or members in a group; nil in versions that did not count them.
        package var columns: Int?
        /// The number of entries left out because their group is private.
        package var entriesOfPrivateGroups: Int
        /// The number of entries left out because their photo is private.
        package var entriesOfPrivatePhotos: Int
        /// The number of groups with X entries or more.
        package var groupsCounted: Int
        /// The number of groups with fewer than X entries.
        package var groupsBelowMinimum: Int
        /// The number of groups with at least one neighbour.
        package var groupsWithNeighbours: Int
        /// The number of neighbours in all lists.
        package var neighbours: Int
        /// The implementation that ran, named by the processor instructions it used.
        package var path: String

        package init(
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

    /// The weights of evidence in lists for photos; the cosine of pools has weight 1.
    package struct PhotoWeights: Codable, Sendable, Equatable {
        /// The weight of the cosine in other relations; it multiplies their own weights.
        package var otherRelations: Double
        /// The weight of a pool's size relative to the largest pool.
        package var popularity: Double
        /// The weight of looks for a photo that is in a pool, or nil if there was no evidence.
        package var lookInPools: Double?
        /// The weight of looks for a photo that is in no pool, or nil if there was no evidence.
        package var lookInNoPool: Double?

        package init(otherRelations: Double, popularity: Double) {
            self.otherRelations = otherRelations
            self.popularity = popularity
        }
    }

    /// The facts about an index of photos' vectors.
    package struct LooksReport: Codable, Sendable, Equatable {
        /// The name of the model that made the vectors.
        package var model: String
        package var dimension: Int
        package var photos: Int
        /// The method of the index in words.
        package var method: String

        package init(model: String, dimension: Int, photos: Int, method: String) {
            self.model = model
            self.dimension = dimension
            self.photos = photos
            self.method = method
        }
    }

    /// The time and memory of one step of the recompute.
    package struct StepReport: Codable, Sendable, Equatable {
        /// The step, in a few words.
        package var name: String
        /// The duration in seconds.
        package var seconds: Double
        /// The peak resident memory of the process up to the end of the step, in bytes.
        package var peakBytes: Int

        package init(name: String, seconds: Double, peakBytes: Int) {
            self.name = name
            self.seconds = seconds
            self.peakBytes = peakBytes
        }
    }

    /// The members in a version, with memberships, interests, dismissals and exposures.
    package struct MembersReport: Codable, Sendable, Equatable {
        package var bucketCount: Int
        /// The number of members in all buckets.
        package var valueCount: Int
        /// The sum of the buckets' checksums: 16 hexadecimal digits.
        package var checksum: String

        package init(bucketCount: Int, valueCount: Int, checksum: String) {
            self.bucketCount = bucketCount
            self.valueCount = valueCount
            self.checksum = checksum
        }
    }

    /// A state of the catalog from which members were published.
    package struct MembersState: Codable, Sendable, Equatable {
        /// The time at which they were read, in Unix milliseconds.
        package var atMilliseconds: Int64
        /// The changes from journals of daemons that they include.
        package var taken: AppliedChanges
        /// The number of imports and renamings that changed members.
        package var memberChanges: Int64

        package init(atMilliseconds: Int64, taken: AppliedChanges, memberChanges: Int64) {
            (self.atMilliseconds, self.taken, self.memberChanges) = (atMilliseconds, taken, memberChanges)
        }
    }

    /// The changes of the published members since the version was made.
    ///
    /// Members whom the site forgets go, and after an import all members are made anew.
    package struct Erasure: Codable, Sendable, Equatable {
        /// The number of removals and renewals, which names the file of the members; 0 if nobody had to go.
        package var number: Int
        /// The forgotten members whom the version does not have, as `Ledger.forgottenMark`.
        package var forgotten: String
        /// The time of the last removal, in Unix milliseconds.
        package var atMilliseconds: Int64
        /// The state that the members were last made anew from; nil if they are those of the recompute.
        package var renewal: MembersState?

        package init(number: Int, forgotten: String, atMilliseconds: Int64) {
            (self.number, self.forgotten, self.atMilliseconds) = (number, forgotten, atMilliseconds)
        }
    }

    /// One section of the model file.
    package struct SectionReport: Codable, Sendable, Equatable {
        /// The section's name.
        package var name: String
        /// The section's length in bytes.
        package var byteCount: Int
        /// The XXH3 64-bit checksum of the section's bytes: 16 hexadecimal digits.
        package var checksum: String

        package init(name: String, byteCount: Int, checksum: String) {
            self.name = name
            self.byteCount = byteCount
            self.checksum = checksum
        }
    }
}

/// The name of a model version, such as `20261121T113000123-9f3c01ab`.
///
/// The name begins with the UTC time of the build, or a number above that of the version before. A few digits derived
/// from the content follow. Names of different versions sort in the order in which they were built. A name has 1 to 64
/// ASCII letters, digits and hyphens and is therefore safe in a path and in a Redis key.
package struct VersionName: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    package let description: String

    /// Checks a name from outside.
    ///
    /// - Throws: `Failure` unless the text is 1 to 64 ASCII letters, digits and hyphens.
    package init(_ text: String) throws(Failure) {
        guard text.isWord(ofAtMost: 64, with: "-") else {
            throw Failure(
                .badData, "\"\(text)\" is not a version name: use 1 to 64 letters, digits and hyphens")
        }
        description = text
    }

    /// Whether one name sorts before another by its bytes, hence whether its version was built earlier.
    package static func < (left: VersionName, right: VersionName) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    /// Reads and checks a name from a manifest.
    package init(from decoder: any Decoder) throws {
        self = try VersionName(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name as a string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
