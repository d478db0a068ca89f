package import Basics
import Model
import Synchronization

/// All members published with a version, in a local file.
///
/// The file belongs to the version of a folder store. For a version in Redis, a daemon keeps it in its cache, and so
/// asks no server for a member.
///
/// The parts of the file follow one another in this order. Numbers have 64 bits.
///
/// - 8 bytes that name the format
/// - the buckets, as in Redis (`PackedUsers`)
/// - the table: for each bucket its end in the file, and its checksum (`MembersChecksum`)
/// - the number of buckets, and the checksum of the table and this number
///
/// The table is read and verified when the file is opened. A bucket is read and verified when somebody asks for one of
/// its members. So a file of half a gigabyte opens at once, and no change of the file is ever taken for a member.
package final class PublishedMembers: Sendable {
    static let format = Array("CtMembr3".utf8)
    /// The length of the numbers after the table.
    private static let trailerByteCount = 16
    private static let entryByteCount = 16

    private let file: OpenFile
    private let coding: MemberCoding
    /// The start of each bucket, and the end of the last one.
    private let starts: [UInt64]
    private let checksums: [UInt64]
    /// The bucket that was asked for last: whoever asks for all members asks in the order of the buckets.
    private let latest = Mutex<(number: Int, bytes: [UInt8])?>(nil)

    private var bucketCount: Int { checksums.count }

    /// Opens a file, and verifies its table.
    ///
    /// - Throws: `Failure.corrupt` if the table is damaged, or belongs to another manifest.
    init(_ path: String, _ report: Manifest.MembersReport, _ coding: MemberCoding) throws(Failure) {
        file = try OpenFile(path, for: .reading)
        self.coding = coding
        let damaged = Failure(.corrupt, "\(path) is damaged, or belongs to another version; \(Self.advice)")
        let byteCount = try file.byteCount()
        let tableByteCount = report.bucketCount.multipliedReportingOverflow(by: Self.entryByteCount)
        let tableStart = byteCount - Self.trailerByteCount - tableByteCount.partialValue
        guard report.bucketCount > 0, !tableByteCount.overflow, tableStart >= Self.format.count,
            try file.bytes(count: Self.format.count) == Self.format
        else { throw damaged }
        let table = try file.bytes(count: byteCount - tableStart, at: tableStart)
        var reader = ByteReader(table)
        guard let numbers = try? reader.integers(2 * report.bucketCount + 2, UInt64.self), reader.isAtEnd,
            numbers[numbers.count - 2] == report.bucketCount,
            unsafe table.withUnsafeBytes({ unsafe Checksum.number(of: .init(rebasing: $0.dropLast(8))) })
                == numbers[numbers.count - 1]
        else { throw damaged }
        let places = 0..<report.bucketCount
        starts = [UInt64(Self.format.count)] + places.map { numbers[2 * $0] }
        checksums = places.map { numbers[2 * $0 + 1] }
        let isInOrder = zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 }
        guard isInOrder, starts.last == UInt64(tableStart),
            checksums.reduce(0, &+) == UInt64(report.checksum, radix: 16)
        else { throw damaged }
    }

    /// Reads and verifies all buckets.
    ///
    /// - Throws: `Failure.corrupt` if one is damaged.
    package func verify() throws(Failure) { try forEachBucket { _, _, _ throws(Failure) in } }

    /// Calls `body` with each verified bucket: its number, its bytes, and their checksum.
    func forEachBucket(
        _ body: (_ number: Int, _ bytes: [UInt8], _ checksum: UInt64) throws(Failure) -> Void
    ) throws(Failure) {
        for bucket in 0..<bucketCount { try body(bucket, try bytes(ofBucket: bucket), checksums[bucket]) }
    }

    /// Returns a published member, or `nil` if the version does not have the user.
    ///
    /// - Throws: `Failure.corrupt` if the bucket of the user is damaged.
    package func member(withID id: String) throws(Failure) -> PublishedMember? {
        let bucket = RedisLayout.bucket(ofUser: id.utf8Span.span, of: bucketCount)
        let bytes = try latestBytes(ofBucket: bucket)
        var found: Range<Int>?
        let isSound = PackedUsers.forEach(in: bytes.span) { user, value in
            let isWanted = bytes[user].elementsEqual(id.utf8)
            if isWanted { found = value }
            return !isWanted
        }
        guard isSound else { throw damaged(bucket) }
        guard let found else { return nil }
        guard let member = coding.decode(bytes.span.extracting(found)) else { throw damaged(bucket) }
        return member
    }

    /// Returns the ids of all members, in ascending order of their bytes.
    ///
    /// - Complexity: O(members · log members).
    package func memberIDs() throws(Failure) -> [String] {
        var ids: [String] = []
        for bucket in 0..<bucketCount {
            let bytes = try bytes(ofBucket: bucket)
            var isText = true
            let isSound = PackedUsers.forEach(in: bytes.span) { user, _ in
                guard let id = String(validating: bytes[user], as: UTF8.self) else {
                    isText = false
                    return false
                }
                ids.append(id)
                return true
            }
            guard isSound, isText else { throw damaged(bucket) }
        }
        return ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns a verified bucket, which is read unless it was the last one asked for.
    private func latestBytes(ofBucket bucket: Int) throws(Failure) -> [UInt8] {
        if let known = latest.withLock({ $0?.number == bucket ? $0?.bytes : nil }) { return known }
        let bytes = try bytes(ofBucket: bucket)
        latest.withLock { $0 = (bucket, bytes) }
        return bytes
    }

    /// Reads a bucket and verifies its checksum.
    private func bytes(ofBucket bucket: Int) throws(Failure) -> [UInt8] {
        let (start, end) = (Int(starts[bucket]), Int(starts[bucket + 1]))
        let bytes = try file.bytes(count: end - start, at: start)
        guard MembersChecksum.checksum(ofBucket: bytes.span, number: bucket) == checksums[bucket] else {
            throw damaged(bucket)
        }
        return bytes
    }

    private func damaged(_ bucket: Int) -> Failure {
        Failure(.corrupt, "\(file.path) is damaged, in bucket \(bucket) of its members; \(Self.advice)")
    }

    private static let advice =
        "recompute; if it is in the cache of a daemon, remove this file, and the next start fetches it again"
}
