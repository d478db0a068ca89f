import Model
import Redis

/// Writes who joined what, and verifies it.
struct RedisProfileWriter {
    /// Replies outstanding while single users are written, and while whole buckets are read.
    private static let writeWindow = 1024
    private static let readWindow = 64

    let layout: RedisLayout
    let version: VersionName
    let progress: (_ writtenUsers: Int) -> Void
    /// The sum of the checksums of what was written: the same in whatever order users are read back.
    private var sum: UInt64 = 0
    private var userCount = 0

    /// Progress is told once in so many users.
    private static let usersPerReport = 4096

    init(_ layout: RedisLayout, _ version: VersionName, progress: @escaping (_ writtenUsers: Int) -> Void) {
        self.layout = layout
        self.version = version
        self.progress = progress
    }

    /// Writes a field for every user.
    mutating func write(
        _ profiles: any ProfileSource, shape: VersionShape, to connection: inout StoreConnection,
        lease: inout PublisherLease
    ) throws(StoreError) {
        let stem = layout.joinedStem(version)
        var command = RedisCommand()
        var written: [UInt8] = []
        try profiles.forEachUser { id, groups throws(StoreError) in
            written.removeAll(keepingCapacity: true)
            written.append(contentsOf: id.utf8)
            guard JoinedGroupsCoding.append(groups, to: &written), groups.last ?? 0 < max(1, shape.groupCount)
            else {
                throw StoreError(.corrupt, "the groups that \(id) joined do not ascend, or are none of this version")
            }
            command.replace(with: "HSET")
            command.appendKey(stem, RedisLayout.bucket(ofUser: id.utf8, of: shape.bucketCount))
            command.append(id)
            command.append(written[id.utf8.count...])
            sum &+= unsafe written.withUnsafeBytes { unsafe Checksum.number(of: $0) }
            userCount += 1
            if userCount.isMultiple(of: Self.usersPerReport) { progress(Self.usersPerReport) }
            try connection.push(command, window: Self.writeWindow) { _ in }
            if lease.renewal(&command) { try connection.push(command, window: Self.writeWindow) { _ in } }
        }
        try connection.finish { _ in }
        progress(userCount % Self.usersPerReport)
    }

    /// Reads all buckets back and compares them with what was written.
    ///
    /// - Throws: `StoreError.corrupt` if they differ.
    func verify(_ shape: VersionShape, _ connection: inout StoreConnection, lease: inout PublisherLease)
        throws(StoreError)
    {
        var readSum: UInt64 = 0
        var readCount = 0
        var field: [UInt8] = []
        func take(_ reply: borrowing ReceivedReply) throws(StoreError) {
            for place in 0..<(reply.elementCount ?? 0) {
                // Fields and values take turns.
                if place.isMultiple(of: 2) { field.removeAll(keepingCapacity: true) }
                try reply.withBytes(ofElement: place, orThrow: differs) { bytes throws(StoreError) in
                    guard let bytes else { throw differs }
                    unsafe bytes.withUnsafeBytes { unsafe field.append(contentsOf: $0) }
                }
                guard !place.isMultiple(of: 2) else { continue }
                readSum &+= unsafe field.withUnsafeBytes { unsafe Checksum.number(of: $0) }
                readCount += 1
            }
        }
        let stem = layout.joinedStem(version)
        var command = RedisCommand()
        for bucket in 0..<shape.bucketCount {
            if lease.renewal(&command) { try connection.push(command, window: Self.readWindow, take) }
            command.replace(with: "HGETALL")
            command.appendKey(stem, bucket)
            try connection.push(command, window: Self.readWindow, take)
        }
        try connection.finish(take)
        guard readSum == sum, readCount == userCount else { throw differs }
    }

    private var differs: StoreError {
        StoreError(
            .corrupt, "what Redis has of who joined what is not the \(userCount) users that were written, each once")
    }
}
