public import Redis

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
