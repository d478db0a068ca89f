import Model
import Redis

/// Writes who joined what, and verifies it.
struct RedisProfileWriter {
    /// A command ends with the user that brings it to so many users or bytes.
    private static let usersPerCommand = 512
    private static let bytesPerCommand = 64 << 10
    /// Replies outstanding while buckets are written, and while they are read.
    private static let writeWindow = 1024
    private static let readWindow = 64

    let layout: RedisLayout
    let version: VersionName
    let progress: (_ writtenUsers: Int) -> Void
    /// The sum of the checksums of what was written: the same in whatever order users are read back.
    private var sum: UInt64 = 0
    private var userCount = 0

    init(_ layout: RedisLayout, _ version: VersionName, progress: @escaping (_ writtenUsers: Int) -> Void) {
        self.layout = layout
        self.version = version
        self.progress = progress
    }

    /// Writes a field for every user, bucket by bucket.
    mutating func write(
        _ profiles: any ProfileSource, shape: VersionShape, to connection: inout StoreConnection,
        lease: inout PublisherLease
    ) throws(StoreError) {
        let stem = layout.joinedStem(version)
        let buckets = UserBuckets(profiles, bucketCount: shape.bucketCount)
        var command = RedisCommand()
        for bucket in 0..<shape.bucketCount {
            var users = buckets[bucket]
            while !users.isEmpty {
                if lease.renewal(&command) { try connection.push(command, window: Self.writeWindow) { _ in } }
                command.replace(with: "HSET")
                command.appendKey(stem, bucket)
                let countBefore = userCount
                repeat {
                    try append(Int(users.removeFirst()), of: profiles, groupCount: shape.groupCount, to: &command)
                } while !users.isEmpty && userCount - countBefore < Self.usersPerCommand
                    && command.byteCount < Self.bytesPerCommand
                try connection.push(command, window: Self.writeWindow) { _ in }
                progress(userCount - countBefore)
            }
        }
        try connection.finish { _ in }
    }

    /// Adds a user's field and value to a command.
    private mutating func append(
        _ user: Int, of profiles: any ProfileSource, groupCount: Int, to command: inout RedisCommand
    ) throws(StoreError) {
        var start = 0
        command.appendWord { bytes in
            start = bytes.count
            bytes.append(contentsOf: profiles.id(ofUser: user))
        }
        let groups = profiles.groups(ofUser: user)
        try command.appendWord { bytes throws(StoreError) in
            guard groups.last ?? 0 < max(1, groupCount), JoinedGroupsCoding.append(groups, to: &bytes) else {
                let id = String(decoding: profiles.id(ofUser: user), as: UTF8.self)
                throw StoreError(.corrupt, "the groups that \(id) joined do not ascend, or are none of this version")
            }
            sum &+= unsafe bytes.withUnsafeBytes { unsafe Checksum.number(of: .init(rebasing: $0[start...])) }
        }
        userCount += 1
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
