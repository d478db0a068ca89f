import CXXHash
import Model

/// The checksum of all published members, which does not depend on the order of the buckets.
///
/// It is the sum, modulo 2⁶⁴, of a XXH3 for each bucket that has users. Each XXH3 covers one byte for the kind of
/// values, four bytes for the number of the bucket, and the bucket's bytes (`PackedUsers`). So a changed, missing or
/// moved bucket is detected.
struct MembersChecksum {
    private var sum: UInt64 = 0
    private(set) var valueCount = 0
    private var bytes: [UInt8] = []

    /// Adds a bucket.
    ///
    /// - Parameters:
    ///   - bucket: the bytes of the bucket.
    ///   - userCount: the number of users in it.
    ///   - kind: the kind of values.
    ///   - number: the number of the bucket.
    mutating func add(_ bucket: borrowing Span<UInt8>, userCount: Int, of kind: RedisLayout.UserValues, number: Int) {
        guard userCount > 0 else { return }
        begin(kind, number)
        add(bucket)
        valueCount += userCount
    }

    /// Adds a bucket in the way of earlier programs, with a XXH3 for each user.
    ///
    /// Each XXH3 covers the same first five bytes, the length of the id (`Varint`), the id, and the value.
    ///
    /// - Returns: `false` if the bucket is malformed.
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

    /// Adds the buckets of another checksum.
    mutating func add(_ other: MembersChecksum) {
        sum &+= other.sum
        valueCount += other.valueCount
    }

    /// Returns the report on these members for the manifest.
    func report(bucketCount: Int) -> Manifest.MembersReport {
        Manifest.MembersReport(
            bucketCount: bucketCount, valueCount: valueCount, checksum: Checksum.text(ofNumber: sum), saysListed: true)
    }
}

/// The checksum XXH3, 64 bits, which reveals damage of sections in manifests and of sessions' lists.
///
/// It runs at the speed of memory, so everything is verified each time it is written or opened. It does not protect
/// against forged versions.
public enum Checksum {
    /// Returns the checksum of bytes, as a number.
    static func number(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe XXH3_64bits(bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of bytes as 16 hexadecimal digits, as in a manifest.
    static func text(of bytes: UnsafeRawBufferPointer) -> String { text(ofNumber: unsafe number(of: bytes)) }

    /// Returns a number as 16 hexadecimal digits, as in a manifest.
    static func text(ofNumber number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the checksum of an array's bytes, as a number.
    public static func number(of bytes: [UInt8]) -> UInt64 { unsafe bytes.withUnsafeBytes { unsafe number(of: $0) } }

    /// Returns the checksum of an array's bytes as 16 hexadecimal digits, as in a manifest.
    public static func text(of bytes: [UInt8]) -> String { unsafe bytes.withUnsafeBytes { unsafe text(of: $0) } }
}
