import Basics
import Model

/// The members to publish with a version; users are numbered from 0, in any order.
package protocol MemberSource: Sendable {
    var userCount: Int { get }

    /// Returns the bytes of a user's external id.
    ///
    /// - Parameter number: the user's number, in 0 ..< `userCount`.
    func id(ofUser number: Int) -> ArraySlice<UInt8>

    /// Appends a user's value.
    ///
    /// - Parameters:
    ///   - number: the user's number, in 0 ..< `userCount`.
    ///   - bytes: the bytes to append to.
    /// - Returns: `false` if the value cannot be encoded.
    func appendValue(ofUser number: Int, by coding: MemberCoding, to bytes: inout [UInt8]) -> Bool

    /// Announces the next users, so that their data can be fetched from memory in parallel.
    ///
    /// - Parameter numbers: the users' numbers, in 0 ..< `userCount`.
    func prepare(_ numbers: ArraySlice<UInt32>)
}

extension MemberSource {
    /// Does nothing.
    package func prepare(_ numbers: ArraySlice<UInt32>) {}
}

/// The members to publish with a version, packed into buckets in the order in which every store writes them.
struct PackedMembers: Sendable {
    /// The approximate number of bytes of a user, for reports on progress.
    static let bytesPerUser = 200

    private let members: any MemberSource
    private let coding: MemberCoding
    private let buckets: UserBuckets
    /// The number of buckets, 1 or more.
    let bucketCount: Int

    /// Sorts members into buckets.
    ///
    /// - Parameter bucketCount: the number of buckets, 1 or more; nil for the usual number.
    init(_ members: any MemberSource, _ coding: MemberCoding, bucketCount: Int? = nil) {
        self.members = members
        self.coding = coding
        let usual = (members.userCount + RedisLayout.usersPerBucket - 1) / RedisLayout.usersPerBucket
        self.bucketCount = bucketCount ?? max(1, usual)
        buckets = UserBuckets(members, bucketCount: self.bucketCount)
    }

    /// Calls `body` with each bucket: its number, its bytes in the form of `PackedUsers`, its users, and its checksum.
    ///
    /// - Returns: the report on the members.
    /// - Throws: `Failure.corrupt` if a value cannot be encoded, or an error of `body`.
    func forEachBucket(
        _ body: (_ number: Int, _ packed: [UInt8], _ userCount: Int, _ checksum: UInt64) throws(Failure) -> Void
    ) throws(Failure) -> Manifest.MembersReport {
        var all = MembersChecksum()
        var (packed, value): ([UInt8], [UInt8]) = ([], [])
        for bucket in 0..<bucketCount {
            if bucket + 1 < bucketCount { members.prepare(buckets[bucket + 1]) }
            packed.removeAll(keepingCapacity: true)
            let users = buckets[bucket]
            try pack(users, into: &packed, &value)
            let checksum = all.add(packed.span, userCount: users.count, number: bucket)
            try body(bucket, packed, users.count, checksum)
        }
        return all.report(bucketCount: bucketCount)
    }

    /// Packs the users of a bucket.
    ///
    /// - Parameters:
    ///   - packed: the bytes to append to.
    ///   - value: a buffer for the value of a user.
    private func pack(_ users: ArraySlice<UInt32>, into packed: inout [UInt8], _ value: inout [UInt8])
        throws(Failure)
    {
        var last: ArraySlice<UInt8>?
        for user in users {
            value.removeAll(keepingCapacity: true)
            let id = members.id(ofUser: Int(user))
            guard members.appendValue(ofUser: Int(user), by: coding, to: &value), id != last else {
                let user = String(decoding: id, as: UTF8.self)
                throw Failure(
                    .corrupt, "\(user) is there twice, or the user's groups do not ascend, or are none of this version")
            }
            last = id
            PackedUsers.append(id.span, to: &packed)
            PackedUsers.append(value.span, to: &packed)
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
