/// What made a group stand where a member saw it, as clients tell it.
public enum ShownOrigin: String, Sendable, CaseIterable {
    /// As `PlanItem.Origin`.
    case personal, topic, curated, trending, popular
    /// A list of similar groups.
    case similar
    /// A list of groups for a photo.
    case photo
}
