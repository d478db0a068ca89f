import Basics
import Glibc
import Model
import Redis
import Synchronization

/// The publishing of one version: take the lease, write, read back, list.
struct RedisPublication {
    let store: RedisStore
    let model: EncodedModel
    let manifest: Manifest
    let members: (any MemberSource)?

    private var layout: RedisLayout { store.layout }
    private var version: VersionName { manifest.version }

    /// A part of a version that is written, and read back, over its own connection; the slowest part first.
    private enum Part: CaseIterable {
        case members
        case sections
    }

    /// Publishes the version.
    ///
    /// - Returns: the manifest as it was written, with the report on members.
    func run(_ progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void) throws(Failure) -> Manifest {
        let total = manifest.byteCount + (members?.userCount ?? 0) * PackedMembers.bytesPerUser
        let done = Atomic<Int>(0)
        return try publish { count in
            if count > 0 { progress(done.add(count, ordering: .relaxed).newValue, total) }
        }
    }

    private func publish(_ advance: @Sendable (_ byteCount: Int) -> Void) throws(Failure) -> Manifest {
        var connection = try StoreConnection(to: store)
        var lease = try PublisherLease(&connection, layout: layout, location: store.location)
        let written: Manifest
        do throws(Failure) {
            written = try publish(&connection, &lease, advance)
        } catch {
            try? abandon(lease)
            throw error
        }
        try lease.release(&connection)
        return written
    }

    private func publish(
        _ connection: inout StoreConnection, _ lease: inout PublisherLease,
        _ advance: @Sendable (_ byteCount: Int) -> Void
    ) throws(Failure) -> Manifest {
        let writer = try RedisVersionWriter(layout, version, model)
        guard try connection.ask("ZSCORE", layout.versions, version.description) == .null else {
            throw Failure(.fileFailed, "version \(version) is published in \(store.location) already")
        }
        // A killed publisher of the same version may have left lists, which must not be mixed with the new ones.
        if try connection.ask("SISMEMBER", layout.incoming, version.description) == .integer(1) {
            try RedisVersionRemoval.remove(version, layout, &connection, lease: &lease)
        }
        let packed = members.map { PackedMembers($0, self.manifest.coding(groupCount: model.groupCount)) }
        let shape = VersionShape(model, idChunkCount: writer.idChunks.count, bucketCount: packed?.bucketCount ?? 0)
        try lease.announce(version, shape: shape, &connection)
        var manifest = manifest
        manifest.members = try write(by: writer, packed, lease, advance)
        var command = RedisCommand("SET", layout.manifest(version))
        command.append(try ManifestJSON.encode(manifest))
        _ = try connection.ask(command)
        try verify(manifest, shape, &connection, lease)
        try lease.list(manifest, &connection)
        return manifest
    }

    /// Writes everything except the manifest.
    ///
    /// - Returns: the manifest's report on members, or `nil` if there are none to publish.
    private func write(
        by writer: RedisVersionWriter, _ members: PackedMembers?, _ lease: PublisherLease,
        _ advance: @Sendable (_ byteCount: Int) -> Void
    ) throws(Failure) -> Manifest.MembersReport? {
        let memberWriter = members.map { RedisMemberWriter(layout.users(version), $0) }
        let report = Mutex<Manifest.MembersReport?>(nil)
        try inParallel(lease) { part, connection, lease throws(Failure) in
            switch part {
            case .sections: try writer.write(to: &connection, lease: &lease, progress: advance)
            case .members:
                let written = try memberWriter?.write(to: &connection, lease: &lease) { users in
                    advance(users * PackedMembers.bytesPerUser)
                }
                report.withLock { $0 = written }
            }
        }
        return report.withLock { $0 }
    }

    /// Reads everything back as a reader would, and compares it with the model and the manifest.
    private func verify(
        _ manifest: Manifest, _ shape: VersionShape, _ connection: inout StoreConnection, _ lease: PublisherLease
    ) throws(Failure) {
        guard VersionShape(try connection.ask("HGETALL", layout.shape(version))) == shape else {
            throw Failure(.corrupt, "\(layout.shape(version)) in \(store.location) is not what was written")
        }
        guard case .bytes(let bytes) = try connection.ask("GET", layout.manifest(version)),
            try ManifestJSON.decode(bytes, version: version, origin: layout.manifest(version)) == manifest
        else { throw Failure(.corrupt, "the manifest of \(version) in \(store.location) is not what was written") }
        let reader = try RedisVersionReader(layout: layout, manifest: manifest, shape: shape)
        let memberReader = manifest.members.map { RedisMemberReader(layout.users(version), version, $0) }
        try inParallel(lease) { part, connection, lease throws(Failure) in
            switch part {
            case .members: try memberReader?.read(from: &connection, heartbeat: { lease.renewal(&$0) })
            case .sections:
                try reader.read(from: &connection, heartbeat: { lease.renewal(&$0) }) {
                    bytes, name, offset throws(Failure) in
                    guard let section = model[name], section.holds(bytes, at: offset) else {
                        throw Failure(
                            .corrupt, "section \"\(name.rawValue)\" in \(store.location) is not what was written")
                    }
                }
            }
        }
    }

    /// The connection of a thread, with its copy of the lease.
    private struct Link: ~Copyable {
        var connection: StoreConnection
        var lease: PublisherLease
    }

    /// Runs `body` for each part, two at a time, because a server cannot answer more at once.
    private func inParallel(
        _ lease: PublisherLease,
        _ body: @Sendable (Part, inout StoreConnection, inout PublisherLease) throws(Failure) -> Void
    ) throws(Failure) {
        _ = try Parallel.map(
            Part.allCases.count, threads: 2,
            state: { _ throws(Failure) in Link(connection: try StoreConnection(to: store), lease: lease) }
        ) { link, parts throws(Failure) in
            try body(Part.allCases[parts.lowerBound], &link.connection, &link.lease)
        }
    }

    /// Removes the keys written so far, over a new connection; if that fails too, the next pruning removes them.
    private func abandon(_ lease: PublisherLease) throws(Failure) {
        var connection = try StoreConnection(to: store)
        var lease = lease
        try lease.confirm(&connection)
        if try connection.ask("SISMEMBER", layout.incoming, version.description) == .integer(1) {
            try RedisVersionRemoval.remove(version, layout, &connection, lease: &lease)
        }
        try lease.release(&connection)
    }
}

extension EncodedModel.Section {
    /// Whether the section has the given bytes at an offset.
    func holds(_ other: RawSpan, at offset: Int) -> Bool {
        guard offset >= 0, other.byteCount <= bytes.count - offset else { return false }
        let count = other.byteCount
        return unsafe other.withUnsafeBytes { other in
            unsafe bytes.withUnsafeBytes { mine in
                guard let start = mine.baseAddress, let other = other.baseAddress else { return true }
                return unsafe memcmp(start + offset, other, count) == 0
            }
        }
    }
}
