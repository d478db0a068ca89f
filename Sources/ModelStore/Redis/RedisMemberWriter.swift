import Model
import Redis

/// Writes what is published of members.
struct RedisMemberWriter {
    /// A command ends with the bucket that brings it to so many bytes.
    private static let bytesPerCommand = 64 << 10
    /// Replies outstanding; they are short.
    private static let window = 64

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

    /// Writes the values of every user who has one, bucket by bucket; a bucket without any has no key.
    ///
    /// - Returns: the checksum of the buckets.
    func write(
        _ kind: RedisLayout.UserValues, to connection: inout StoreConnection, lease: inout PublisherLease,
        progress: (_ writtenUsers: Int) -> Void
    ) throws(StoreError) -> MembersChecksum {
        var checksum = MembersChecksum()
        let stem = layout.stem(version, kind)
        var command = RedisCommand("MSET")
        var (packed, value): ([UInt8], [UInt8]) = ([], [])
        var written = 0
        for bucket in 0..<shape.bucketCount {
            if bucket + 1 < shape.bucketCount { members.prepare(buckets[bucket + 1]) }
            packed.removeAll(keepingCapacity: true)
            let count = try pack(buckets[bucket], kind, into: &packed, &value)
            checksum.add(packed.span, userCount: count, of: kind, number: bucket)
            written += buckets[bucket].count
            if count > 0 {
                command.appendKey(stem, bucket)
                command.append(packed)
            }
            let isLast = bucket == shape.bucketCount - 1 && command.wordCount > 1
            guard command.byteCount >= Self.bytesPerCommand || isLast else { continue }
            try connection.push(command, window: Self.window) { _ in }
            if lease.renewal(&command) { try connection.push(command, window: Self.window) { _ in } }
            command.replace(with: "MSET")
            progress(written)
            written = 0
        }
        progress(written)
        try connection.finish { _ in }
        return checksum
    }

    /// Packs the users of a bucket; one without feedback is left out.
    ///
    /// - Parameter value: room for the value of a user.
    /// - Returns: how many users.
    private func pack(
        _ users: ArraySlice<UInt32>, _ kind: RedisLayout.UserValues, into packed: inout [UInt8], _ value: inout [UInt8]
    ) throws(StoreError) -> Int {
        var count = 0
        var last: ArraySlice<UInt8>?
        for user in users {
            value.removeAll(keepingCapacity: true)
            let id = members.id(ofUser: Int(user))
            guard let isSound = append(kind, ofUser: Int(user), to: &value) else { continue }
            guard isSound, id != last else {
                let user = String(decoding: id, as: UTF8.self)
                throw StoreError(
                    .corrupt, "\(user) is there twice, or the user's groups do not ascend, or are none of this version")
            }
            last = id
            PackedUsers.append(id.span, to: &packed)
            PackedUsers.append(value.span, to: &packed)
            count += 1
        }
        return count
    }

    /// Appends a user's value.
    ///
    /// - Returns: false if it cannot be; nil if the user has none.
    private func append(_ kind: RedisLayout.UserValues, ofUser user: Int, to bytes: inout [UInt8]) -> Bool? {
        let groupCount = max(1, shape.groupCount)
        switch kind {
        case .joined:
            let groups = members.groups(ofUser: user)
            return groups.last ?? 0 < groupCount
                && JoinedGroupsCoding.append(groups, firstDay: members.firstDay(ofUser: user), to: &bytes)
        case .feedback:
            let feedback = members.feedback(ofUser: user)
            guard !feedback.isEmpty else { return nil }
            let last = max(feedback.dismissals.last?.group ?? 0, feedback.exposures.last?.group ?? 0)
            return last < groupCount && FeedbackCoding.append(feedback, to: &bytes)
        }
    }
}
