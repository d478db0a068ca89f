import Basics
import Glibc
import Model
import Redis

/// The local images of versions that were loaded from a server: model files in a folder store.
struct ImageCache: Sendable {
    /// The number of newest images kept when another one is installed; the remembered version's image stays too.
    private static let imagesKept = 2
    /// The longest wait for another process that installs an image in the same directory, in tenths of a second.
    private static let patienceTenths = 600

    private let folder: FolderStore

    init(_ directory: String, hasOwnCopies: Bool) {
        folder = FolderStore(directory, durability: .processEnd, hasOwnCopies: hasOwnCopies)
    }

    /// Returns the name of the folder for a server's images.
    ///
    /// Servers and prefixes have separate folders, because a remembered version must not come from another community.
    static func folderName(of address: RedisAddress, prefix: String) -> String {
        let name = address.sentinels.map { "\($0.name)@" } ?? ""
        return "\(name)\(address.host):\(address.port):\(address.database):\(prefix)".utf8.reduce(into: "") {
            name, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
            name += isPlain || ".:-_".unicodeScalars.contains(scalar) ? String(scalar) : "%" + String(byte, radix: 16)
        }
    }

    /// Returns the verified image of a version, or `nil` if it is missing or damaged.
    func image(of version: VersionName) -> LoadedVersion? { try? folder.load(version) }

    /// Returns the verified image of a version, or `nil` if it is missing, damaged or not that of a manifest.
    ///
    /// The members of a version may have been erased or made anew since; then the image gets the new manifest.
    func image(of manifest: Manifest) -> LoadedVersion? {
        guard let image = image(of: manifest.version) else { return nil }
        var same = image.manifest
        (same.members, same.erasure) = (manifest.members, manifest.erasure)
        guard same == manifest else { return nil }
        if image.manifest != manifest { try? folder.replaceManifest(manifest) }
        return LoadedVersion(manifest: manifest, model: image.model)
    }

    /// Records the version that serves while the server is away.
    func remember(_ version: VersionName) throws(Failure) {
        // A file that a loss of power made unreadable is replaced.
        if (try? folder.current()) != version { try folder.makeCurrent(version) }
    }

    /// Keeps the state of the site for the time when the server is away; a failure leaves the earlier one.
    func keep(_ site: PublishedSite) {
        if self.site() != site { try? folder.setSite(site) }
    }

    /// Returns the state of the site that was kept last, or `nil` if there is none.
    func site() -> PublishedSite? { try? folder.site() }

    /// Returns the image of the remembered version, or else the newest undamaged image, if any.
    func lastLoaded() throws(Failure) -> LoadedVersion? {
        if let current = try? folder.current(), let image = image(of: current) { return image }
        for version in try folder.versionNames().reversed() {
            if let image = image(of: version) { return image }
        }
        return nil
    }

    /// Installs an image whose bytes `write` fetches, and removes old images.
    ///
    /// A damaged or outdated image of the same version is replaced.
    func install(_ manifest: Manifest, write: (borrowing ModelFileWriter) throws(Failure) -> Void)
        throws(Failure) -> LoadedVersion
    {
        do throws(Failure) { return try installed(manifest, write) } catch { throw Self.namingOption(error) }
    }

    private func installed(_ manifest: Manifest, _ write: (borrowing ModelFileWriter) throws(Failure) -> Void)
        throws(Failure) -> LoadedVersion
    {
        // Pruning comes first: the new image may have an older version than the images that stay.
        _ = try folder.prune(keeping: Self.imagesKept)
        for _ in 0..<Self.patienceTenths {
            do throws(Failure) {
                return try folder.install(manifest, replacing: true, write: write)
            } catch {
                guard error.code == .busy else { throw error }
            }
            // Another process that shares the directory may be installing the same version.
            usleep(100_000)
            if let image = image(of: manifest) { return image }
        }
        throw Failure(.busy, "another process has been installing an image in \(folder.location) for a minute")
    }

    /// Returns an error that also says how to name another folder, if this one cannot be written.
    private static func namingOption(_ error: Failure) -> Failure {
        guard error.code == .fileFailed else { return error }
        return Failure(.fileFailed, error.message + "; --cache names another folder for versions from Redis")
    }

    /// Returns the member table beside a version's image.
    ///
    /// - Returns: the table, or `nil` if it is missing, damaged or from another manifest.
    func members(of loaded: LoadedVersion) -> PublishedMembers? { try? folder.members(of: loaded) }

    /// Creates the member table beside a version's image; `write` writes it to the path that it receives.
    func installMembers(
        of loaded: LoadedVersion, write: (_ path: String) throws(Failure) -> Void
    ) throws(Failure) -> PublishedMembers? {
        let path = FolderLayout.members(in: folder.layout.version(loaded.manifest.version), of: loaded.manifest)
        // Another process that shares the directory may be creating the same table.
        let draft = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        do {
            try write(draft)
            try FileTree.move(draft, to: path)
        } catch {
            try? FileTree.remove(draft)
            throw Self.namingOption(error)
        }
        return try folder.members(of: loaded)
    }

    /// Removes unfinished files of killed processes; files of running processes stay.
    ///
    /// - Throws: `Failure.busy` if another process installs an image. Then nothing is removed.
    func sweep() throws(Failure) {
        try folder.sweep()
        for version in try folder.versionNames() {
            let directory = folder.layout.version(version)
            for name in try FileTree.names(in: directory) {
                let path = directory + "/" + name
                let isDraft = path.hasPrefix(FolderLayout.members(in: directory) + "-")
                if isDraft, OpenFile.isAbandoned(path) { try? FileTree.remove(path) }
            }
        }
    }
}
