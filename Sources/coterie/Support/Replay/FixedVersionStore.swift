import Model
import ModelStore

/// A store in which one version of another store is current, and nothing can be changed.
struct FixedVersionStore: VersionStore {
    private let store: any VersionStore
    private let version: LoadedVersion

    init(_ version: LoadedVersion, of store: any VersionStore) {
        self.version = version
        self.store = store
    }

    var location: String { store.location }
    func current() -> VersionName? { version.manifest.version }
    func versionNames() -> [VersionName] { [version.manifest.version] }
    func versions() -> [Manifest] { [version.manifest] }
    func pinned() -> Set<VersionName> { [] }
    func experiments() throws(StoreError) -> [UInt8]? { try store.experiments() }

    func load(_ name: VersionName) throws(StoreError) -> LoadedVersion {
        guard name == version.manifest.version else { throw StoreError(.unknownVersion, "there is no version \(name)") }
        return version
    }

    func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(StoreError) -> Manifest { throw Self.refusal }

    func makeCurrent(_ version: VersionName) throws(StoreError) { throw Self.refusal }
    func pin(_ version: VersionName, _ isPinned: Bool) throws(StoreError) { throw Self.refusal }
    func prune(keeping count: Int) throws(StoreError) -> [VersionName] { throw Self.refusal }

    func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(StoreError) -> Bool { throw Self.refusal }

    private static let refusal = StoreError(.writeFailed, "a replay changes no store")
}
