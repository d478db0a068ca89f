import Basics
import Glibc
import Model

/// Writes the file of `PublishedMembers` bucket by bucket.
struct PublishedMembersWriter: ~Copyable {
    private static let flushByteCount = 1 << 20

    private let file: OpenFile
    private let durability: Durability
    private var buffer = PublishedMembers.format
    private var written = 0
    /// The numbers of the table: the end and the checksum of each bucket.
    private var table: [UInt64] = []

    /// Creates a file that only its owner may read, and that is locked until the end of this value.
    init(_ path: String, durability: Durability = .processEnd) throws(Failure) {
        file = try Self.lockedFile(path)
        self.durability = durability
    }

    /// Writes a whole file.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which must not exist.
    ///   - durability: the events that the file must survive.
    ///   - advance: a function that is called with the number of users in each bucket.
    /// - Returns: the report on the members for the version's manifest.
    static func write(
        _ members: PackedMembers, to path: String, _ durability: Durability, advance: (_ userCount: Int) -> Void
    ) throws(Failure) -> Manifest.MembersReport {
        var writer = try PublishedMembersWriter(path, durability: durability)
        let report = try members.forEachBucket { _, packed, userCount, checksum throws(Failure) in
            try writer.append(packed.span, checksum: checksum)
            advance(userCount)
        }
        try writer.finish()
        return report
    }

    private static func lockedFile(_ path: String) throws(Failure) -> OpenFile {
        let file = try OpenFile(path, for: .creatingPrivate)
        _ = try file.lock(waiting: false)
        return file
    }

    /// Appends the next bucket, in the form of `PackedUsers`.
    mutating func append(_ bucket: borrowing Span<UInt8>, checksum: UInt64) throws(Failure) {
        unsafe bucket.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
        table += [UInt64(written + buffer.count), checksum]
        if buffer.count >= Self.flushByteCount { try flush() }
    }

    /// Writes the remaining parts of the file.
    consuming func finish() throws(Failure) {
        try flush()
        table.append(UInt64(table.count / 2))
        let checksum = unsafe table.withUnsafeBytes { unsafe Checksum.number(of: $0) }
        table.append(checksum)
        unsafe table.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
        try flush()
        guard durability == .powerLoss else { return }
        try file.synchronize()
        // The verification must read from the disk, not from the memory that was written.
        file.evict()
    }

    private mutating func flush() throws(Failure) {
        try unsafe file.write(buffer.span.bytes, at: written)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
