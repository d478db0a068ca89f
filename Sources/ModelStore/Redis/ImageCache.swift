import Glibc
import Model
import Redis

/// Images of versions that were loaded from a server: model files in a local folder store.
struct ImageCache: Sendable {
    /// How many of the newest images stay when another one is installed; the one that was remembered stays too.
    private static let imagesKept = 2
    /// How long to wait for another process that installs an image in the same directory, in tenths of a second.
    private static let patienceTenths = 600

    private let folder: FolderStore

    init(_ directory: String, hasOwnCopies: Bool) {
        folder = FolderStore(directory, durability: .processEnd, hasOwnCopies: hasOwnCopies)
    }

    /// The name of a server's folder of images: the version remembered must never be one of another community.
    static func folderName(of address: RedisAddress, prefix: String) -> String {
        let name = address.sentinels.map { "\($0.name)@" } ?? ""
        return "\(name)\(address.host):\(address.port):\(address.database):\(prefix)".utf8.reduce(into: "") {
            name, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
            name += isPlain || ".:-_".unicodeScalars.contains(scalar) ? String(scalar) : "%" + String(byte, radix: 16)
        }
    }

    /// The verified image of a version; nil if there is none, or it is damaged.
    func image(of version: VersionName) -> LoadedVersion? { try? folder.load(version) }

    /// Notes that a version is the one to serve while the server is away.
    func remember(_ version: VersionName) throws(StoreError) {
        // A file that a loss of power left unreadable is replaced.
        if (try? folder.current()) != version { try folder.makeCurrent(version) }
    }

    /// The image of the version remembered; if it is damaged, or there is none, the newest that is not.
    func lastLoaded() throws(StoreError) -> LoadedVersion? {
        if let current = try? folder.current(), let image = image(of: current) { return image }
        for version in try folder.versionNames().reversed() {
            if let image = image(of: version) { return image }
        }
        return nil
    }

    /// Installs an image whose bytes `write` fetches, in place of one that is damaged or outdated, and removes old
    /// ones.
    func install(_ manifest: Manifest, write: (borrowing ModelFileWriter) throws(StoreError) -> Void)
        throws(StoreError) -> LoadedVersion
    {
        // Before: the image to come may be that of an older version than those that stay.
        _ = try folder.prune(keeping: Self.imagesKept)
        for _ in 0..<Self.patienceTenths {
            do throws(StoreError) {
                return try folder.install(manifest, replacing: true, write: write)
            } catch {
                guard error.code == .busy else { throw error }
            }
            // Another process, which shares the directory, may be installing this very version.
            usleep(100_000)
            if let image = image(of: manifest.version), image.manifest == manifest { return image }
        }
        throw StoreError(.busy, "another process has been installing an image in \(folder.location) for a minute")
    }

    /// The verified member table beside a version's image; nil if there is none, or it is damaged or of another
    /// manifest.
    func members(of loaded: LoadedVersion, _ report: Manifest.MembersReport) -> PublishedMembers? {
        try? table(membersPath(of: loaded), loaded, report)
    }

    /// Makes the member table beside a version's image; `write` writes it to the path that it is given.
    func installMembers(
        of loaded: LoadedVersion, _ report: Manifest.MembersReport,
        write: (_ path: String) throws(StoreError) -> Void
    ) throws(StoreError) -> PublishedMembers {
        let path = membersPath(of: loaded)
        // Others that share the directory may be making the same.
        let draft = "\(path)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        do {
            try write(draft)
            try FileTree.move(draft, to: path)
        } catch {
            unsafe unlink(draft)
            throw error
        }
        return try table(path, loaded, report)
    }

    private func table(_ path: String, _ loaded: LoadedVersion, _ report: Manifest.MembersReport) throws(StoreError)
        -> PublishedMembers
    {
        try PublishedMembers(path, report, groupCount: loaded.model.groupCount, isOwn: folder.hasOwnCopies)
    }

    /// Removes what processes left that were killed while they installed something; what others install stays.
    ///
    /// - Throws: `StoreError.busy` if another process installs an image: then nothing is removed.
    func sweep() throws(StoreError) {
        try folder.sweep()
        for version in try folder.versionNames() {
            let directory = folder.layout.version(version)
            for name in try FileTree.names(in: directory) where name.hasPrefix(Self.membersName + "-") {
                let path = directory + "/" + name
                // Who writes a table holds a lock on it.
                guard let draft = try? OpenFile(path, for: .reading), try draft.lock(waiting: false) else { continue }
                unsafe unlink(path)
            }
        }
    }

    private static let membersName = "members"

    private func membersPath(of loaded: LoadedVersion) -> String {
        folder.layout.version(loaded.manifest.version) + "/" + Self.membersName
    }
}
