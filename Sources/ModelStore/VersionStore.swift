package import Basics
package import Changes
package import Model
package import Redis

/// A store in which model versions are published, and in which one version is current.
///
/// A reader never sees half a version. A version is written under a name that nobody reads yet, read back and compared
/// with the checksums of its manifest. Only then is it listed. Making it current is a second step.
package protocol VersionStore: Sendable {
    /// The location as a person would write it, without a password.
    var location: String { get }

    /// This store as a shared store, or `nil` if only one machine uses it.
    var shared: (any SharedStore)? { get }

    /// Returns a board of the store's daemons, or `nil` if the store has none.
    func board(of kind: BoardKind) -> (any DaemonBoard)?

    /// Writes a version, verifies it and lists it, but does not make it current.
    ///
    /// - Parameters:
    ///   - manifest: the manifest, complete except for `sections`. The store adds their lengths and checksums.
    ///   - members: the members to publish with the version, or `nil` for none.
    ///   - progress: a function that is called with the number of bytes written, and of all bytes as far as known.
    /// - Returns: the manifest as it was written, with the report on the members.
    func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(Failure) -> Manifest

    /// Makes a listed version current. Readers follow within a second.
    func makeCurrent(_ version: VersionName) throws(Failure)

    /// Returns the current version, or `nil` if there never was one.
    func current() throws(Failure) -> VersionName?

    /// Returns the time at which the current version became current, in Unix milliseconds, or `nil` if it is not known.
    func currentSince() throws(Failure) -> Int64?

    /// Returns the names of all listed versions, oldest first, including damaged ones.
    func versionNames() throws(Failure) -> [VersionName]

    /// Returns the manifests of all listed versions, oldest first.
    func versions() throws(Failure) -> [Manifest]

    func load(_ version: VersionName) throws(Failure) -> LoadedVersion

    /// Returns all members published with a version, on this machine.
    ///
    /// Looking up a member in the result needs no server; `PublishedMembers.verify` reads and verifies all.
    ///
    /// - Returns: the members, or `nil` if none were published with the version.
    func members(of loaded: LoadedVersion) throws(Failure) -> PublishedMembers?

    /// Removes forgotten members from those published with a version; readers see all of it or nothing.
    ///
    /// - Parameters:
    ///   - isForgotten: whether the member goes whose id has these bytes.
    ///   - mark: the set of forgotten members, for the manifest.
    ///   - now: the time, in Unix milliseconds.
    /// - Returns: the number of members removed.
    /// - Throws: `Failure.busy` if another process publishes or prunes.
    func eraseMembers(
        of version: VersionName, mark: String, at now: Int64, where isForgotten: (_ id: ArraySlice<UInt8>) -> Bool
    ) throws(Failure) -> Int

    /// Replaces all members published with a version, if there are any; readers see all of the new ones or none.
    ///
    /// - Parameters:
    ///   - members: the members as a later state of the catalog has them, with the groups of the version.
    ///   - renewed: returns the manifest with the new state of its members.
    /// - Throws: `Failure.busy` if another process publishes or prunes.
    func replaceMembers(
        of version: VersionName, by members: any MemberSource, _ renewed: (Manifest) -> Manifest
    ) throws(Failure)

    /// Returns the versions that pruning keeps; some of them may not be listed any more.
    func pinned() throws(Failure) -> Set<VersionName>

    /// Pins a listed version so that pruning keeps it, or releases it.
    func pin(_ version: VersionName, _ isPinned: Bool) throws(Failure)

    /// Returns the site's experiments as the text that was set, or `nil` if none was ever set.
    func experiments() throws(Failure) -> [UInt8]?

    /// Replaces the text of the site's experiments in one step, unless it has changed meanwhile.
    ///
    /// - Parameters:
    ///   - text: the new text, at most `experimentsByteLimit` bytes.
    ///   - known: the text that `experiments` returned before.
    /// - Returns: whether the text was replaced.
    func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(Failure) -> Bool

    /// Returns the state of the site, or `nil` if none was published.
    ///
    /// - Throws: `Failure.corrupt` if it is damaged; the next applying of changes makes it anew.
    func site() throws(Failure) -> PublishedSite?

    /// Returns the first bytes of the state of the site, or `nil` if none was published.
    ///
    /// They have its checksum, and so tell whether it has changed.
    func siteMark() throws(Failure) -> [UInt8]?

    /// Replaces the state of the site, in one step.
    func setSite(_ site: PublishedSite) throws(Failure)

    /// Returns the ledger of forgotten members, or `nil` if nothing was added yet.
    func ledger() throws(Failure) -> Ledger?

    /// Adds entries to the ledger; the first ones give the store its key.
    ///
    /// - Returns: false if the store has another key; then nothing was added.
    func add(_ ledger: Ledger) throws(Failure) -> Bool

    /// Removes the oldest versions beyond `count`, and files of killed publishers.
    ///
    /// The current version and pinned ones stay.
    ///
    /// - Parameter count: the number of newest versions to keep, 1 or more.
    /// - Returns: the names of the removed versions.
    func prune(keeping count: Int) throws(Failure) -> [VersionName]
}

extension VersionStore {
    /// The greatest length of the text of a site's experiments, in bytes.
    package static var experimentsByteLimit: Int { 4 << 20 }

    /// `nil`: by default, only one machine uses a store.
    package var shared: (any SharedStore)? { nil }

    /// Returns `nil`: by default, the time is not recorded.
    package func currentSince() throws(Failure) -> Int64? { nil }

    /// Returns `nil`: by default, a store has no boards.
    package func board(of kind: BoardKind) -> (any DaemonBoard)? { nil }

    /// Returns the ledger that is beside the streams, or `nil` without streams.
    package func ledger() throws(Failure) -> Ledger? {
        var streams = try shared?.channel.journals()
        return try streams?.ledger() ?? nil
    }

    /// Adds to the ledger that is beside the streams.
    package func add(_ ledger: Ledger) throws(Failure) -> Bool {
        var streams = try shared?.channel.journals()
        return try streams?.add(ledger) ?? true
    }

    /// The reports of daemons about themselves, or `nil` if the store has no boards.
    package var board: (any DaemonBoard)? { board(of: .daemons) }

    /// Removes the changes that are in every version from the daemons' streams, if this is a shared store.
    ///
    /// Other changes stay. After a rollback, a daemon that starts with an older version still needs the changes: the
    /// daemon must not show hidden groups.
    package func trimStreams() throws(Failure) {
        guard let channel = shared?.channel else { return }
        let taken = AppliedChanges.inAll(try versions().map(\.taken))
        var streams = try channel.journals()
        try streams.trim(through: taken)
    }
}

/// A store on a server that several machines read.
///
/// The store carries the changes and sessions that daemons share. While the server is out of reach, cached copies on
/// this machine serve.
package protocol SharedStore: VersionStore {
    /// Returns a published member by external id, or `nil` if the version does not have the user.
    func member(withID id: String, in version: VersionName) throws(Failure) -> PublishedMember?

    /// Records that a loaded version now serves on this machine, for `lastLoaded`.
    ///
    /// Loading alone records nothing, because a command may only look at a version.
    func remember(_ version: VersionName) throws(Failure)

    /// Returns the version that `remember` recorded last on this machine, verified again.
    ///
    /// That version serves while the server is out of reach.
    ///
    /// - Returns: the version, or `nil` if none was loaded yet.
    func lastLoaded() throws(Failure) -> LoadedVersion?

    /// Removes files of killed processes from this machine; files of running processes stay.
    func sweep() throws(Failure)

    /// Returns the name of a part of a loaded version that the store lacks now, or `nil` if none is found missing.
    ///
    /// - Parameter turn: the number of the question. Successive turns ask for different parts.
    func missingPart(of loaded: LoadedVersion, turn: Int) throws(Failure) -> String?

    /// The stream and the sessions that the daemons of this store share.
    var channel: SharedChannel { get }
}

extension SharedStore {
    /// Returns `nil`: by default, no part of a version can be lost.
    package func missingPart(of loaded: LoadedVersion, turn: Int) throws(Failure) -> String? { nil }

    /// Returns the changes in the daemons' streams and in all versions, to compare a journal with.
    package func exchange() throws(Failure) -> ChangeExchange {
        let taken = AppliedChanges.inAll(try versions().map(\.taken))
        var streams = try channel.journals()
        return ChangeExchange(here: [:], streams: try streams.survey(), prunable: taken)
    }
}

/// A version that was read from a store and verified.
package struct LoadedVersion: Sendable {
    /// The manifest: the sources, parameters and checksums of the version.
    package let manifest: Manifest
    /// The groups and their neighbours.
    package let model: ModelVersion

    package init(manifest: Manifest, model: ModelVersion) {
        self.manifest = manifest
        self.model = model
    }
}

/// The rule by which pruning chooses versions.
enum VersionRetention {
    /// Returns all versions except the newest `count`, the current one and pinned ones.
    ///
    /// - Parameters:
    ///   - names: the listed versions, oldest first.
    ///   - count: the number of newest versions to keep; less than 1 counts as 1.
    static func removable(
        _ names: [VersionName], current: VersionName?, pinned: Set<VersionName>, keeping count: Int
    ) -> [VersionName] {
        names.dropLast(max(count, 1)).filter { $0 != current && !pinned.contains($0) }
    }
}

/// The location of a store, as in options: the path of a folder, `redis://…` or `redis-sentinel://…`.
package enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
    case folder(String)
    case redis(RedisAddress)

    /// Parses a location.
    ///
    /// - Throws: `Failure.badUsage`, which names the possible forms.
    package init(_ text: String) throws(Failure) {
        guard !RedisAddress.hasScheme(text) else {
            do throws(RedisError) {
                self = .redis(try RedisAddress(text))
                return
            } catch { throw Failure(.badUsage, error.message) }
        }
        // A mistake in an address must not become the name of a folder.
        if let scheme = text.prefixMatch(of: /\s*[A-Za-z][\w+.\-]*:|[^:]*:\/\//) {
            throw Failure(
                .badUsage,
                "a store cannot be at \(scheme.output)…: give the path of a folder, such as ./NAME, "
                    + RedisAddress.forms)
        }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw Failure(.badUsage, "a store needs the path of a folder, \(RedisAddress.forms)")
        }
        self = .folder(text)
    }

    /// Creates the store at this location; the store reads or connects only when it is used.
    ///
    /// - Parameters:
    ///   - cacheDirectory: the folder for cached versions of a server.
    ///   - hasOwnCopies: whether loaded versions are private copies, for a process that keeps them for long.
    package func open(cacheDirectory: String, hasOwnCopies: Bool = false) -> any VersionStore {
        switch self {
        case .folder(let path): FolderStore(path, hasOwnCopies: hasOwnCopies)
        case .redis(let address):
            RedisStore(address, cacheDirectory: cacheDirectory, hasOwnCopies: hasOwnCopies)
        }
    }

    package var hasPassword: Bool {
        if case .redis(let address) = self { address.password != nil } else { false }
    }

    /// Returns the same server with another login; a folder stays as it is.
    ///
    /// - Parameters:
    ///   - user: the user, or `nil` for the default user.
    ///   - renew: returns the password for a new connection, or `nil` if it cannot be read.
    package func loggingIn(user: String?, password: String, renew: (@Sendable () -> String?)? = nil) -> StoreLocation {
        guard case .redis(let address) = self else { return self }
        return .redis(address.loggingIn(user: user, password: password, renew: renew))
    }

    /// The location without a password.
    package var description: String {
        switch self {
        case .folder(let path): path
        case .redis(let address): address.description
        }
    }
}
