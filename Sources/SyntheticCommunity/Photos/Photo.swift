/// What a photo shows, where and when.
struct Photo {
    /// Index of `Theme.all`.
    let theme: Int
    /// Index of the theme's subjects.
    let subject: Int
    /// Index of `Place.all`.
    let place: Int
    /// The instant it was taken.
    let taken: Int
    /// The instant it was uploaded, not before it was taken.
    let uploaded: Int
    let isPrivate: Bool
    /// The position, in the owner's memberships, of the group it was taken for; nil when there is none.
    let anchor: Int?
}
