import Model

/// The names in the folder of a store.
///
/// ```
/// current                     the name of the current version, and a line feed
/// versions/NAME/model.coterie the model file, in the layout of `ModelLayout`
/// versions/NAME/manifest.json its manifest
/// versions/.incoming-NAME/    a version that is being written, or that a killed publisher left
/// versions/.removed-NAME/     a version that is being removed
/// .lock                       locked (flock) while a version is published or old ones are removed
/// .current.lock               locked for the moment it takes to switch
/// ```
struct FolderLayout: Sendable {
    static let incomingPrefix = ".incoming-"
    static let removedPrefix = ".removed-"

    let directory: String

    var current: String { directory + "/current" }
    var currentDraft: String { directory + "/.current.new" }
    var versions: String { directory + "/versions" }
    var publisherLock: String { directory + "/.lock" }
    var currentLock: String { directory + "/.current.lock" }

    func version(_ name: VersionName) -> String { versions + "/" + name.description }
    func incoming(_ name: VersionName) -> String { versions + "/" + Self.incomingPrefix + name.description }
    func removed(_ name: VersionName) -> String { versions + "/" + Self.removedPrefix + name.description }

    static func model(in folder: String) -> String { folder + "/model.coterie" }
    static func manifest(in folder: String) -> String { folder + "/manifest.json" }
}
