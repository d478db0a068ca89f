/// The users of every bucket, so that all of a bucket can be sent in one command.
struct UserBuckets {
    /// Where each bucket begins in `users`: buckets + 1 offsets.
    private let starts: [Int]
    /// The users' numbers, bucket after bucket, ascending within one.
    private let users: [UInt32]

    /// Sorts users into buckets.
    ///
    /// - Complexity: O(users + buckets + bytes of ids); 8 bytes a user while it runs, 4 afterwards.
    init(_ members: any MemberSource, bucketCount: Int) {
        let bucketOfUser = (0..<members.userCount).map { user in
            UInt32(RedisLayout.bucket(ofUser: members.id(ofUser: user).span, of: bucketCount))
        }
        var starts = [Int](repeating: 0, count: bucketCount + 1)
        for bucket in bucketOfUser { starts[Int(bucket) + 1] += 1 }
        for bucket in 0..<bucketCount { starts[bucket + 1] += starts[bucket] }
        var next = starts
        var users = [UInt32](repeating: 0, count: bucketOfUser.count)
        for (user, bucket) in bucketOfUser.enumerated() {
            users[next[Int(bucket)]] = UInt32(user)
            next[Int(bucket)] += 1
        }
        self.starts = starts
        self.users = users
    }

    /// The numbers of a bucket's users, ascending.
    subscript(bucket: Int) -> ArraySlice<UInt32> { users[starts[bucket]..<starts[bucket + 1]] }
}
