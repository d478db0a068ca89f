import Model
import Recommendation

extension JSONWriter {
    /// A member that is a list of groups for a photo; the members of a reason depend on its `kind`.
    mutating func photoSuggestions(_ name: String, _ suggestions: [PhotoSuggestion], in snapshot: ModelSnapshot) {
        let model = snapshot.model
        objects(name, suggestions.enumerated()) { row, element in
            let (place, suggestion) = element
            row.suggestedGroup(place, suggestion.group, score: suggestion.score, snapshot.relations, in: model)
            row.objects("reasons", suggestion.reasons.prefix(Self.reasonLimit)) { row, reason in
                row.member("kind", reason.evidence.kind)
                row.member("share", reason.contribution / suggestion.score)
                row.evidence(reason.evidence, in: model)
            }
        }
    }

    private mutating func evidence(_ evidence: PhotoSuggestion.Evidence, in model: ModelVersion) {
        switch evidence {
        case .sharedPools(let photos):
            member("photos", photos)
        case .similarGroup(let group, let relation, let common):
            member("groupId", model.id(of: Int(group)))
            member("title", model.title(of: Int(group)))
            member("relation", relation.rawValue)
            member("common", common)
        case .tags(let tags):
            texts("tags", tags)
        case .place(let cell):
            member("latitude", cell.middle.latitude)
            member("longitude", cell.middle.longitude)
        case .owner(let photos, let isMember):
            member("photos", photos)
            member("isMember", isMember)
        }
    }
}
