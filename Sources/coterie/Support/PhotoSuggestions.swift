import Model
import Recommendation
import Service

/// Groups for a photo as JSON: the same names as over HTTP.
struct PhotoSuggestionsJSON: Encodable {
    var modelVersion: String
    var photoId: String
    var groups: [Row]

    struct Row: Encodable {
        var rank: Int
        var groupId, title: String
        var score: Double
        var memberCount, photoCount: UInt32
        var joinPolicy: String
        var reasons: [Reason]
    }

    /// Which members there are depends on the kind.
    struct Reason: Encodable {
        var kind: String
        /// Part of the score that it brings, 0 to 1.
        var share: Double
        var photos: Int?
        var isMember: Bool?
        var groupId, title, relation: String?
        var common: UInt32?
        var tags: [String]?
        var latitude, longitude: Double?

        init(_ reason: PhotoSuggestion.Reason, share: Double, _ model: ModelVersion) {
            kind = reason.evidence.kind
            self.share = share
            switch reason.evidence {
            case .sharedPools(let photos): self.photos = photos
            case .similarGroup(let group, let relation, let common):
                groupId = model.id(of: Int(group))
                title = model.title(of: Int(group))
                self.relation = relation.rawValue
                self.common = common
            case .tags(let tags): self.tags = tags
            case .place(let cell): (latitude, longitude) = cell.middle
            case .owner(let photos, let isMember): (self.photos, self.isMember) = (photos, isMember)
            }
        }
    }

    static func rows(_ suggestions: [PhotoSuggestion], _ model: ModelVersion) -> [Row] {
        suggestions.enumerated().map { place, suggestion in
            let group = Int(suggestion.group)
            return Row(
                rank: place + 1, groupId: model.id(of: group), title: model.title(of: group), score: suggestion.score,
                memberCount: model.size(of: group, in: RelationFacts.members.relation),
                photoCount: model.size(of: group, in: RelationFacts.photos.relation),
                joinPolicy: model.joinPolicy(of: group).name,
                reasons: suggestion.reasons.map {
                    Reason($0, share: $0.contribution / suggestion.score, model)
                })
        }
    }
}

/// Groups for a photo as a table.
enum PhotoSuggestionsTable {
    static func lines(_ suggestions: [PhotoSuggestion], _ model: ModelVersion) -> [String] {
        var table = TextTable([
            .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
            .init(title: "score", isNumber: true), .init(title: "because of", maximumWidth: 110),
        ])
        for (place, suggestion) in suggestions.enumerated() {
            table.add([
                String(place + 1), model.id(of: Int(suggestion.group)), model.title(of: Int(suggestion.group)),
                Formats.fixed(suggestion.score, 3), reasons(suggestion, model),
            ])
        }
        return table.lines
    }

    /// The strongest reason of each kind; of similar groups there may be many.
    private static func reasons(_ suggestion: PhotoSuggestion, _ model: ModelVersion) -> String {
        var kinds: Set<String> = []
        let strongest = suggestion.reasons.filter { kinds.insert($0.evidence.kind).inserted }
        let more = suggestion.reasons.count - strongest.count
        return strongest.map { text($0.evidence, model) }.joined(separator: "; ")
            + (more > 0 ? "; similar to \(more) more" : "")
    }

    private static func text(_ evidence: PhotoSuggestion.Evidence, _ model: ModelVersion) -> String {
        switch evidence {
        case .sharedPools(let photos): "\(photos) photos that share its pools"
        case .similarGroup(let group, let relation, _):
            "similar to \(named(Int(group), in: model)) by \(relation.rawValue)"
        case .tags(let tags): "tags \(tags.joined(separator: ", "))"
        case .place(let cell):
            "near \(Formats.fixed(cell.middle.latitude, 2)), \(Formats.fixed(cell.middle.longitude, 2))"
        case .owner(let photos, let isMember):
            photos > 0
                ? "the owner's \(photos) \(photos == 1 ? "photo" : "photos") there" + (isMember ? ", as a member" : "")
                : "the owner is a member"
        }
    }
}
