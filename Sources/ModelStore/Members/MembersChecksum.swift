import Model

/// The checksum of all that is published of members, the same in whatever order a bucket's fields come.
///
/// It is the sum, modulo 2⁶⁴, of a XXH3 for each field of each bucket, over one byte for the hash, the number of the
/// bucket in four bytes, the length of the user's id (`Varint`), the id, and the value. So a field that is changed,
/// missing, or in another bucket shows.
struct MembersChecksum {
    private var sum: UInt64 = 0
    private(set) var valueCount = 0
    private var field: [UInt8] = []

    /// Adds a field.
    mutating func add(
        _ id: borrowing Span<UInt8>, _ value: borrowing Span<UInt8>, of hash: RedisLayout.UserHash, inBucket bucket: Int
    ) {
        begin(id, of: hash, inBucket: bucket)
        end(value)
    }

    /// Adds a field of which the value is not known yet.
    mutating func begin(_ id: borrowing Span<UInt8>, of hash: RedisLayout.UserHash, inBucket bucket: Int) {
        field.removeAll(keepingCapacity: true)
        field.append(hash == .joined ? 0 : 1)
        unsafe withUnsafeBytes(of: UInt32(truncatingIfNeeded: bucket).littleEndian) {
            unsafe field.append(contentsOf: $0)
        }
        Varint.append(UInt32(id.count), to: &field)
        unsafe id.withUnsafeBufferPointer { unsafe field.append(contentsOf: $0) }
    }

    /// Adds the value of the field that was begun last.
    mutating func end(_ value: borrowing Span<UInt8>) {
        unsafe value.withUnsafeBufferPointer { unsafe field.append(contentsOf: $0) }
        sum &+= unsafe field.withUnsafeBytes { unsafe Checksum.number(of: $0) }
        valueCount += 1
    }

    /// Adds the fields of another one.
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
