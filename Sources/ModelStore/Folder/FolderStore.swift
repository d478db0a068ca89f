package import Basics
import Glibc
package import Model

/// A store of model versions in a folder, without a server.
///
/// A version is written to a folder with a temporary name, which is then renamed in one step. So a killed publisher
/// leaves the store as it was. Readers map files into memory, and a mapping stays readable after the version is
/// removed. All processes must be on one machine, because its locks (flock) do not reach others.
package struct FolderStore: VersionStore {
    let layout: FolderLayout
    let durability: Durability
    /// Whether a loaded version is a private copy.
    let hasOwnCopies: Bool
    /// The greatest length of the state of the site and of the ledger, in bytes.
    static let siteByteLimit = 512 << 20
    /// The number of bytes in each write; progress is reported after each.
    private static let writeByteCount = 8 << 20

    /// Creates a store in a folder, which need not exist until a version is published.
    ///
    /// - Parameter hasOwnCopies: whether versions are copied before they are mapped. This suits a process that keeps
    ///   them for long: later changes to the files do not affect it.
    package init(_ directory: String, hasOwnCopies: Bool = false) {
        self.init(directory, durability: .powerLoss, hasOwnCopies: hasOwnCopies)
    }

    init(_ directory: String, durability: Durability, hasOwnCopies: Bool) {
        var path = directory[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        layout = FolderLayout(directory: String(path))
        self.durability = durability
        self.hasOwnCopies = hasOwnCopies
    }

    /// The folder's path.
    package var location: String { layout.directory }

    /// Whether a folder has the files of a store.
    package static func isStore(_ path: String) -> Bool {
        let layout = FolderLayout(directory: path)
        return [layout.versions, layout.publisherLock].allSatisfy(FileTree.exists)
    }

    /// Returns a board of daemons, kept as files in the folder.
    package func board(of kind: BoardKind) -> (any DaemonBoard)? { FolderBoard(layout: layout, kind: kind) }

    /// Writes a version with its members, and verifies the written files.
    ///
    /// - Throws: `Failure.busy` if another process publishes or prunes, `diskFull`. `fileFailed` if the folder is not
    ///   writable or the version exists. `corrupt` if the files differ when they are read back.
    package func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(Failure) -> Manifest {
        let complete = manifest.describing(model)
        let total = complete.byteCount + (members?.userCount ?? 0) * PackedMembers.bytesPerUser
        var done = 0
        func advance(_ byteCount: Int) {
            done += byteCount
            progress(done, total)
        }
        func write(_ members: any MemberSource, to folder: String) throws(Failure) -> Manifest.MembersReport {
            try PublishedMembersWriter.write(
                PackedMembers(members, manifest.coding(groupCount: model.groupCount)),
                to: FolderLayout.members(in: folder), durability
            ) { users in advance(users * PackedMembers.bytesPerUser) }
        }
        return try install(complete) { writer throws(Failure) in
            for section in model.sections {
                let bytes = unsafe section.bytes.span.bytes
                for start in stride(from: 0, to: bytes.byteCount, by: Self.writeByteCount) {
                    let piece = bytes.extracting(start..<min(start + Self.writeByteCount, bytes.byteCount))
                    try writer.write(piece, to: section.name, at: start)
                    advance(piece.byteCount)
                }
            }
        } writeMembers: { folder throws(Failure) in
            guard let members else { return nil }
            return try write(members, to: folder)
        }.manifest
    }

    /// Writes a version with a model file that `write` fills, verifies the version and lists it.
    ///
    /// - Parameters:
    ///   - manifest: the manifest, with the lengths and checksums of all sections.
    ///   - replacing: whether an existing version of the same name is removed first; otherwise it is an error.
    ///   - writeMembers: writes the members into the folder of the version, and returns the report on them.
    func install(
        _ manifest: Manifest, replacing: Bool = false,
        write: (borrowing ModelFileWriter) throws(Failure) -> Void,
        writeMembers: (_ folder: String) throws(Failure) -> Manifest.MembersReport? = { _ in nil }
    ) throws(Failure) -> LoadedVersion {
        try FileTree.makeSharedDirectory(layout.versions)
        return try FolderLock.whilePublishing(in: layout) { () throws(Failure) in
            if replacing { try remove(manifest.version) }
            return try writeVersion(manifest, write, writeMembers)
        }
    }

    private func writeVersion(
        _ manifest: Manifest, _ write: (borrowing ModelFileWriter) throws(Failure) -> Void,
        _ writeMembers: (_ folder: String) throws(Failure) -> Manifest.MembersReport?
    ) throws(Failure) -> LoadedVersion {
        var manifest = manifest
        let incoming = layout.incoming(manifest.version)
        guard !FileTree.exists(layout.version(manifest.version)) else {
            throw Failure(.fileFailed, "version \(manifest.version) is published in \(location) already")
        }
        try FileTree.removeDirectory(incoming)
        do {
            try FileTree.makeSharedDirectory(incoming)
            let writer = try ModelFileWriter(
                FolderLayout.model(in: incoming), placement: manifest.placement(), durability: durability)
            try write(writer)
            try writer.finish()
            let members = try writeMembers(incoming)
            // An image of a server's version has its members elsewhere.
            if let members { manifest.members = members }
            try FileTree.create(FolderLayout.manifest(in: incoming), content: ManifestJSON.encode(manifest), durability)
            try FileTree.synchronizeDirectory(incoming, durability)
            let model = try ModelFile.open(
                FolderLayout.model(in: incoming), manifest: manifest, isOwn: hasOwnCopies)
            let version = LoadedVersion(manifest: manifest, model: model)
            if members != nil { try self.members(of: version, in: incoming)?.verify() }
            try FileTree.move(incoming, to: layout.version(manifest.version), durability)
            return version
        } catch {
            // A partial version would only fill the disk; if it cannot be removed now, pruning removes it.
            try? FileTree.removeDirectory(incoming)
            throw error
        }
    }

    /// Makes a listed version current, in one step that survives a loss of power.
    package func makeCurrent(_ version: VersionName) throws(Failure) {
        guard FileTree.exists(layout.version(version)) else { throw unknown(version) }
        try FolderLock.whileSwitching(in: layout) { () throws(Failure) in
            // Checked again under the lock, which every removal of a version needs.
            guard FileTree.exists(layout.version(version)) else { throw unknown(version) }
            try FileTree.replace(layout.current, content: Array("\(version)\n".utf8), durability)
        }
    }

    /// Returns the time at which the current version became current, in Unix milliseconds, or `nil` if there is none.
    package func currentSince() throws(Failure) -> Int64? { FileTree.changeTimeMilliseconds(of: layout.current) }

    /// Returns the current version, or `nil` if there is none.
    package func current() throws(Failure) -> VersionName? {
        guard let bytes = try FileTree.content(of: layout.current, limit: 4096) else { return nil }
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        do {
            return try VersionName(name)
        } catch {
            throw Failure(.corrupt, "\(layout.current) names no version: \(error)")
        }
    }

    /// Returns the manifests of all versions, oldest first.
    package func versions() throws(Failure) -> [Manifest] {
        var manifests: [Manifest] = []
        for name in try versionNames() {
            do {
                manifests.append(try manifest(of: name))
            } catch  where error.code == .unknownVersion {
                continue  // It was removed since the folder was listed.
            }
        }
        return manifests
    }

    /// Maps a version into memory, after verifying all its checksums.
    package func load(_ version: VersionName) throws(Failure) -> LoadedVersion {
        let manifest = try manifest(of: version)
        do {
            return LoadedVersion(
                manifest: manifest,
                model: try ModelFile.open(
                    FolderLayout.model(in: layout.version(version)), manifest: manifest, isOwn: hasOwnCopies))
        } catch {
            guard FileTree.exists(layout.version(version)) else { throw unknown(version) }
            throw error
        }
    }

    /// Returns the versions that pruning keeps.
    package func pinned() throws(Failure) -> Set<VersionName> {
        Set(try FileTree.names(in: layout.pins).compactMap { try? VersionName($0) })
    }

    /// Pins a listed version, or releases it.
    package func pin(_ version: VersionName, _ isPinned: Bool) throws(Failure) {
        try FolderLock.whileSwitching(in: layout) { () throws(Failure) in
            guard FileTree.exists(layout.version(version)) else { throw unknown(version) }
            try FileTree.makeSharedDirectory(layout.pins)
            try FileTree.remove(layout.pin(version))
            if isPinned { try FileTree.create(layout.pin(version), content: [], durability) }
            try FileTree.synchronizeDirectory(layout.pins, durability)
        }
    }

    /// Removes the oldest versions beyond `count`, and files of killed publishers.
    ///
    /// The current version and pinned ones stay.
    ///
    /// - Throws: `Failure.busy` if another process publishes or prunes.
    package func prune(keeping count: Int) throws(Failure) -> [VersionName] {
        guard FileTree.exists(layout.versions) else { return [] }
        return try FolderLock.whilePublishing(in: layout) { () throws(Failure) in
            let removed = try withdrawVersions(keeping: count)
            try removeRemains()
            return removed
        }
    }

    /// Removes files of killed processes.
    ///
    /// - Throws: `Failure.busy` if another process publishes or prunes.
    func sweep() throws(Failure) {
        guard FileTree.exists(layout.versions) else { return }
        try FolderLock.whilePublishing(in: layout) { () throws(Failure) in try removeRemains() }
    }

    /// Removes unfinished folders; under the lock, the processes that made them are dead.
    private func removeRemains() throws(Failure) {
        for name in try FileTree.names(in: layout.versions)
        where name.hasPrefix(FolderLayout.incomingPrefix) || name.hasPrefix(FolderLayout.removedPrefix) {
            try FileTree.removeDirectory(layout.versions + "/" + name)
        }
    }

    /// Takes old versions off the list; switching waits for this short step.
    private func withdrawVersions(keeping count: Int) throws(Failure) -> [VersionName] {
        try FolderLock.whileSwitching(in: layout) { () throws(Failure) in
            let doomed = VersionRetention.removable(
                try versionNames(), current: try current(), pinned: try pinned(), keeping: count)
            for name in doomed { try withdraw(name) }
            if !doomed.isEmpty { try FileTree.synchronizeDirectory(layout.versions, durability) }
            return doomed
        }
    }

    /// Takes a version off the list in one step, after removing the remains of an earlier removal.
    private func withdraw(_ version: VersionName) throws(Failure) {
        try FileTree.removeDirectory(layout.removed(version))
        try FileTree.move(layout.version(version), to: layout.removed(version))
    }

    private func remove(_ version: VersionName) throws(Failure) {
        guard FileTree.exists(layout.version(version)) else { return }
        try withdraw(version)
        try FileTree.removeDirectory(layout.removed(version))
    }

    /// Returns the names of all listed versions, oldest first, including damaged ones.
    package func versionNames() throws(Failure) -> [VersionName] {
        try FileTree.names(in: layout.versions).compactMap { try? VersionName($0) }.sorted()
    }

    func manifest(of version: VersionName) throws(Failure) -> Manifest {
        let path = FolderLayout.manifest(in: layout.version(version))
        guard let bytes = try FileTree.content(of: path, limit: ManifestJSON.maximumByteCount) else {
            guard FileTree.exists(layout.version(version)) else { throw unknown(version) }
            throw Failure(.corrupt, "\(path) is missing")
        }
        return try ManifestJSON.decode(bytes, version: version, origin: path)
    }

    private func unknown(_ version: VersionName) -> Failure {
        Failure(.unknownVersion, "there is no version \(version) in \(location)")
    }
}

extension FolderStore {
    /// Returns the text of the site's experiments.
    package func experiments() throws(Failure) -> [UInt8]? {
        try FileTree.content(of: layout.experiments, limit: Self.experimentsByteLimit)
    }

    /// Replaces the text of the site's experiments, in one step that survives a loss of power.
    package func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(Failure) -> Bool {
        try FileTree.makeDirectory(layout.directory)
        return try FolderLock.whileSwitching(in: layout) { () throws(Failure) in
            guard try experiments() == known else { return false }
            try FileTree.replace(layout.experiments, content: text, durability)
            return true
        }
    }

    package func site() throws(Failure) -> PublishedSite? {
        guard let bytes = try FileTree.content(of: layout.site, limit: Self.siteByteLimit) else { return nil }
        return try ManifestJSON.decodeSite(bytes, origin: layout.site)
    }

    /// Returns `nil` as well for a state that cannot be read; reading it then says why.
    package func siteMark() throws(Failure) -> [UInt8]? {
        (try? RegularFile.read(layout.site, limitBytes: ManifestJSON.markByteCount))?.bytes
    }

    /// Replaces the state of the site, in one step that survives a loss of power.
    package func setSite(_ site: PublishedSite) throws(Failure) {
        let content = try ManifestJSON.encode(site)
        try FileTree.makeDirectory(layout.directory)
        try FolderLock.whileSwitching(in: layout) { () throws(Failure) in
            try FileTree.replace(layout.site, content: content, durability)
        }
    }
}

/// The names in the folder of a store, which decides who may read and write them.
///
/// ```
/// current                     the name of the current version, and a line feed
/// versions/NAME/model.coterie the model file, in the layout of `ModelLayout`
/// versions/NAME/manifest.json its manifest
/// versions/NAME/members       its members (`PublishedMembers`), if they are published, for its owner
/// versions/NAME/members.N     the members who are left after forgotten ones were removed for the Nth time
/// versions/.incoming-NAME/    a version that is being written, or that a killed publisher left
/// versions/.removed-NAME/     a version that is being removed
/// pins/NAME                   an empty file; pruning keeps the version
/// daemons/HOST-PROCESS        a daemon's report about itself, JSON; valid for 20 seconds
/// lists/DAY-DAEMON            what members did with a daemon's lists on a day, as sums in JSON; valid for 35 days
/// endings/DIGEST              a session of the pages that was signed out; valid for eight hours
/// experiments.json            the site's experiments
/// site.json                   the state of the site (`PublishedSite`)
/// ledger                      the digests of forgotten members (`Ledger.text`), for its owner
/// .lock                       locked (flock) while a version is published or old ones are removed
/// .current.lock               locked for the moment of a switch, or of a change of the experiments
/// ```
struct FolderLayout: Sendable {
    static let incomingPrefix = ".incoming-"
    static let removedPrefix = ".removed-"

    let directory: String

    var current: String { directory + "/current" }
    var experiments: String { directory + "/experiments.json" }
    var site: String { directory + "/site.json" }
    var ledger: String { directory + "/ledger" }
    var versions: String { directory + "/versions" }
    var publisherLock: String { directory + "/.lock" }
    var currentLock: String { directory + "/.current.lock" }

    var pins: String { directory + "/pins" }

    func board(_ kind: BoardKind) -> String { "\(directory)/\(kind.rawValue)s" }
    func pin(_ name: VersionName) -> String { pins + "/" + name.description }
    func version(_ name: VersionName) -> String { versions + "/" + name.description }
    func incoming(_ name: VersionName) -> String { versions + "/" + Self.incomingPrefix + name.description }
    func removed(_ name: VersionName) -> String { versions + "/" + Self.removedPrefix + name.description }

    static func model(in folder: String) -> String { folder + "/model.coterie" }
    static func manifest(in folder: String) -> String { folder + "/manifest.json" }
    static func members(in folder: String) -> String { folder + "/members" }

    static func members(in folder: String, of manifest: Manifest) -> String {
        let number = manifest.erasure?.number ?? 0
        return members(in: folder) + (number == 0 ? "" : ".\(number)")
    }
}

/// The locks in the folder of a store; the system releases a lock when its process ends, even if it is killed.
enum FolderLock {
    /// Runs `body` with the lock of publishers, without waiting, because publishing takes long.
    ///
    /// - Throws: `Failure.busy` if another process has the lock.
    static func whilePublishing<Result>(in layout: FolderLayout, _ body: () throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        let file = try OpenFile(layout.publisherLock, for: .locking)
        guard try file.lock(waiting: false) else {
            throw Failure(
                .busy, "another process publishes to \(layout.directory) or prunes it: wait for it, then try again")
        }
        defer { file.unlock() }
        return try body()
    }

    /// Runs `body` with the lock of the current version, after waiting for the lock, because switching is quick.
    static func whileSwitching<Result>(in layout: FolderLayout, _ body: () throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        let file = try OpenFile(layout.currentLock, for: .locking)
        _ = try file.lock(waiting: true)
        defer { file.unlock() }
        return try body()
    }
}
