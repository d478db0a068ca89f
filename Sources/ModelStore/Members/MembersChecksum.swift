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

/// The checksum XXH3, 64 bits, which reveals damage of sections in manifests and of sessions' lists.
///
/// It runs at the speed of memory, so everything is verified each time it is written or opened. It does not protect
/// against forged versions.
package enum Checksum {
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
    package static func number(of bytes: [UInt8]) -> UInt64 { unsafe bytes.withUnsafeBytes { unsafe number(of: $0) } }

    /// Returns the checksum of an array's bytes as 16 hexadecimal digits, as in a manifest.
    package static func text(of bytes: [UInt8]) -> String { unsafe bytes.withUnsafeBytes { unsafe text(of: $0) } }
}
