import Model

/// The names in the folder of a store.
///
/// ```
/// current                     the name of the current version, and a line feed
/// versions/NAME/model.coterie the model file, in the layout of `ModelLayout`
/// versions/NAME/manifest.json its manifest
/// versions/.incoming-NAME/    a version that is being written, or that a killed publisher left
/// versions/.removed-NAME/     a version that is being removed
/// pins/NAME                   an empty file: pruning leaves the version alone
/// daemons/HOST-PROCESS        what a daemon says of itself, JSON; it counts for 20 seconds
/// experiments.json            the site's experiments
/// .lock                       locked (flock) while a version is published or old ones are removed
/// .current.lock               locked for the moment it takes to switch, or to change the experiments
/// ```
struct FolderLayout: Sendable {
    static let incomingPrefix = ".incoming-"
    static let removedPrefix = ".removed-"

    let directory: String

    var current: String { directory + "/current" }
    var currentDraft: String { directory + "/.current.new" }
    var experiments: String { directory + "/experiments.json" }
    var experimentsDraft: String { directory + "/.experiments.new" }
    var versions: String { directory + "/versions" }
    var publisherLock: String { directory + "/.lock" }
    var currentLock: String { directory + "/.current.lock" }

    var pins: String { directory + "/pins" }
    var daemons: String { directory + "/daemons" }

    func daemon(_ id: String) -> String { daemons + "/" + id }
    func pin(_ name: VersionName) -> String { pins + "/" + name.description }
    func version(_ name: VersionName) -> String { versions + "/" + name.description }
    func incoming(_ name: VersionName) -> String { versions + "/" + Self.incomingPrefix + name.description }
    func removed(_ name: VersionName) -> String { versions + "/" + Self.removedPrefix + name.description }

    static func model(in folder: String) -> String { folder + "/model.coterie" }
    static func manifest(in folder: String) -> String { folder + "/manifest.json" }
}

/// The locks in the folder of a store; the system releases them when their holder ends, even if it is killed.
enum FolderLock {
    /// Runs `body` with the lock of publishers, without waiting for it, because publishing takes long.
    ///
    /// - Throws: `StoreError.busy` if another has the lock.
    static func whilePublishing<Result>(in layout: FolderLayout, _ body: () throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let file = try OpenFile(layout.publisherLock, for: .locking)
        guard try file.lock(waiting: false) else {
            throw StoreError(
                .busy, "another process publishes to \(layout.directory) or prunes it: wait for it, then try again")
        }
        defer { file.unlock() }
        return try body()
    }

    /// Runs `body` with the lock of the current version; waits for it, because switching is quick.
    static func whileSwitching<Result>(in layout: FolderLayout, _ body: () throws(StoreError) -> Result)
        throws(StoreError) -> Result
    {
        let file = try OpenFile(layout.currentLock, for: .locking)
        _ = try file.lock(waiting: true)
        defer { file.unlock() }
        return try body()
    }
}
