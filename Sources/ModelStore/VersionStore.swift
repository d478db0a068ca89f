public import Model
public import Redis

/// Where model versions are published and one of them is current.
///
/// A reader never sees half a version: a version is written under a name nobody reads yet, verified by reading it
/// back against the checksums of its manifest, and only then listed. Making it current is a second step.
public protocol VersionStore: Sendable {
    /// Where it is, as a person would write it, without a password.
    var location: String { get }

    /// This store, if it is one that several machines share; nil for a store of one machine.
    var shared: (any SharedStore)? { get }

    /// Where daemons say how they are; nil if the store has no place for that.
    var board: (any DaemonBoard)? { get }

    /// Writes a version and verifies what was written; it is listed afterwards, but not current.
    ///
    /// - Parameters:
    ///   - model: its sections.
    ///   - manifest: complete but for `sections`, which the store fills in with lengths and checksums.
    ///   - members: published with the version by shared stores; other stores ignore it.
    ///   - progress: called with the bytes written so far, and all bytes as far as known.
    /// - Returns: the manifest as it was written.
    func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(StoreError) -> Manifest

    /// Makes a listed version current; readers follow within a second.
    func makeCurrent(_ version: VersionName) throws(StoreError)

    /// The version that is current; nil if none ever was.
    func current() throws(StoreError) -> VersionName?

    /// When the current version became current, in Unix milliseconds; nil if that is not known.
    func currentSince() throws(StoreError) -> Int64?

    /// The names of all listed versions, oldest first; also of those that are damaged.
    func versionNames() throws(StoreError) -> [VersionName]

    /// The manifests of all listed versions, oldest first.
    func versions() throws(StoreError) -> [Manifest]

    /// A version, verified and ready to be read.
    func load(_ version: VersionName) throws(StoreError) -> LoadedVersion

    /// The versions that pruning leaves alone; names of versions that are not listed any more may be among them.
    func pinned() throws(StoreError) -> Set<VersionName>

    /// Pins a listed version, or releases it.
    func pin(_ version: VersionName, _ isPinned: Bool) throws(StoreError)

    /// The site's experiments, a text that the store keeps as it is; nil if there never were any.
    func experiments() throws(StoreError) -> [UInt8]?

    /// Replaces that text in one step, unless somebody else has replaced it meanwhile.
    ///
    /// - Parameters:
    ///   - text: at most `experimentsByteLimit` bytes.
    ///   - known: what `experiments` gave before.
    /// - Returns: whether it was replaced.
    func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(StoreError) -> Bool

    /// Removes the oldest versions beyond `count` (1 or more), never the current one or one that is pinned; also what a
    /// killed publisher left.
    ///
    /// - Returns: the names of the versions removed.
    func prune(keeping count: Int) throws(StoreError) -> [VersionName]
}

extension VersionStore {
    /// The greatest length of the text of a site's experiments, in bytes.
    public static var experimentsByteLimit: Int { 4 << 20 }

    /// Nil: by default a store belongs to one machine.
    public var shared: (any SharedStore)? { nil }

    /// Nil: by default nobody notes it.
    public func currentSince() throws(StoreError) -> Int64? { nil }

    /// Nil: by default there is no such place.
    public var board: (any DaemonBoard)? { nil }

    /// Removes from the streams of daemons the changes that are in every version, if this is a shared store.
    ///
    /// They stay until then: a daemon that starts with an older version, after a rollback, must not show what is
    /// hidden.
    public func trimStreams() throws(StoreError) {
        guard let channel = shared?.channel else { return }
        var streams = try channel.journals()
        try streams.trim(through: TakenChanges.inAll(try versions().map(\.taken)))
    }
}

/// A store on a server that several machines read.
///
/// It publishes the members with each version, and carries the changes and sessions that daemons share. Cached copies
/// on this machine serve while the server cannot be reached.
public protocol SharedStore: VersionStore {
    /// The published member of a version with an external id; nil if the version does not have the user.
    func member(withID id: String, in version: VersionName) throws(StoreError) -> PublishedMember?

    /// All members published with a version, kept on this machine from then on: asking for one needs no server.
    ///
    /// - Returns: nil if no members were published with the version.
    func members(of loaded: LoadedVersion) throws(StoreError) -> PublishedMembers?

    /// Notes that a loaded version now serves on this machine: `lastLoaded` will return it.
    ///
    /// Loading alone does not note it, because a command may only look at a version.
    func remember(_ version: VersionName) throws(StoreError)

    /// The version noted last on this machine, verified again, to use while the server cannot be reached.
    ///
    /// - Returns: nil if none was loaded yet.
    func lastLoaded() throws(StoreError) -> LoadedVersion?

    /// Removes from this machine what processes left that were killed; what others are making stays.
    func sweep() throws(StoreError)

    /// The stream and the sessions that the daemons of this store share.
    var channel: SharedChannel { get }
}

extension SharedStore {
    /// What the streams of daemons have, and what all versions have by now, to compare a journal with.
    public func exchange() throws(StoreError) -> ChangeExchange {
        var streams = try channel.journals()
        return ChangeExchange(
            here: [:], streams: try streams.survey(),
            dispensable: TakenChanges.inAll(try versions().map(\.taken)))
    }
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

/// The rule of which versions pruning removes.
enum VersionRetention {
    /// All but the newest `count` versions, the current one, and those that are pinned.
    ///
    /// - Parameters:
    ///   - names: oldest first.
    ///   - count: less than 1 counts as 1.
    static func removable(
        _ names: [VersionName], current: VersionName?, pinned: Set<VersionName>, keeping count: Int
    ) -> [VersionName] {
        names.dropLast(max(count, 1)).filter { $0 != current && !pinned.contains($0) }
    }
}

/// A failure of a store of model versions.
public struct StoreError: Error, CustomStringConvertible {
    /// What kind of failure it is; callers decide by it whether to try again.
    public enum Code: Sendable, Equatable {
        /// The text is not the location of a store.
        case badLocation
        /// The store cannot be reached or refuses; trying later may help.
        case unavailable
        /// The server is a replica, which may be behind; trying again helps when it is promoted, or its address leads
        /// to a primary.
        case replica
        /// The server does not let this user in, or do this; trying again helps when somebody has changed that.
        case notPermitted
        /// Another process is publishing; trying later helps.
        case busy
        /// There is no such version.
        case unknownVersion
        /// The stored bytes are damaged.
        case corrupt
        /// The version is of a program that is older or newer, with another layout.
        case otherFormat
        /// The file system or the server failed while writing.
        case writeFailed

        /// Whether nothing can be learned from the store now: it is away, behind, or closed to this user.
        public var isOutOfReach: Bool { [.unavailable, .replica, .notPermitted].contains(self) }
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

/// Where a store is, as options give it: the path of a folder, `redis://…` or `redis-sentinel://…`.
public enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
    /// A folder of files.
    case folder(String)
    /// A Redis server.
    case redis(RedisAddress)

    /// Reads a location.
    ///
    /// - Throws: `StoreError.badLocation` that says what is possible.
    public init(_ text: String) throws(StoreError) {
        if let separator = text.firstRange(of: "://") {
            guard RedisAddress.hasScheme(text) else {
                throw StoreError(
                    .badLocation,
                    "a store cannot be at \(text[..<separator.upperBound])…: "
                        + "give the path of a folder, \(RedisAddress.forms)")
            }
            do throws(RedisError) {
                self = .redis(try RedisAddress(text))
            } catch {
                throw StoreError(.badLocation, error.message)
            }
        } else {
            guard !text.isEmpty, !text.utf8.contains(0) else {
                throw StoreError(.badLocation, "a store needs the path of a folder, \(RedisAddress.forms)")
            }
            self = .folder(text)
        }
    }

    /// The store there; neither reads nor connects until it is used.
    ///
    /// - Parameters:
    ///   - cacheDirectory: the folder for cached versions of a server.
    ///   - hasOwnCopies: whether versions that are loaded are copied first, for a process that keeps them for long.
    public func open(cacheDirectory: String, hasOwnCopies: Bool = false) -> any VersionStore {
        switch self {
        case .folder(let path): FolderStore(path, hasOwnCopies: hasOwnCopies)
        case .redis(let address):
            RedisStore(address, cacheDirectory: cacheDirectory, hasOwnCopies: hasOwnCopies)
        }
    }

    /// Whether it has a password in it.
    public var hasPassword: Bool {
        if case .redis(let address) = self { address.password != nil } else { false }
    }

    /// The same server with another login; a folder has none.
    ///
    /// - Parameter user: nil for the default user.
    public func loggingIn(user: String?, password: String) -> StoreLocation {
        if case .redis(let address) = self { .redis(address.loggingIn(user: user, password: password)) } else { self }
    }

    /// The location without a password.
    public var description: String {
        switch self {
        case .folder(let path): path
        case .redis(let address): address.description
        }
    }
}
