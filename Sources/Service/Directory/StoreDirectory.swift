public import Model
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

    /// The groups of the user's profile in the snapshot's version; when they were joined is not known.
    public func profile(ofUser id: String, in snapshot: ModelSnapshot, atMilliseconds instant: Int64)
        throws(ServiceError) -> MemberProfile?
    {
        do {
            let joined = try store.profile(ofUser: id, in: snapshot.version)
            return joined.map { MemberProfile(userID: id, joined: $0.map { .init(group: $0) }) }
        } catch {
            throw ServiceError(.directoryFailed, "memberships cannot be read: \(error.message)")
        }
    }

    /// None: a version has public groups only.
    public func hiddenGroups(in snapshot: ModelSnapshot) -> Set<UInt32> { [] }

    /// Nil: what the version says.
    public func curatedGroups(in snapshot: ModelSnapshot) -> [CuratedGroup]? { nil }

    /// None: profiles can only be asked for by their id.
    public func userIDs(near id: String) -> [String] { [] }

    /// Nil.
    public func context(ofPhoto id: String, in snapshot: ModelSnapshot) -> PhotoContext? { nil }
}
