import Basics
import Model
import ModelStore
import Synchronization

/// A store in memory that can be told to fail.
final class FakeStore: SharedStore {
    struct State {
        var versions: [VersionName: LoadedVersion] = [:]
        var current: VersionName?
        var profiles: [String: [UInt32]] = [:]
        /// The members who may not be counted to others.
        var unlisted: Set<String> = []
        var experiments: [UInt8]?
        /// The folder of cached versions.
        var lastLoaded: LoadedVersion?
        var lastLoadedCount = 0
        /// Called at the beginning of each request for the current version.
        var whenAsked: (@Sendable () -> Void)?
        /// What asking for the current version fails with.
        var failure: Failure?
        /// What loading a version fails with.
        var loadFailure: Failure?
        var loadCount = 0
        var site: PublishedSite?
        /// The folder of the boards; the store has none without.
        var boards: String?
    }

    let state = Mutex(State())
    var location: String { "memory" }
    var shared: (any SharedStore)? { self }
    var channel: SharedChannel { preconditionFailure("a store in memory has no channel") }

    init(_ versions: LoadedVersion...) {
        state.withLock { state in
            for version in versions { state.versions[version.manifest.version] = version }
            state.current = versions.last?.manifest.version
        }
    }

    func board(of kind: BoardKind) -> (any DaemonBoard)? {
        state.withLock { $0.boards }.flatMap { FolderStore($0).board(of: kind) }
    }

    func add(_ version: LoadedVersion) {
        state.withLock { $0.versions[version.manifest.version] = version }
    }

    func current() throws(Failure) -> VersionName? {
        let (whenAsked, failure, current) = state.withLock { ($0.whenAsked, $0.failure, $0.current) }
        whenAsked?()
        if let failure { throw failure }
        return current
    }

    func load(_ version: VersionName) throws(Failure) -> LoadedVersion {
        let (failure, loaded) = state.withLock { state in
            state.loadCount += 1
            return (state.loadFailure, state.versions[version])
        }
        if let failure { throw failure }
        guard let loaded else { throw Failure(.unknownVersion, "there is no version \(version)") }
        return loaded
    }

    func experiments() throws(Failure) -> [UInt8]? { state.withLock { $0.experiments } }

    func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(Failure) -> Bool {
        state.withLock { $0.experiments = text }
        return true
    }

    func pinned() throws(Failure) -> Set<VersionName> { [] }

    func pin(_ version: VersionName, _ isPinned: Bool) throws(Failure) {}

    func members(of loaded: LoadedVersion) throws(Failure) -> PublishedMembers? { nil }

    func eraseMembers(
        of version: VersionName, mark: String, at now: Int64, where isForgotten: (_ id: ArraySlice<UInt8>) -> Bool
    ) throws(Failure) -> Int { 0 }

    func replaceMembers(
        of version: VersionName, by members: any MemberSource, _ renewed: (Manifest) -> Manifest
    ) throws(Failure) {}

    func site() throws(Failure) -> PublishedSite? { state.withLock { $0.site } }

    func siteMark() throws(Failure) -> [UInt8]? { state.withLock { $0.site.map { Array("\($0)".utf8) } } }

    func setSite(_ site: PublishedSite) throws(Failure) { state.withLock { $0.site = site } }

    func remember(_ version: VersionName) throws(Failure) {}

    func sweep() {}
    func lastLoaded() throws(Failure) -> LoadedVersion? {
        state.withLock { state in
            state.lastLoadedCount += 1
            return state.lastLoaded
        }
    }

    func makeCurrent(_ version: VersionName) throws(Failure) {
        state.withLock { $0.current = version }
    }

    func member(withID id: String, in version: VersionName) throws(Failure) -> PublishedMember? {
        let (failure, profile, isUnlisted) = state.withLock {
            ($0.failure, $0.profiles[id], $0.unlisted.contains(id))
        }
        if let failure { throw failure }
        return profile.map { joined in
            var member = PublishedMember(joined: joined.map { .init(group: $0) })
            member.feedback.isUnlisted = isUnlisted
            return member
        }
    }

    func versionNames() throws(Failure) -> [VersionName] { try versions().map(\.version) }

    func versions() throws(Failure) -> [Manifest] {
        state.withLock { $0.versions.values.map(\.manifest).sorted { $0.version < $1.version } }
    }

    func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (Int, Int) -> Void
    ) throws(Failure) -> Manifest {
        throw Failure(.fileFailed, "this store is only read")
    }

    func prune(keeping count: Int) throws(Failure) -> [VersionName] { [] }
}
