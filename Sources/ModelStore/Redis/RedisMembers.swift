import Model
import Redis

/// Reads all members published with a version, bucket by bucket.
struct RedisMemberReader {
    /// A function that takes a bucket in the form of `PackedUsers`; a bucket without users is empty.
    typealias Sink = (_ bucket: borrowing Span<UInt8>) throws(StoreError) -> Void

    /// The number of buckets in one command: about 40 KB.
    private static let bucketsPerCommand = 8
    /// The greatest number of outstanding replies.
    private static let window = 16

    private let layout: RedisLayout
    private let version: VersionName
    private let report: Manifest.MembersReport
    private let packing: VersionShape.Packing

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - layout: the names of the keys.
    ///   - version: the version.
    ///   - report: the report on members in the manifest.
    ///   - packing: the storage of the version's buckets.
    init(
        _ layout: RedisLayout, _ version: VersionName, _ report: Manifest.MembersReport, _ packing: VersionShape.Packing
    ) {
        self.layout = layout
        self.version = version
        self.report = report
        self.packing = packing
    }

    /// Reads all buckets and compares them with the manifest.
    ///
    /// The buckets come in the order of `UserValues`, then of their numbers.
    ///
    /// - Throws: `StoreError.corrupt` if they differ from the manifest, or an error of `take`.
    func read(from connection: inout StoreConnection, _ take: Sink) throws(StoreError) {
        try check(read(RedisLayout.UserValues.allCases, from: &connection, take))
    }

    /// Reads the buckets of some kinds of values, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of values.
    ///   - connection: the connection to the server.
    ///   - heartbeat: a function that is called before each command. The function may write a command with an integer
    ///     reply, which is then sent first.
    ///   - take: a function that receives each bucket.
    /// - Returns: the checksum of the buckets.
    func read(
        _ kinds: [RedisLayout.UserValues], from connection: inout StoreConnection,
        heartbeat: (inout RedisCommand) -> Bool = { _ in false }, _ take: Sink = { _ in }
    ) throws(StoreError) -> MembersChecksum {
        var checksum = MembersChecksum()
        var place = 0
        func takeBucket(_ bucket: borrowing Span<UInt8>) throws(StoreError) {
            let (kind, number) = (kinds[place / report.bucketCount], place % report.bucketCount)
            place += 1
            guard add(bucket, kind, number, to: &checksum) else { throw damaged }
            try take(bucket)
        }
        func takeReply(_ reply: borrowing ReceivedReply) throws(StoreError) {
            // An integer is the reply to a heartbeat.
            guard let count = reply.elementCount else { return }
            guard packing == .packed else {
                let bucket = try packed(reply, count)
                return try takeBucket(bucket.span)
            }
            for element in 0..<count {
                try reply.withBytes(ofElement: element, orThrow: damaged) { bytes throws(StoreError) in
                    guard let bytes else { return try takeBucket(Span()) }
                    try takeBucket(bytes)
                }
            }
        }
        let bucketsPerCommand = packing == .packed ? Self.bucketsPerCommand : 1
        for kind in kinds {
            let stem = layout.stem(version, kind)
            var command = RedisCommand()
            for first in stride(from: 0, to: report.bucketCount, by: bucketsPerCommand) {
                if heartbeat(&command) { try connection.push(command, window: Self.window, takeReply) }
                command.replace(with: packing == .packed ? "MGET" : "HGETALL")
                for bucket in first..<min(first + bucketsPerCommand, report.bucketCount) {
                    command.appendKey(stem, bucket)
                }
                try connection.push(command, window: Self.window, takeReply)
            }
        }
        try connection.finish(takeReply)
        return checksum
    }

    /// Adds a bucket to a checksum.
    ///
    /// - Returns: `false` if the bucket does not hold users.
    private func add(
        _ bucket: borrowing Span<UInt8>, _ kind: RedisLayout.UserValues, _ number: Int,
        to checksum: inout MembersChecksum
    ) -> Bool {
        switch packing {
        case .hashes: return checksum.addUserByUser(bucket, of: kind, number: number)
        case .packed:
            guard let count = PackedUsers.count(in: bucket) else { return false }
            checksum.add(bucket, userCount: count, of: kind, number: number)
            return true
        }
    }

    /// Returns a hash's fields as a bucket; ids and values alternate.
    private func packed(_ reply: borrowing ReceivedReply, _ count: Int) throws(StoreError) -> [UInt8] {
        var packed: [UInt8] = []
        for element in 0..<count {
            try reply.withBytes(ofElement: element, orThrow: damaged) { bytes throws(StoreError) in
                guard let bytes else { throw damaged }
                PackedUsers.append(bytes, to: &packed)
            }
        }
        return packed
    }

    /// Compares the checksum of all buckets with the manifest.
    ///
    /// - Throws: `StoreError.corrupt` if they differ.
    func check(_ checksum: MembersChecksum) throws(StoreError) {
        let found = checksum.report(bucketCount: report.bucketCount)
        guard found.valueCount == report.valueCount, found.checksum == report.checksum else {
            throw StoreError(
                .corrupt,
                """
                what Redis has of the members of version \(version) is not the \(report.valueCount) values of its \
                manifest
                """)
        }
    }

    private var damaged: StoreError {
        StoreError(.corrupt, "Redis has something else than users and their values for version \(version)")
    }
}

/// Writes the members published with a version.
struct RedisMemberWriter {
    /// The size at which a command is sent, in bytes; the bucket that reaches it is the last.
    private static let bytesPerCommand = 64 << 10
    /// The greatest number of outstanding replies, which are short.
    private static let window = 64

    private let layout: RedisLayout
    private let version: VersionName
    private let members: PackedMembers

    init(_ layout: RedisLayout, _ version: VersionName, _ members: PackedMembers) {
        self.layout = layout
        self.version = version
        self.members = members
    }

    /// Writes the values of all users, bucket by bucket; an empty bucket has no key.
    ///
    /// - Returns: the checksum of the buckets.
    func write(
        _ kind: RedisLayout.UserValues, to connection: inout StoreConnection, lease: inout PublisherLease,
        progress: (_ writtenUsers: Int) -> Void
    ) throws(StoreError) -> MembersChecksum {
        let stem = layout.stem(version, kind)
        var command = RedisCommand("MSET")
        var written = 0
        let checksum = try members.forEachBucket(of: kind) { bucket, packed, count throws(StoreError) in
            written += members.userCount(inBucket: bucket)
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
        return checksum
    }
}
