import Model
import Redis

/// Writes what is published of members.
struct RedisMemberWriter {
    /// A command ends with the user that brings it to so many users or bytes.
    private static let usersPerCommand = 512
    private static let bytesPerCommand = 64 << 10
    /// Replies outstanding while buckets are written.
    private static let writeWindow = 1024

    private let layout: RedisLayout
    private let version: VersionName
    private let members: any MemberSource
    private let shape: VersionShape
    private let buckets: UserBuckets

    init(_ layout: RedisLayout, _ version: VersionName, _ members: any MemberSource, _ shape: VersionShape) {
        self.layout = layout
        self.version = version
        self.members = members
        self.shape = shape
        buckets = UserBuckets(members, bucketCount: shape.bucketCount)
    }

    /// Writes a field for every user who has one, bucket by bucket, in a hash.
    ///
    /// - Returns: the checksum of the fields.
    func write(
        _ hash: RedisLayout.UserHash, to connection: inout StoreConnection, lease: inout PublisherLease,
        progress: (_ writtenUsers: Int) -> Void
    ) throws(StoreError) -> MembersChecksum {
        var checksum = MembersChecksum()
        let stem = layout.stem(version, hash)
        var command = RedisCommand()
        for bucket in 0..<shape.bucketCount {
            var users = buckets[bucket]
            while !users.isEmpty {
                if lease.renewal(&command) { try connection.push(command, window: Self.writeWindow) { _ in } }
                command.replace(with: "HSET")
                command.appendKey(stem, bucket)
                let countBefore = users.count
                repeat {
                    try append(Int(users.removeFirst()), to: hash, bucket, &command, &checksum)
                } while !users.isEmpty && command.wordCount < 2 * Self.usersPerCommand
                    && command.byteCount < Self.bytesPerCommand
                if command.wordCount > 2 { try connection.push(command, window: Self.writeWindow) { _ in } }
                progress(countBefore - users.count)
            }
        }
        try connection.finish { _ in }
        return checksum
    }

    /// Adds a user's field and value to a command; no feedback, no field.
    private func append(
        _ user: Int, to hash: RedisLayout.UserHash, _ bucket: Int, _ command: inout RedisCommand,
        _ checksum: inout MembersChecksum
    ) throws(StoreError) {
        let groupCount = shape.groupCount
        let feedback = hash == .feedback ? members.feedback(ofUser: user) : PublishedMember.Feedback()
        if hash == .feedback, feedback.isEmpty { return }
        let id = members.id(ofUser: user)
        command.append(id)
        try command.appendWord { bytes throws(StoreError) in
            let start = bytes.count
            let isSound: Bool
            switch hash {
            case .joined:
                let groups = members.groups(ofUser: user)
                isSound =
                    groups.last ?? 0 < max(1, groupCount)
                    && JoinedGroupsCoding.append(groups, firstDay: members.firstDay(ofUser: user), to: &bytes)
            case .feedback:
                let last = max(feedback.dismissals.last?.group ?? 0, feedback.exposures.last?.group ?? 0)
                isSound = last < max(1, groupCount) && FeedbackCoding.append(feedback, to: &bytes)
            }
            guard isSound else {
                let id = String(decoding: id, as: UTF8.self)
                throw StoreError(.corrupt, "the groups of \(id) do not ascend, or are none of this version")
            }
            checksum.add(id.span, bytes.span.extracting(start...), of: hash, inBucket: bucket)
        }
    }
}
