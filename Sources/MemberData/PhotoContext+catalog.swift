public import CatalogStore
public import Model
public import Recommendation

extension PhotoContext {
    /// A photo of the catalog; groups that the model does not show are left out.
    public init(_ photo: PhotoRecord, in model: VisibleModel) {
        func index(_ id: String) -> UInt32? { model.index(ofID: id).map(UInt32.init) }
        func known<Value>(_ values: [(id: String, value: Value)]) -> [UInt32: Value] {
            var known: [UInt32: Value] = [:]
            for (id, value) in values { if let group = index(id) { known[group] = value } }
            return known
        }
        self.init(
            groups: photo.groups.compactMap(index).sorted(),
            companions: known(
                photo.companionGroups.map { ($0.groupID, Companions(photos: $0.photos, share: $0.share)) }),
            ownerGroups: known(photo.ownerGroups.map { ($0.groupID, $0.photos) }),
            ownerMemberships: Set(photo.ownerMemberships.compactMap(index)),
            tags: photo.tags,
            place: photo.location.flatMap { PlaceCell(latitude: $0.latitude, longitude: $0.longitude) })
    }
}
