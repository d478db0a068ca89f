public import ModelStore
public import Recommendation

/// Memberships as they were published with a model version; it knows no photos.
public struct StoreDirectory: MemberDirectory {
    private let store: any VersionStore

    /// The profiles of a store.
    public init(_ store: any VersionStore) {
        self.store = store
    }

    /// False.
    public var knowsPhotos: Bool { false }

    /// What the snapshot's version has of the user; when groups were joined is not known.
    public func profile(ofUser id: String, in snapshot: ModelSnapshot, atMilliseconds instant: Int64)
        throws(ServiceError) -> MemberProfile?
    {
        do throws(StoreError) {
            // From the table on this machine where there is one: the store may be away.
            let member =
                if let members = snapshot.members { try members.member(withID: id) } else {
                    try store.member(withID: id, in: snapshot.version)
                }
            return member.map {
                MemberProfile(userID: id, $0, of: snapshot.manifest, for: snapshot.planner, atMilliseconds: instant)
            }
        } catch {
            throw ServiceError(.directoryFailed, "memberships cannot be read: \(error.message)")
        }
    }

    /// What the version has.
    public func siteDecisions(in snapshot: ModelSnapshot) -> SiteDecisions { .asPublished }

    /// None: profiles can only be asked for by their id.
    public func userIDs(near id: String) -> [String] { [] }

    /// Nil.
    public func context(ofPhoto id: String, in snapshot: ModelSnapshot) -> PhotoContext? { nil }
}
