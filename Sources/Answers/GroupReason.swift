public import Model
import Recommendation

/// A joined group whose neighbour another group is.
public struct GroupReason: Answer, Equatable {
    /// The joined group.
    public var groupId: String
    /// Its title.
    public var title: String
    /// What the two have in common.
    public var relation: Relation
    /// Its share of the score, from 0 to 1.
    public var share: Double
    /// How much they have in common.
    public var common: UInt32

    /// The first of some reasons; shares are those of what all of them contribute.
    static func list(_ reasons: [Suggestion.Reason], limit: Int = .max, in model: VisibleModel) -> [GroupReason] {
        // Not the score of the list's item: the reasons for a group may have changed since the list was made.
        let total = reasons.reduce(0) { $0 + $1.contribution }
        return reasons.prefix(limit).map { reason in
            GroupReason(
                groupId: model.id(of: Int(reason.seed)), title: model.title(of: Int(reason.seed)),
                relation: reason.relation, share: reason.contribution / total, common: reason.common)
        }
    }

    /// The name of the schema.
    public static let schemaName: String? = "Reason"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupId", \.groupId, "A group that it is like")
        fields.always("title", \.title, "That group's title")
        fields.always("relation", \.relation, "What the two have in common")
        fields.always("share", \.share, "Its share of the score, from 0 to 1")
        fields.always("common", \.common, as: .count, "How much they have in common")
    }
}
