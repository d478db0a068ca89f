public import Model

/// Where model versions are published and one of them is current.
///
/// A reader never sees half a version: a version is written under a name nobody reads yet, verified by reading it
/// back against the checksums of its manifest, and only then listed. Making it current is a second step.
public protocol VersionStore: Sendable {
    /// Where it is, as a person would write it, without a password.
    var location: String { get }

    /// Whether it publishes who joined what, for readers that have no catalog.
    var keepsProfiles: Bool { get }

    /// Writes a version and verifies what was written; it is listed afterwards, but not current.
    ///
    /// - Parameters:
    ///   - model: its sections.
    ///   - manifest: complete but for `sections`, which the store fills in with lengths and checksums.
    ///   - profiles: who joined what, for stores whose readers have no catalog; others pass over it.
    ///   - progress: told of bytes written, and of all bytes as far as known.
    /// - Returns: the manifest as it was written.
    func publish(
        _ model: EncodedModel, manifest: Manifest, profiles: (any ProfileSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(StoreError) -> Manifest

    /// Makes a listed version current; readers follow within a second.
    func makeCurrent(_ version: VersionName) throws(StoreError)

    /// The version that is current; nil if none ever was.
    func current() throws(StoreError) -> VersionName?

    /// The manifests of all listed versions, oldest first.
    func versions() throws(StoreError) -> [Manifest]

    /// A version, verified and ready to be read.
    func load(_ version: VersionName) throws(StoreError) -> LoadedVersion

    /// Notes that a version that was loaded is served on this machine now: `lastLoaded` will give it.
    ///
    /// Loading alone, as for a look into an older version, changes nothing of that.
    func remember(_ version: VersionName) throws(StoreError)

    /// The version that was remembered last on this machine, verified again, for when the store is away.
    ///
    /// - Returns: nil if the store keeps nothing on this machine but itself, or nothing was loaded yet.
    func lastLoaded() throws(StoreError) -> LoadedVersion?

    /// What is published of a user with a version; nil if the store keeps no profiles or does not know the user.
    func member(withID id: String, in version: VersionName) throws(StoreError) -> StoredMember?

    /// What is published of all users with a version, kept on this machine from then on: asking for one needs no server.
    ///
    /// - Returns: nil if the store keeps no profiles.
    func members(of loaded: LoadedVersion) throws(StoreError) -> MemberTable?

    /// What the daemons of this store tell one another; nil if a store is of one machine.
    var channel: SharedChannel? { get }

    /// Removes the oldest versions beyond `count` (1 or more), never the current one; also what a killed publisher left.
    ///
    /// - Returns: the names of the versions removed.
    func prune(keeping count: Int) throws(StoreError) -> [VersionName]
}

extension VersionStore {
    /// Not unless a store says so.
    public var keepsProfiles: Bool { false }

    /// None unless a store says otherwise.
    public func members(of loaded: LoadedVersion) throws(StoreError) -> MemberTable? { nil }

    /// None unless a store says otherwise.
    public var channel: SharedChannel? { nil }

    /// Nothing unless a store says otherwise.
    public func remember(_ version: VersionName) throws(StoreError) {}

    /// Nil unless a store says otherwise.
    public func lastLoaded() throws(StoreError) -> LoadedVersion? { nil }
}

/// A version that was read from a store and verified.
public struct LoadedVersion: Sendable {
    /// What it was built from.
    public let manifest: Manifest
    /// Its groups and neighbours.
    public let model: ModelVersion

    /// A loaded version.
    public init(manifest: Manifest, model: ModelVersion) {
        self.manifest = manifest
        self.model = model
    }
}

/// What is to be published of every user; users are numbered from 0 on, in any order.
public protocol ProfileSource: Sendable {
    /// How many users there are.
    var userCount: Int { get }

    /// The bytes of a user's external id.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func id(ofUser number: Int) -> ArraySlice<UInt8>

    /// The indexes of the groups that a user joined, ascending.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func groups(ofUser number: Int) -> ArraySlice<UInt32>

    /// What a user said and was shown.
    ///
    /// - Parameter number: 0 ..< `userCount`.
    func feedback(ofUser number: Int) -> MemberFeedback
}
