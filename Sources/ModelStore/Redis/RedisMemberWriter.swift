import Model
import Redis

/// Writes what is published of members, and verifies it.
struct RedisMemberWriter {
    /// A command ends with the user that brings it to so many users or bytes.
    private static let usersPerCommand = 512
    private static let bytesPerCommand = 64 << 10
    /// Replies outstanding while buckets are written.
    private static let writeWindow = 1024

    let layout: RedisLayout
    let version: VersionName
    let progress: (_ writtenUsers: Int) -> Void
    /// Of what was written.
    private var checksum = MembersChecksum()

    init(_ layout: RedisLayout, _ version: VersionName, progress: @escaping (_ writtenUsers: Int) -> Void) {
        self.layout = layout
        self.version = version
        self.progress = progress
    }

    /// Writes a field for every user, bucket by bucket, in each of the two hashes.
    ///
    /// - Returns: what the manifest says of it.
    mutating func write(
        _ members: any MemberSource, shape: VersionShape, to connection: inout StoreConnection,
        lease: inout PublisherLease
    ) throws(StoreError) -> Manifest.MembersReport {
        let buckets = UserBuckets(members, bucketCount: shape.bucketCount)
        for hash in RedisLayout.UserHash.allCases {
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
                        try append(Int(users.removeFirst()), to: hash, bucket, of: members, shape.groupCount, &command)
                    } while !users.isEmpty && command.wordCount < 2 * Self.usersPerCommand
                        && command.byteCount < Self.bytesPerCommand
                    if command.wordCount > 2 { try connection.push(command, window: Self.writeWindow) { _ in } }
                    if hash == .joined { progress(countBefore - users.count) }
                }
            }
        }
        try connection.finish { _ in }
        return checksum.report(bucketCount: shape.bucketCount)
    }

    /// Adds a user's field and value to a command; no feedback, no field.
    private mutating func append(
        _ user: Int, to hash: RedisLayout.UserHash, _ bucket: Int, of members: any MemberSource, _ groupCount: Int,
        _ command: inout RedisCommand
    ) throws(StoreError) {
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
                isSound = groups.last ?? 0 < max(1, groupCount) && JoinedGroupsCoding.append(groups, to: &bytes)
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
