/// The users of every bucket, so that all of a bucket can be sent in one command.
struct UserBuckets {
    /// Where each bucket begins in `users`: buckets + 1 offsets.
    private let starts: [Int]
    /// The users' numbers, bucket after bucket; within one ascending by the ids' CRC-32, equal ones by the ids.
    private let users: [UInt32]

    /// Sorts users into buckets.
    ///
    /// The order does not depend on the users' numbers: the same members make the same buckets.
    ///
    /// - Complexity: O(users · log users of a bucket + buckets + bytes of ids); 8 bytes a user while it runs, 4
    ///   afterwards.
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

    /// The numbers of a bucket's users; those with the same id follow one another.
    subscript(bucket: Int) -> ArraySlice<UInt32> { users[starts[bucket]..<starts[bucket + 1]] }
}
