import Basics
import CXXHash
import Model

/// The checksum of all published members, which does not depend on the order of the buckets.
///
/// It is the sum, modulo 2⁶⁴, of the checksums of all buckets, also of those without users. So a changed, missing or
/// moved bucket is detected.
struct MembersChecksum {
    private(set) var sum: UInt64 = 0
    private(set) var valueCount = 0

    /// Adds the next bucket, and returns its own checksum.
    ///
    /// - Parameter bucket: the bytes of the bucket (`PackedUsers`).
    @discardableResult
    mutating func add(_ bucket: borrowing Span<UInt8>, userCount: Int, number: Int) -> UInt64 {
        let checksum = Self.checksum(ofBucket: bucket, number: number)
        sum &+= checksum
        valueCount += userCount
        return checksum
    }

    /// Returns the checksum of a bucket: its XXH3 with its number as the seed.
    static func checksum(ofBucket bucket: borrowing Span<UInt8>, number: Int) -> UInt64 {
        unsafe bucket.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, UInt64(number)) }
    }

    func report(bucketCount: Int) -> Manifest.MembersReport {
        Manifest.MembersReport(
            bucketCount: bucketCount, valueCount: valueCount, checksum: Checksum.text(ofNumber: sum))
    }
}
