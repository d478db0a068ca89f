import Basics
import Model
import Redis

/// Reads all members published with a version, bucket by bucket.
struct RedisMemberReader {
    /// A function that takes a bucket in the form of `PackedUsers`, and its checksum; a bucket without users is empty.
    typealias Sink = (_ bucket: borrowing Span<UInt8>, _ checksum: UInt64) throws(Failure) -> Void

    /// The number of buckets in one command: about 100 KB.
    private static let bucketsPerCommand = 8
    /// The greatest number of outstanding replies.
    private static let window = 16

    /// The start of the keys of the buckets.
    private let stem: String
    private let version: VersionName
    private let report: Manifest.MembersReport

    init(_ stem: String, _ version: VersionName, _ report: Manifest.MembersReport) {
        self.stem = stem
        self.version = version
        self.report = report
    }

    /// Reads all buckets in the order of their numbers, and compares them with the manifest.
    ///
    /// - Parameters:
    ///   - heartbeat: a function that is called before each command. The function may write a command with an integer
    ///     reply, which is then sent first.
    ///   - take: a function that receives each bucket.
    /// - Throws: `Failure.corrupt` if they differ from the manifest, or an error of `take`.
    func read(
        from connection: inout StoreConnection, heartbeat: (inout RedisCommand) -> Bool = { _ in false },
        take: Sink = { _, _ in }
    ) throws(Failure) {
        var checksum = MembersChecksum()
        var next = 0
        func takeBucket(_ bucket: borrowing Span<UInt8>) throws(Failure) {
            guard let count = PackedUsers.count(in: bucket) else {
                throw Failure(
                    .corrupt, "Redis has something else than users and their values for version \(version); recompute")
            }
            let found = checksum.add(bucket, userCount: count, number: next)
            next += 1
            try take(bucket, found)
        }
        func takeReply(_ reply: borrowing ReceivedReply) throws(Failure) {
            // An integer is the reply to a heartbeat.
            for element in 0..<(reply.elementCount ?? 0) {
                try reply.withBytes(ofElement: element, orThrow: differing) { bytes throws(Failure) in
                    guard let bytes else { return try takeBucket(Span()) }
                    try takeBucket(bytes)
                }
            }
        }
        var command = RedisCommand()
        for first in stride(from: 0, to: report.bucketCount, by: Self.bucketsPerCommand) {
            if heartbeat(&command) { try connection.push(command, window: Self.window, takeReply) }
            command.replace(with: "MGET")
            for bucket in first..<min(first + Self.bucketsPerCommand, report.bucketCount) {
                command.appendKey(stem, bucket)
            }
            try connection.push(command, window: Self.window, takeReply)
        }
        try connection.finish(takeReply)
        guard checksum.report(bucketCount: report.bucketCount) == report else { throw differing }
    }

    private var differing: Failure {
        Failure(
            .corrupt,
            """
            what Redis has of the members of version \(version) is not the \(report.valueCount) members of its \
            manifest; recompute
            """)
    }
}

/// Writes the members published with a version.
struct RedisMemberWriter {
    /// The size at which a command is sent, in bytes; the bucket that reaches it is the last.
    private static let bytesPerCommand = 64 << 10
    /// The greatest number of outstanding replies, which are short.
    private static let window = 64

    /// The start of the keys of the buckets.
    private let stem: String
    private let members: PackedMembers

    init(_ stem: String, _ members: PackedMembers) {
        self.stem = stem
        self.members = members
    }

    /// Writes the values of all users, bucket by bucket; an empty bucket has no key.
    ///
    /// - Returns: the report on the members.
    func write(
        to connection: inout StoreConnection, lease: inout PublisherLease, progress: (_ writtenUsers: Int) -> Void
    ) throws(Failure) -> Manifest.MembersReport {
        var command = RedisCommand("MSET")
        var written = 0
        let report = try members.forEachBucket { bucket, packed, count, _ throws(Failure) in
            written += count
            if count > 0 {
                command.appendKey(stem, bucket)
                command.append(packed)
            }
            let isLast = bucket == members.bucketCount - 1 && command.wordCount > 1
            guard command.byteCount >= Self.bytesPerCommand || isLast else { return }
            try connection.push(command, window: Self.window) { _ in }
            if lease.renewal(&command) { try connection.push(command, window: Self.window) { _ in } }
            command.replace(with: "MSET")
            progress(written)
            written = 0
        }
        progress(written)
        try connection.finish { _ in }
        return report
    }
}
