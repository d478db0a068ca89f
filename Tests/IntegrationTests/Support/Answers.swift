/// What commands answer with `--json`; names that no test looks at are left out.
enum Answers {
    struct Import: Decodable {
        var kind: String
        var rejectsFile, reasonsFile: String?
        var rows, written, unchanged, repeated, removed, rejected: Int
        var created: [String: Int]
        var unknownColumns: [String]
    }

    /// The groups of a member's list, over HTTP.
    struct List: Decodable {
        var recommendationId: String
        var recommendations: [Row]

        struct Row: Decodable { var groupId: String }
    }

    struct Recompute: Decodable {
        var isPublished: Bool
        var manifest: Manifest
        var steps: [Step]
        var pruned: [String]
    }

    struct Manifest: Decodable {
        var version: String
        var groups: Groups
        var relations: [Relation]
        var steps: [Step]
        var sections: [Section]

        struct Groups: Decodable { var included, leftOutPrivate: Int }

        struct Relation: Decodable {
            var relation: String
            var minimumEntries, minimumCommon, limit: Int
            var entries, entriesOfPrivateGroups, entriesOfPrivatePhotos: Int
            var groupsCounted, groupsBelowMinimum, groupsWithNeighbours, neighbours: Int
        }

        struct Section: Decodable { var name, checksum: String }
    }

    struct Step: Decodable {
        var name: String
        var seconds: Double
        var peakBytes: Int
    }

    struct Models: Decodable {
        var store: String
        var current: String?
        var versions: [Version]

        struct Version: Decodable {
            var manifest: Manifest
            var isCurrent: Bool
        }
    }

    struct Similar: Decodable {
        var modelVersion, groupId, by: String
        var neighbours: [Neighbour]

        struct Neighbour: Decodable {
            var rank: Int
            var groupId, title: String
            /// In one relation, of single precision.
            var score: Float
            var common: Int?
        }
    }

    struct Why: Decodable {
        var catalogChangedSince: Bool
        var relations: [Verdict]

        struct Verdict: Decodable {
            var relation, reason: String
            var size, otherSize, common, candidates: Int
            var cosine: Double
            var listedRank, rank: Int?
            var listedScore: Double?
        }
    }

    /// Groups for a user or a photo, on the command line and over HTTP.
    struct Suggestions: Decodable {
        var modelVersion: String
        var userId, photoId: String?
        var recommendations: [Row]?
        var groups: [Row]?

        /// The list, whichever name it has.
        var rows: [Row] { recommendations ?? groups ?? [] }

        struct Row: Decodable {
            var rank: Int
            var groupId, title: String
            var score: Double
            /// For a user.
            var origin: String?
            var reasons: [Reason]
        }

        /// Of a group, unless something else than a group speaks for a photo.
        struct Reason: Decodable { var groupId: String? }
    }

    struct Curations: Decodable {
        var groups: [Row]

        struct Row: Decodable {
            var position: Int
            var groupId: String
            var startsAtMilliseconds, expiresAtMilliseconds: Int64?
            var isValid: Bool
        }
    }

    struct Trending: Decodable {
        var groups: [Row]

        struct Row: Decodable {
            var rank, joiners, posters: Int
            var groupId: String
            var score, usualWeek: Double
        }
    }

    /// A line of `export neighbours --json`.
    struct ExportedNeighbour: Decodable {
        var group: String
        var rank: Int
        var neighbour: String
        var score: Double
        var common: Int
    }

    struct Readiness: Decodable {
        var status, modelVersion: String
        var groupCount: Int
        var missing: [String]
        var degraded: Bool
        var reason: String?
        var store: Store

        struct Store: Decodable {
            var location: String
            var reachable: Bool
        }
    }

    struct Problem: Decodable {
        var type, title, detail: String
        var status: Int
        var near: [String]?
    }
}
