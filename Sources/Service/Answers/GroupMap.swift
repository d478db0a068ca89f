import Answers
import Model
import Recommendation

/// A part of the map of all groups: `GET /v1/map`.
struct GroupMap: Answer, Equatable {
    /// The model version from which the answer is made.
    var version: ServedVersion
    var groups: [Row]
    var next: String?

    /// Creates a part of the map.
    ///
    /// - Parameters:
    ///   - id: the id behind which the part begins; nil for the first part.
    ///   - limit: the most groups of the part.
    init(
        _ version: ServedVersion, in model: VisibleModel, _ regions: MapRegions, _ relations: RelationTable,
        after id: String?, limit: Int
    ) {
        self.version = version
        // One more than the limit shows whether there is another part.
        let found = model.groups(after: id, limit: limit + 1)
        let membership = relations[.membership]?.relation
        groups = found.prefix(limit).map { group in
            let place = model.place(of: Int(group))
            return Row(
                groupId: model.id(of: Int(group)), title: model.title(of: Int(group)), place: place,
                region: place.map { regions.regions[Int($0.region)].name },
                memberCount: membership.map { model.size(of: Int(group), in: $0) } ?? 0)
        }
        next = found.count > limit ? groups.last?.groupId : nil
    }

    static let schemaName: String? = "GroupMap"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groups", \.groups, "In ascending order of the bytes of their ids")
        fields.sometimes("next", \.next, "The parameter after for the next part; if there is one")
    }

    /// A group on the map, or beside it.
    struct Row: Answer, Equatable {
        var groupId: String
        var title: String
        /// The place on the map; nil for a group beside it.
        var place: MapPlace?
        var region: String?
        var memberCount: UInt32

        static let schemaName: String? = "MappedGroup"
        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("groupId", \.groupId, "The group")
            fields.always("title", \.title, "Its title")
            fields.sometimes("x", \.place?.x, "The place from left to right, 0 to 999,999; not without neighbours")
            fields.sometimes("y", \.place?.y, "The place from top to bottom, 0 to 999,999; not without neighbours")
            fields.sometimes("regionId", \.place?.region, "The number of the region, from 0; not without neighbours")
            fields.sometimes("region", \.region, "The name of the region, which no other has; not without neighbours")
            fields.always("memberCount", \.memberCount, as: .count, "Its members")
        }
    }
}
