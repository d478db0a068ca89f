import Basics
package import Model
package import Recommendation

/// Groups that suit a photo, or some examples: `GET /v1/photos/{id}/groups`, `coterie photo`.
package struct GroupsForPhoto: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var photoId: String?
    package var groups: [Row]

    /// Creates an answer from suggestions, which must be best first.
    ///
    /// - Parameter reasonLimit: the most reasons that a row gives.
    package init(
        _ version: ServedVersion, photoId: String?, _ suggestions: [PhotoSuggestion], _ relations: RelationTable,
        reasonLimit: Int, in model: VisibleModel
    ) {
        self.version = version
        self.photoId = photoId
        let columns = SuggestedGroup.columns(of: relations, in: model)
        groups = suggestions.enumerated().map { Row(at: $0, $1, reasonLimit: reasonLimit, columns, in: model) }
    }

    package static let schemaName: String? = "GroupsForPhoto"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.sometimes("photoId", \.photoId, "The photo, unless the groups are for examples")
        fields.always("groups", \.groups, "Groups, best first")
    }
}

extension GroupsForPhoto {
    /// A group that suits the photo.
    package struct Row: Answer, Equatable {
        package var group: SuggestedGroup
        package var reasons: [Reason]

        fileprivate init(
            at index: Int, _ suggestion: PhotoSuggestion, reasonLimit: Int, _ columns: SizeColumns,
            in model: VisibleModel
        ) {
            group = SuggestedGroup(at: index, suggestion.group, score: suggestion.score, columns, in: model)
            reasons = suggestion.reasons.prefix(reasonLimit).map { reason in
                Reason(reason.evidence, share: reason.contribution / suggestion.score, in: model)
            }
        }

        package static let schemaName: String? = "GroupForPhoto"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.column(Column("score", isNumber: true) { Formats.fixed($0.group.score, 3) })
            fields.always(
                "reasons", \.reasons, "Why it is suggested, the strongest reason first",
                column: Column("because of", upTo: 110, Reason.text))
        }
    }

    /// A reason for a group; the kind decides which fields are present.
    package struct Reason: Answer, Equatable {
        package let evidence: PhotoSuggestion.Evidence
        package var share: Double
        package var photos: Int?
        package var groupId, title: String?
        package var relation: Relation?
        package var common: UInt32?
        package var tags: [String]?
        package var latitude, longitude: Double?
        package var isMember: Bool?
        package var photoIds: [String]?

        fileprivate init(_ evidence: PhotoSuggestion.Evidence, share: Double, in model: VisibleModel) {
            self.evidence = evidence
            self.share = share
            switch evidence {
            case .sharedPools(let photos): self.photos = photos
            case .similarGroup(let group, let relation, let common):
                groupId = model.id(of: Int(group))
                title = model.title(of: Int(group))
                self.relation = relation
                self.common = common
            case .tags(let tags): self.tags = tags
            case .place(let cell): (latitude, longitude) = cell.middle
            case .owner(let photos, let isMember): (self.photos, self.isMember) = (photos, isMember)
            case .popular(let count): photos = count
            case .looksLike(let photos): photoIds = photos
            }
        }

        /// Returns the strongest reason of each kind, and the number of further similar groups, for people.
        ///
        /// Only similar groups give several reasons of one kind.
        fileprivate static func text(_ reasons: [Reason]) -> String {
            var kinds: Set<String> = []
            let strongest = reasons.filter { kinds.insert($0.evidence.kind).inserted }
            let more = reasons.count - strongest.count
            return strongest.map(\.text).joined(separator: "; ") + (more > 0 ? "; similar to \(more) more" : "")
        }

        private var text: String {
            switch evidence {
            case .sharedPools(let photos): "\(photos) photos that share its pools"
            case .similarGroup(_, let relation, _):
                "similar to \(Formats.name(groupId ?? "", title ?? "")) by \(relation.rawValue)"
            case .tags(let tags): "tags \(tags.joined(separator: ", "))"
            case .place(let cell):
                "near \(Formats.fixed(cell.middle.latitude, 2)), \(Formats.fixed(cell.middle.longitude, 2))"
            case .popular(let count): "\(count.grouped) entries in all"
            case .looksLike(let photos): "looks like \(photos.joined(separator: ", "))"
            case .owner(let photos, let isMember):
                photos > 0
                    ? "the owner's \(photos) \(photos == 1 ? "photo" : "photos") there"
                        + (isMember ? ", as a member" : "")
                    : "the owner is a member"
            }
        }

        package static let schemaName: String? = "PhotoReason"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always(
                "kind", \.evidence.kind,
                as: .string(words: ["sharedPools", "similarGroup", "tags", "place", "owner", "popular", "looksLike"]),
                "The kind of evidence")
            fields.always("share", \.share, "Its share of the score, from 0 to 1")
            fields.sometimes(
                "photos", \.photos, as: .count,
                "Photos that share pools with it, the owner's photos there, or all photos there")
            fields.sometimes("groupId", \.groupId, "A group that the photo is in, which it is like")
            fields.sometimes("title", \.title, "That group's title")
            fields.sometimes("relation", \.relation, "What the two groups have in common")
            fields.sometimes("common", \.common, as: .count, "How much they have in common")
            fields.sometimes("tags", \.tags, "The photo's tags that the group's photos have")
            fields.sometimes("latitude", \.latitude, "The middle of the area that the group's photos are from")
            fields.sometimes("longitude", \.longitude, "The middle of the area that the group's photos are from")
            fields.sometimes("isMember", \.isMember, "Whether the owner is a member")
            fields.sometimes("photoIds", \.photoIds, "Public photos of the group that look like the photo, best first")
        }
    }
}
