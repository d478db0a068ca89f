import Model
import Redis

/// One publishing: take the lease, write, read back, list.
struct RedisPublication {
    let store: RedisStore
    let model: EncodedModel
    let manifest: Manifest
    let members: (any MemberSource)?

    private var layout: RedisLayout { store.layout }
    private var version: VersionName { manifest.version }

    /// A user's name and groups take about so many bytes on the way to the server, and most of the time of publishing.
    private static let bytesPerUser = 160

    /// - Returns: the manifest as it was written, with what it says of members.
    func run(_ progress: (_ doneBytes: Int, _ totalBytes: Int) -> Void) throws(StoreError) -> Manifest {
        let total = manifest.byteCount + (members?.userCount ?? 0) * Self.bytesPerUser
        var done = 0
        return try withoutActuallyEscaping(progress) { progress throws(StoreError) in
            func advance(by count: Int) {
                done += count
                if count > 0 { progress(done, total) }
            }
            let writer = try RedisVersionWriter(layout, version, model, progress: advance)
            let memberWriter = RedisMemberWriter(layout, version) { users in advance(by: users * Self.bytesPerUser) }
            var connection = try StoreConnection(to: store.address)
            var lease = try PublisherLease(&connection, layout: layout, location: store.location)
            let written: Manifest
            do throws(StoreError) {
                written = try publish(writer, memberWriter, &connection, &lease)
            } catch {
                try? abandon(lease)
                throw error
            }
            try lease.release(&connection)
            return written
        }
    }

    private func publish(
        _ writer: RedisVersionWriter, _ memberWriter: RedisMemberWriter, _ connection: inout StoreConnection,
        _ lease: inout PublisherLease
    ) throws(StoreError) -> Manifest {
        guard try connection.ask("ZSCORE", layout.versions, version.description) == .null else {
            throw StoreError(.writeFailed, "version \(version) is published in \(store.location) already")
        }
        // Left by a publisher of the same version that was killed: its lists must not be mixed with these.
        if try connection.ask("SISMEMBER", layout.incoming, version.description) == .integer(1) {
            try RedisVersionRemoval.remove(version, layout, &connection, lease: &lease)
        }
        let shape = VersionShape(model, idChunkCount: writer.idChunks.count, userCount: members?.userCount)
        try lease.announce(version, shape: shape, &connection)
        try writer.write(to: &connection, lease: &lease)
        var (memberWriter, manifest) = (memberWriter, manifest)
        if let members {
            manifest.members = try memberWriter.write(members, shape: shape, to: &connection, lease: &lease)
        }
        var command = RedisCommand("SET", layout.manifest(version))
        command.append(try ManifestJSON.encode(manifest))
        _ = try connection.ask(command)
        try verify(manifest, shape, &connection, &lease)
        if let report = manifest.members {
            try RedisMemberReader(layout, version, report)
                .read(from: &connection, heartbeat: { lease.renewal(&$0) })
        }
        try lease.list(manifest, &connection)
        return manifest
    }

    /// Reads everything back as a reader would and compares it with what was to be written.
    private func verify(
        _ manifest: Manifest, _ shape: VersionShape, _ connection: inout StoreConnection,
        _ lease: inout PublisherLease
    ) throws(StoreError) {
        guard VersionShape(try connection.ask("HGETALL", layout.shape(version))) == shape else {
            throw StoreError(.corrupt, "\(layout.shape(version)) in \(store.location) is not what was written")
        }
        guard case .bytes(let bytes) = try connection.ask("GET", layout.manifest(version)),
            try ManifestJSON.decode(bytes, version: version, origin: layout.manifest(version)) == manifest
        else { throw StoreError(.corrupt, "the manifest of \(version) in \(store.location) is not what was written") }
        let reader = try RedisVersionReader(
            layout: layout, manifest: manifest, shape: shape)
        try reader.read(from: &connection, heartbeat: { lease.renewal(&$0) }) {
            bytes, name, offset throws(StoreError) in
            guard let section = model[name], section.holds(bytes, at: offset) else {
                throw StoreError(.corrupt, "section \"\(name.rawValue)\" in \(store.location) is not what was written")
            }
        }
    }

    /// Removes what was written, over a new connection; if that fails too, the next pruning does it.
    private func abandon(_ lease: PublisherLease) throws(StoreError) {
        var connection = try StoreConnection(to: store.address)
        var lease = lease
        try lease.confirm(&connection)
        if try connection.ask("SISMEMBER", layout.incoming, version.description) == .integer(1) {
            try RedisVersionRemoval.remove(version, layout, &connection, lease: &lease)
        }
        try lease.release(&connection)
    }
}

extension EncodedModel.Section {
    /// Whether the section has these bytes at an offset.
    func holds(_ other: RawSpan, at offset: Int) -> Bool {
        guard offset >= 0, other.byteCount <= bytes.count - offset else { return false }
        return unsafe other.withUnsafeBytes { other in
            unsafe bytes.withUnsafeBytes { mine in
                unsafe UnsafeRawBufferPointer(rebasing: mine[offset..<offset + other.count]).elementsEqual(other)
            }
        }
    }
}
