import Glibc
import Model

/// Writes the file of `PublishedMembers` bucket by bucket.
struct PublishedMembersWriter: ~Copyable {
    private static let flushByteCount = 1 << 20

    private let file: OpenFile
    private let durability: Durability
    private var buffer = PublishedMembers.format
    private var written = 0
    private var starts: [UInt64] = []

    /// Creates a file that only its owner may read, and that is locked until the end of this value.
    init(_ path: String, durability: Durability = .processEnd) throws(StoreError) {
        file = try Self.lockedFile(path)
        self.durability = durability
    }

    /// Writes a whole file.
    ///
    /// - Parameters:
    ///   - members: the members.
    ///   - path: the path of the file, which must not exist.
    ///   - groupCount: the number of groups in the version.
    ///   - durability: the events that the file must survive.
    ///   - advance: a function that is called with the number of users in each bucket.
    /// - Returns: the report on the members for the version's manifest.
    static func write(
        _ members: PackedMembers, to path: String, groupCount: Int, _ durability: Durability,
        advance: (_ userCount: Int) -> Void
    ) throws(StoreError) -> Manifest.MembersReport {
        var writer = try PublishedMembersWriter(path, durability: durability)
        var checksum = MembersChecksum()
        for kind in RedisLayout.UserValues.allCases {
            let added = try members.forEachBucket(of: kind) { number, packed, _ throws(StoreError) in
                try writer.append(packed.span)
                if kind == .joined { advance(members.userCount(inBucket: number)) }
            }
            checksum.add(added)
        }
        let report = checksum.report(bucketCount: members.bucketCount)
        try writer.finish(report, groupCount: groupCount)
        return report
    }

    private static func lockedFile(_ path: String) throws(StoreError) -> OpenFile {
        let file = try OpenFile(path, for: .creatingPrivate)
        _ = try file.lock(waiting: false)
        return file
    }

    /// Appends the next bucket, in the form of `PackedUsers`.
    mutating func append(_ bucket: borrowing Span<UInt8>) throws(StoreError) {
        starts.append(UInt64(written + buffer.count))
        unsafe bucket.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
        if buffer.count >= Self.flushByteCount { try flush() }
    }

    /// Writes the remaining parts of the file.
    ///
    /// - Parameters:
    ///   - report: the report on members in the version's manifest. Its number of buckets is that of either kind, so
    ///     twice as many must have been appended.
    ///   - groupCount: the number of groups in the version.
    consuming func finish(_ report: Manifest.MembersReport, groupCount: Int) throws(StoreError) {
        precondition(
            starts.count == 2 * report.bucketCount, "\(starts.count) buckets are not twice \(report.bucketCount)")
        guard let membersChecksum = UInt64(report.checksum, radix: 16) else {
            throw StoreError(.corrupt, "the manifest has no checksum of its members")
        }
        starts.append(UInt64(written + buffer.count))
        for number in starts + [UInt64(report.bucketCount), UInt64(groupCount), membersChecksum] {
            unsafe withUnsafeBytes(of: number.littleEndian) { unsafe buffer.append(contentsOf: $0) }
        }
        try flush()
        let region = try MappedFile.region(of: file, isOwn: false)
        let checksum = unsafe region.withBytes(0..<region.count) { unsafe Checksum.number(of: $0) }
        unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe buffer.append(contentsOf: $0) }
        try flush()
        guard durability == .powerLoss else { return }
        try file.synchronize()
        // The verification must read from the disk, not from the memory that was written.
        file.evict()
    }

    private mutating func flush() throws(StoreError) {
        try unsafe file.write(buffer.span.bytes, at: written)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
