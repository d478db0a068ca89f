/// What shapes a group's members and photos; kept small, for the hot loops go through all groups.
struct Group {
    /// Index of `Theme.all`.
    let theme: UInt8
    /// Index of the theme's subjects; nil when the group takes the whole theme.
    let subject: UInt8?
    /// Index of `Place.all`; nil when the group is about no place.
    let place: UInt16?
    /// The instant it was founded.
    let created: UInt32
    /// Nobody joins or posts from this instant on; for a living group the end of the timeline.
    let activeUntil: UInt32
    /// A group of nearly the same name that some of its members join as well.
    var twin: UInt32?
    /// How many of 1000 members join the twin.
    let twinPermille: UInt16
    let isPrivate: Bool
    let joinPolicy: JoinPolicy

    /// How one becomes a member.
    enum JoinPolicy: String {
        case open, approval, invite
    }
}
