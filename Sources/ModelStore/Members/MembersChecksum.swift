import Model

/// The checksum of all that is published of members, the same in whatever order the buckets come.
///
/// It is the sum, modulo 2⁶⁴, of a XXH3 for each bucket that has users, over one byte for the kind of the values, the
/// number of the bucket in four bytes, and the bucket's bytes as of `PackedUsers`. So what is changed, missing, or in
/// another bucket shows.
struct MembersChecksum {
    private var sum: UInt64 = 0
    private(set) var valueCount = 0
    private var bytes: [UInt8] = []

    /// Adds a bucket.
    ///
    /// - Parameter userCount: how many users it has.
    mutating func add(_ bucket: borrowing Span<UInt8>, userCount: Int, of kind: RedisLayout.UserValues, number: Int) {
        guard userCount > 0 else { return }
        begin(kind, number)
        add(bucket)
        valueCount += userCount
    }

    /// Adds a bucket as earlier programs did: a XXH3 for each user, over the same first five bytes, the length of the
    /// id (`Varint`), the id, and the value.
    ///
    /// - Returns: false if these are not the users of a bucket.
    mutating func addUserByUser(_ bucket: borrowing Span<UInt8>, of kind: RedisLayout.UserValues, number: Int) -> Bool {
        var users: [(id: Range<Int>, value: Range<Int>)] = []
        let isSound = PackedUsers.forEach(in: bucket) { id, value in
            users.append((id, value))
            return true
        }
        for user in users {
            begin(kind, number)
            PackedUsers.append(bucket.extracting(user.id), to: &bytes)
            add(bucket.extracting(user.value))
        }
        valueCount += users.count
        return isSound
    }

    private mutating func begin(_ kind: RedisLayout.UserValues, _ number: Int) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(kind == .joined ? 0 : 1)
        unsafe withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) {
            unsafe bytes.append(contentsOf: $0)
        }
    }

    private mutating func add(_ last: borrowing Span<UInt8>) {
        unsafe last.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        sum &+= unsafe bytes.withUnsafeBytes { unsafe Checksum.number(of: $0) }
    }

    /// Adds the buckets of another one.
    mutating func add(_ other: MembersChecksum) {
        sum &+= other.sum
        valueCount += other.valueCount
    }

    /// What a manifest says of these members.
    func report(bucketCount: Int) -> Manifest.MembersReport {
        Manifest.MembersReport(
            bucketCount: bucketCount, valueCount: valueCount, checksum: Checksum.text(ofNumber: sum))
    }
}
