package import Basics
package import Model
package import Redis
import Synchronization

/// A store of model versions in a Redis server that several daemons share.
///
/// Readers in any language find the groups' neighbours under the keys of `RedisLayout`. A daemon loads a version once,
/// into an image in a local directory. The image has the same bytes as the model file of a folder store. After that,
/// the daemon does not ask Redis about groups.
package final class RedisStore: SharedStore {
    let address: RedisAddress
    let layout: RedisLayout
    let images: ImageCache
    let silence = ServerSilence()
    private let link: RedisLink
    /// The timeout of short commands, which are sent while somebody waits for a list.
    private static let questionTimeout = Duration.seconds(2)
    /// The members of the version that was asked about last, for callers that do not keep them.
    private let lastMembers = Mutex<(version: VersionName, table: PublishedMembers?)?>(nil)

    /// Creates a store, which connects when it is first used.
    ///
    /// - Parameters:
    ///   - cacheDirectory: the directory for images of loaded versions, with a folder for each server and prefix.
    ///     Daemons on a machine may share it.
    ///   - prefix: the start of all keys. Stores with different prefixes are independent.
    ///   - hasOwnCopies: whether loaded versions are private copies, as in `FolderStore`.
    package init(
        _ address: RedisAddress, cacheDirectory: String, prefix: String = "coterie:", hasOwnCopies: Bool = false
    ) {
        self.address = address
        link = RedisLink(to: address, timeout: Self.questionTimeout, silence)
        layout = RedisLayout(prefix: prefix)
        images = ImageCache(
            "\(cacheDirectory)/\(ImageCache.folderName(of: address, prefix: prefix))", hasOwnCopies: hasOwnCopies)
    }

    /// The server's address, without the password.
    package var location: String { address.description }

    package var shared: (any SharedStore)? { self }

    /// Returns a board of daemons, kept as keys of this store.
    package func board(of kind: BoardKind) -> (any DaemonBoard)? { RedisBoard(store: self, kind: kind) }

    /// Writes a version and its members, reads everything back, compares it and lists the version.
    ///
    /// - Throws: `Failure.busy` if another process publishes or prunes. `fileFailed` if the server is out of memory
    ///   or the version exists. `unavailable` if the server cannot be reached, `replica` if it is a replica. `corrupt`
    ///   if the data differs when it is read back.
    package func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(Failure) -> Manifest {
        try RedisPublication(store: self, model: model, manifest: manifest.describing(model), members: members)
            .run(progress)
    }

    /// Makes a listed version current and publishes its name on a channel, in one atomic step.
    ///
    /// No part of this program subscribes to the channel. So a user without the right to publish can still switch.
    package func makeCurrent(_ version: VersionName) throws(Failure) {
        let script = """
            if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
            local time = redis.call('TIME')
            local milliseconds = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
            redis.call('SET', KEYS[2], ARGV[1]) redis.call('SET', KEYS[3], ARGV[1] .. ' ' .. milliseconds)
            redis.pcall('PUBLISH', KEYS[2], ARGV[1]) return 1
            """
        let reply = try run(script, "3", layout.versions, layout.current, layout.switched, version.description)
        guard reply == .integer(1) else { throw unknown(version) }
    }

    /// Returns the current version, or `nil` if there never was one.
    package func current() throws(Failure) -> VersionName? {
        let reply = try ask(RedisCommand("GET", layout.current))
        return reply == .null ? nil : try versionName(reply)
    }

    /// Returns the time at which the current version became current, by the server's clock, in Unix milliseconds.
    ///
    /// - Returns: the time, or `nil` if no version is current.
    package func currentSince() throws(Failure) -> Int64? {
        guard case .array(let values) = try ask(RedisCommand("MGET", layout.current, layout.switched)),
            values.count == 2, let current = values[0].text,
            let words = values[1].text?.split(separator: " "), words.count == 2, words[0] == current
        else { return nil }
        return Int64(words[1])
    }

    /// Returns the names of all listed versions, oldest first.
    package func versionNames() throws(Failure) -> [VersionName] { try listedVersions() }

    /// Returns the manifests of all listed versions, oldest first.
    package func versions() throws(Failure) -> [Manifest] {
        let names = try listedVersions()
        guard !names.isEmpty else { return [] }
        var command = RedisCommand("MGET")
        for name in names { command.append(layout.manifest(name)) }
        guard case .array(let replies) = try ask(command), replies.count == names.count else {
            throw Failure(.corrupt, "\(location) did not answer with a manifest a version")
        }
        var manifests: [Manifest] = []
        for (name, reply) in zip(names, replies) {
            // A version that was removed after the listing is skipped.
            if reply == .null, try !isListed(name) { continue }
            manifests.append(try decodeManifest(reply, name))
        }
        return manifests
    }

    /// Returns a version from its verified image on this machine, or else fetches it into an image.
    ///
    /// - Throws: `Failure.unknownVersion` if the version is not listed. `unavailable` if the server is away and
    ///   there is no image.
    package func load(_ version: VersionName) throws(Failure) -> LoadedVersion {
        let manifest: Manifest
        do {
            manifest = try listedManifest(version)
        } catch  where error.code.isOutOfReach {
            // A daemon must start and go on without the server, if this machine ever loaded the version.
            guard let image = images.image(of: version) else { throw error }
            return image
        }
        if let image = images.image(of: manifest) { return image }
        do {
            return try images.install(manifest) { writer throws(Failure) in try fetch(manifest, into: writer) }
        } catch  where error.code == .corrupt {
            guard try isListed(version) else { throw unknown(version) }
            throw error
        }
    }

    /// Records the loaded version that serves while the server is away.
    package func remember(_ version: VersionName) throws(Failure) { try images.remember(version) }

    /// Returns the remembered version's image, which a daemon serves while the server is away.
    ///
    /// If that image is damaged or missing, the newest undamaged image takes its place.
    ///
    /// - Returns: the image, or `nil` if there is none.
    package func lastLoaded() throws(Failure) -> LoadedVersion? { try images.lastLoaded() }

    /// Removes unfinished files of killed processes from the cache folder; files of running processes stay.
    ///
    /// - Throws: `Failure.busy` if another process installs an image.
    package func sweep() throws(Failure) { try images.sweep() }

    /// Returns a published member, or `nil` if the version has no members or not this one.
    ///
    /// All members are fetched, because a bucket in Redis can only be verified together with all others.
    package func member(withID id: String, in version: VersionName) throws(Failure) -> PublishedMember? {
        if let known = lastMembers.withLock({ $0 }), known.version == version {
            return try known.table?.member(withID: id)
        }
        let table = try members(of: load(version))
        lastMembers.withLock { $0 = (version, table) }
        return try table?.member(withID: id)
    }

    /// Returns all published members from the file beside the version's image, or else fetches them into a file.
    ///
    /// - Throws: `Failure.unavailable` if the server is away and there is no file. `corrupt` if the server's data
    ///   differs from the manifest.
    package func members(of loaded: LoadedVersion) throws(Failure) -> PublishedMembers? {
        let version = loaded.manifest.version
        guard let report = loaded.manifest.members else { return nil }
        if let table = images.members(of: loaded) { return table }
        var connection = try StoreConnection(to: self)
        do throws(Failure) {
            return try images.installMembers(of: loaded) { path throws(Failure) in
                var writer = try PublishedMembersWriter(path)
                try RedisMemberReader(layout.users(version), version, report).read(
                    from: &connection,
                    take: { bucket, checksum throws(Failure) in
                        try writer.append(bucket, checksum: checksum)
                    })
                try writer.finish()
            }
        } catch  where error.code == .corrupt {
            let present = try listedManifest(version)
            guard present.erasure != loaded.manifest.erasure else { throw error }
            // Members have been erased or made anew since the version was loaded.
            return try members(of: LoadedVersion(manifest: present, model: loaded.model))
        }
    }

    /// Removes forgotten members: replaces the buckets that had them, and the manifest, in one step.
    package func eraseMembers(
        of version: VersionName, mark: String, at now: Int64, where isForgotten: (_ id: ArraySlice<UInt8>) -> Bool
    ) throws(Failure) -> Int {
        try whilePublishing { connection, lease throws(Failure) in
            let manifest = try listedManifest(version)
            guard let report = manifest.members else { return 0 }
            var erasure = MemberErasure(of: report)
            var number = 0
            try RedisMemberReader(layout.users(version), version, report).read(
                from: &connection, heartbeat: { lease.renewal(&$0) },
                take: { bucket, checksum throws(Failure) in
                    let bytes = unsafe bucket.withUnsafeBufferPointer { unsafe Array($0) }
                    erasure.take(bytes, number: number, checksum: checksum, where: isForgotten)
                    number += 1
                })
            let present = erasure.manifest(from: manifest, mark: mark, at: now)
            try lease.replace(present, erasure.buckets, &connection)
            return erasure.count
        }
    }

    /// Replaces the members: writes the new ones beside them, and then exchanges all in one step.
    package func replaceMembers(
        of version: VersionName, by members: any MemberSource, _ renewed: (Manifest) -> Manifest
    ) throws(Failure) {
        try whilePublishing { connection, lease throws(Failure) in
            let manifest = try listedManifest(version)
            guard let report = manifest.members else { return }
            let (count, stem) = (report.bucketCount, layout.renewedUsers(version))
            let packed = PackedMembers(
                members, manifest.coding(groupCount: manifest.groups.included), bucketCount: count)
            // A killed process may have left some.
            try RedisVersionRemoval.removeKeys([(stem, count)], &connection, lease: &lease)
            var present = renewed(manifest)
            do throws(Failure) {
                let report = try RedisMemberWriter(stem, packed).write(to: &connection, lease: &lease) { _ in }
                present.members = report
                try RedisMemberReader(stem, version, report).read(
                    from: &connection, heartbeat: { lease.renewal(&$0) })
                guard try lease.exchange(present, count: count, &connection) else { throw unknown(version) }
            } catch {
                try? RedisVersionRemoval.removeKeys([(stem, count)], &connection, lease: &lease)
                throw error
            }
        }
    }

    /// The changes and sessions that the daemons of this server and prefix share.
    package var channel: SharedChannel { SharedChannel(self) }

    /// Returns the versions that pruning keeps.
    package func pinned() throws(Failure) -> Set<VersionName> {
        guard case .array(let members) = try ask(RedisCommand("SMEMBERS", layout.pins)) else { return [] }
        var names: Set<VersionName> = []
        for member in members { names.insert(try versionName(member)) }
        return names
    }

    /// Pins a listed version, or releases it, in one atomic step.
    package func pin(_ version: VersionName, _ isPinned: Bool) throws(Failure) {
        let script = """
            if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
            redis.call(ARGV[2], KEYS[2], ARGV[1]) return 1
            """
        let reply = try run(
            script, "2", layout.versions, layout.pins, version.description, isPinned ? "SADD" : "SREM")
        guard reply == .integer(1) else { throw unknown(version) }
    }

    /// Runs a script that needs next to no memory, also on a server whose memory is full.
    ///
    /// - Parameter words: the number of keys, the keys and the arguments.
    private func run(_ script: String, _ words: String...) throws(Failure) -> RedisReply {
        func command(_ script: String) -> RedisCommand {
            var command = RedisCommand("EVAL", script)
            for word in words { command.append(word) }
            return command
        }
        do throws(Failure) { return try ask(command(script)) } catch  where error.isOfFullServer {
            return try ask(command(RedisCommand.evenIfFull + script))
        }
    }

    /// Removes the oldest versions beyond `count`, and keys of killed publishers.
    ///
    /// The current version and pinned ones stay.
    ///
    /// - Throws: `Failure.busy` if another process publishes or prunes.
    package func prune(keeping count: Int) throws(Failure) -> [VersionName] {
        try whilePublishing { connection, lease throws(Failure) in
            var removed: [VersionName] = []
            let doomed = VersionRetention.removable(
                try listedVersions(), current: try current(), pinned: try pinned(), keeping: count)
            for version in doomed where try lease.withdraw(version, &connection) {
                removed.append(version)
            }
            try RedisVersionRemoval.removeUnlisted(layout, &connection, lease: &lease)
            return removed
        }
    }

    /// Runs `body` with the lease of publishers, which is released at the end.
    private func whilePublishing<Result>(
        _ body: (inout StoreConnection, inout PublisherLease) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var connection = try StoreConnection(to: self)
        var lease = try PublisherLease(&connection, layout: layout, location: location)
        do throws(Failure) {
            let result = try body(&connection, &lease)
            try lease.release(&connection)
            return result
        } catch {
            // If this fails too, the lease expires by itself.
            try? lease.release(&connection)
            throw error
        }
    }
}

extension RedisStore {
    /// Sends a short, idempotent command.
    func ask(_ command: RedisCommand) throws(Failure) -> RedisReply { try link.ask(command) }

    func isListed(_ version: VersionName) throws(Failure) -> Bool {
        try ask(RedisCommand("ZSCORE", layout.versions, version.description)) != .null
    }

    func unknown(_ version: VersionName) -> Failure {
        Failure(.unknownVersion, "there is no version \(version) in \(location)")
    }

    private func listedVersions() throws(Failure) -> [VersionName] {
        guard case .array(let members) = try ask(RedisCommand("ZRANGE", layout.versions, "0", "-1")) else { return [] }
        var names: [VersionName] = []
        for member in members { names.append(try versionName(member)) }
        return names.sorted()
    }

    private func versionName(_ reply: RedisReply) throws(Failure) -> VersionName {
        guard let text = reply.text, let name = try? VersionName(text) else {
            throw Failure(.corrupt, "\(location) has something under \(layout.prefix) that is no name of a version")
        }
        return name
    }

    private func listedManifest(_ version: VersionName) throws(Failure) -> Manifest {
        guard try isListed(version) else { throw unknown(version) }
        return try decodeManifest(ask(RedisCommand("GET", layout.manifest(version))), version)
    }

    private func decodeManifest(_ reply: RedisReply, _ version: VersionName) throws(Failure) -> Manifest {
        let origin = "\(layout.manifest(version)) in \(location)"
        guard case .bytes(let bytes) = reply else { throw Failure(.corrupt, "\(origin) is missing") }
        return try ManifestJSON.decode(bytes, version: version, origin: origin)
    }

    private func shape(of version: VersionName) throws(Failure) -> VersionShape {
        guard let shape = VersionShape(try ask(RedisCommand("HGETALL", layout.shape(version)))) else {
            guard try isListed(version) else { throw unknown(version) }
            throw Failure(.corrupt, "\(layout.shape(version)) in \(location) is missing or damaged")
        }
        return shape
    }

    private func fetch(_ manifest: Manifest, into writer: borrowing ModelFileWriter) throws(Failure) {
        var connection = try StoreConnection(to: self)
        let reader = try RedisVersionReader(
            layout: layout, manifest: manifest, shape: try shape(of: manifest.version))
        try reader.read(from: &connection) { bytes, name, offset throws(Failure) in
            try writer.write(bytes, to: name, at: offset)
        }
    }
}

extension RedisStore {
    /// Returns the text of the site's experiments.
    package func experiments() throws(Failure) -> [UInt8]? {
        switch try ask(RedisCommand("GET", layout.experiments)) {
        case .null: return nil
        case .bytes(let text) where text.count <= Self.experimentsByteLimit: return text
        default: throw Failure(.corrupt, "\(layout.experiments) in \(location) is not the text of experiments")
        }
    }

    /// Replaces the text of the site's experiments, in one atomic step.
    package func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(Failure) -> Bool {
        // The command may be sent twice. The second time, the new text is already there.
        let script = """
            local found = redis.call('GET', KEYS[1]) or ''
            if found == ARGV[2] then return 1 end
            if found ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[1], ARGV[2]) return 1
            """
        var command = RedisCommand("EVAL", script, "1", layout.experiments)
        command.append(known ?? [])
        command.append(text)
        return try ask(command) == .integer(1)
    }

    /// Returns the state of the site, and keeps it on this machine.
    ///
    /// While the server is out of reach, or has lost it, the state that was kept last is returned.
    package func site() throws(Failure) -> PublishedSite? {
        do throws(Failure) {
            switch try ask(RedisCommand("GET", layout.site)) {
            case .null: return images.site()
            case .bytes(let bytes):
                let site = try ManifestJSON.decodeSite(bytes, origin: "\(layout.site) in \(location)")
                images.keep(site)
                return site
            default: throw Failure(.corrupt, "\(layout.site) in \(location) is no text: recompute")
            }
        } catch {
            guard error.code.isOutOfReach, let kept = images.site() else { throw error }
            return kept
        }
    }

    /// Returns `nil` while the server has none, or is out of reach.
    package func siteMark() throws(Failure) -> [UInt8]? {
        let last = String(ManifestJSON.markByteCount - 1)
        guard case .bytes(let bytes) = try ask(RedisCommand("GETRANGE", layout.site, "0", last)), !bytes.isEmpty
        else { return nil }
        return bytes
    }

    /// Replaces the state of the site, in one step.
    package func setSite(_ site: PublishedSite) throws(Failure) {
        var command = RedisCommand("SET", layout.site)
        command.append(try ManifestJSON.encode(site))
        _ = try ask(command)
    }
}
