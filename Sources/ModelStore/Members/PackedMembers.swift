import Model

/// The members to publish with a version, packed into buckets in the order in which every store writes them.
struct PackedMembers: Sendable {
    /// The approximate number of bytes of a user's id and groups, for reports on progress.
    static let bytesPerUser = 160

    private let members: any MemberSource
    private let groupCount: Int
    private let buckets: UserBuckets
    /// The number of buckets of each kind of values, 1 or more.
    let bucketCount: Int

    /// Sorts members into buckets.
    ///
    /// - Parameters:
    ///   - members: the members.
    ///   - groupCount: the number of groups in the version.
    init(_ members: any MemberSource, groupCount: Int) {
        self.members = members
        self.groupCount = max(1, groupCount)
        bucketCount = max(1, (members.userCount + RedisLayout.usersPerBucket - 1) / RedisLayout.usersPerBucket)
        buckets = UserBuckets(members, bucketCount: bucketCount)
    }

    /// Returns the number of users in a bucket, with or without values.
    func userCount(inBucket bucket: Int) -> Int { buckets[bucket].count }

    /// Calls `body` with each bucket: its number, its bytes in the form of `PackedUsers`, and its users with a value.
    ///
    /// - Returns: the checksum of the buckets.
    /// - Throws: `StoreError.corrupt` if a value cannot be encoded, or an error of `body`.
    func forEachBucket(
        of kind: RedisLayout.UserValues,
        _ body: (_ number: Int, _ packed: [UInt8], _ userCount: Int) throws(StoreError) -> Void
    ) throws(StoreError) -> MembersChecksum {
        var checksum = MembersChecksum()
        var (packed, value): ([UInt8], [UInt8]) = ([], [])
        for bucket in 0..<bucketCount {
            if bucket + 1 < bucketCount { members.prepare(buckets[bucket + 1]) }
            packed.removeAll(keepingCapacity: true)
            let count = try pack(buckets[bucket], kind, into: &packed, &value)
            checksum.add(packed.span, userCount: count, of: kind, number: bucket)
            try body(bucket, packed, count)
        }
        return checksum
    }

    /// Packs the users of a bucket that have a value.
    ///
    /// - Parameters:
    ///   - users: the users' numbers.
    ///   - kind: the kind of values.
    ///   - packed: the bytes to append to.
    ///   - value: a buffer for the value of a user.
    /// - Returns: the number of users packed.
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
    /// - Returns: `false` if the value cannot be encoded; `nil` if the user has none.
    private func append(_ kind: RedisLayout.UserValues, ofUser user: Int, to bytes: inout [UInt8]) -> Bool? {
        switch kind {
        case .joined:
            let groups = members.groups(ofUser: user)
            return groups.last ?? 0 < groupCount
                && JoinedGroupsCoding.append(groups, firstDay: members.firstDay(ofUser: user), to: &bytes)
        case .feedback:
            let feedback = members.feedback(ofUser: user)
            guard !feedback.isEmpty else { return nil }
            let last = max(
                feedback.dismissals.last?.group ?? 0, feedback.exposures.last?.group ?? 0,
                feedback.hints.lazy.map(\.group).max() ?? 0)
            return last < groupCount && FeedbackCoding.append(feedback, to: &bytes)
        }
    }
}

/// The users of every bucket, so that a whole bucket can be sent in one command.
struct UserBuckets {
    /// The start of each bucket in `users`, and the end of the last one: buckets + 1 offsets.
    private let starts: [Int]
    /// The users' numbers, bucket after bucket; within a bucket by the CRC-32 of the ids, ties by the ids.
    private let users: [UInt32]

    /// Sorts users into buckets.
    ///
    /// The order does not depend on the users' numbers, so the same members make the same buckets.
    ///
    /// - Complexity: O(users · log users of a bucket + buckets + bytes of ids); 8 bytes of memory for each user while
    ///   it runs, and 4 afterwards.
    init(_ members: any MemberSource, bucketCount: Int) {
        let hashes = (0..<members.userCount).map { RedisLayout.hash(ofUser: members.id(ofUser: $0).span) }
        var starts = [Int](repeating: 0, count: bucketCount + 1)
        for hash in hashes { starts[Int(hash) % bucketCount + 1] += 1 }
        for bucket in 0..<bucketCount { starts[bucket + 1] += starts[bucket] }
        var next = starts
        var users = [UInt32](repeating: 0, count: hashes.count)
        for (user, hash) in hashes.enumerated() {
            let bucket = Int(hash) % bucketCount
            users[next[bucket]] = UInt32(user)
            next[bucket] += 1
        }
        for bucket in 0..<bucketCount {
            users[starts[bucket]..<starts[bucket + 1]].sort { one, other in
                let (hash, otherHash) = (hashes[Int(one)], hashes[Int(other)])
                guard hash == otherHash else { return hash < otherHash }
                return members.id(ofUser: Int(one)).lexicographicallyPrecedes(members.id(ofUser: Int(other)))
            }
        }
        self.starts = starts
        self.users = users
    }

    /// The numbers of a bucket's users; users with the same id are next to each other.
    subscript(bucket: Int) -> ArraySlice<UInt32> { users[starts[bucket]..<starts[bucket + 1]] }
}
