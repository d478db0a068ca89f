import Model
import Redis

/// Reads what is published of all members, bucket by bucket.
struct RedisMemberReader {
    /// Replies outstanding.
    private static let window = 64

    private let layout: RedisLayout
    private let version: VersionName
    private let report: Manifest.MembersReport

    /// - Parameter report: what the manifest says of the members.
    init(_ layout: RedisLayout, _ version: VersionName, _ report: Manifest.MembersReport) {
        self.layout = layout
        self.version = version
        self.report = report
    }

    /// Reads the buckets of all hashes, in the order of `UserHash` and of their numbers, and compares them with the
    /// manifest.
    ///
    /// - Parameters:
    ///   - beginBucket: called before the words of each bucket.
    ///   - take: is given a user's id, then the user's value, and so on.
    /// - Throws: `StoreError.corrupt` if something else was read than the manifest says; or what `beginBucket` throws.
    func read(
        from connection: inout StoreConnection, beginBucket: () throws(StoreError) -> Void,
        _ take: (_ word: borrowing Span<UInt8>) -> Void
    ) throws(StoreError) {
        try check(read(RedisLayout.UserHash.allCases, from: &connection, beginBucket: beginBucket, take))
    }

    /// Reads the buckets of some hashes, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - heartbeat: called before each command; may make one of its own, whose reply is an integer, to be sent first.
    ///   - beginBucket: called before the words of each bucket.
    ///   - take: is given a user's id, then the user's value, and so on.
    /// - Returns: the checksum of what was read.
    func read(
        _ hashes: [RedisLayout.UserHash], from connection: inout StoreConnection,
        heartbeat: (inout RedisCommand) -> Bool = { _ in false },
        beginBucket: () throws(StoreError) -> Void = {}, _ take: (_ word: borrowing Span<UInt8>) -> Void = { _ in }
    ) throws(StoreError) -> MembersChecksum {
        var checksum = MembersChecksum()
        var place = 0
        func takeBucket(_ reply: borrowing ReceivedReply) throws(StoreError) {
            // An integer answers a heartbeat.
            guard let count = reply.elementCount else { return }
            try beginBucket()
            let (hash, bucket) = (hashes[place / report.bucketCount], place % report.bucketCount)
            place += 1
            for element in 0..<count {
                try reply.withBytes(ofElement: element, orThrow: damaged) { bytes throws(StoreError) in
                    guard let bytes else { throw damaged }
                    // Ids and values take turns.
                    if element.isMultiple(of: 2) {
                        checksum.begin(bytes, of: hash, inBucket: bucket)
                    } else {
                        checksum.end(bytes)
                    }
                    take(bytes)
                }
            }
        }
        for hash in hashes {
            let stem = layout.stem(version, hash)
            var command = RedisCommand()
            for bucket in 0..<report.bucketCount {
                if heartbeat(&command) { try connection.push(command, window: Self.window, takeBucket) }
                command.replace(with: "HGETALL")
                command.appendKey(stem, bucket)
                try connection.push(command, window: Self.window, takeBucket)
            }
        }
        try connection.finish(takeBucket)
        return checksum
    }

    /// Compares the checksum of all hashes with the manifest.
    ///
    /// - Throws: `StoreError.corrupt` if it is another one.
    func check(_ checksum: MembersChecksum) throws(StoreError) {
        guard checksum.report(bucketCount: report.bucketCount) == report else {
            throw StoreError(
                .corrupt,
                """
                what Redis has of the members of version \(version) is not the \(report.valueCount) values of its \
                manifest
                """)
        }
    }

    private var damaged: StoreError {
        StoreError(.corrupt, "Redis has something else than fields and values for users of version \(version)")
    }
}
