import Model
import Redis

/// Reads what is published of all members, bucket by bucket.
struct RedisMemberReader {
    /// Replies outstanding.
    private static let window = 64

    private let layout: RedisLayout
    private let version: VersionName
    private let bucketCount: Int

    init(_ layout: RedisLayout, _ version: VersionName, bucketCount: Int) {
        self.layout = layout
        self.version = version
        self.bucketCount = bucketCount
    }

    /// Reads the buckets of all hashes, in the order of `UserHash` and of their numbers.
    ///
    /// - Parameters:
    ///   - heartbeat: called before each command; may make one of its own, whose reply is an integer, to be sent first.
    ///   - beginBucket: called before the words of each bucket.
    ///   - take: is given a user's id, then, with `isValue`, the user's value, and so on.
    func read(
        from connection: inout StoreConnection, heartbeat: (inout RedisCommand) -> Bool = { _ in false },
        beginBucket: () throws(StoreError) -> Void,
        _ take: (_ word: borrowing Span<UInt8>, _ isValue: Bool) throws(StoreError) -> Void
    ) throws(StoreError) {
        func takeBucket(_ reply: borrowing ReceivedReply) throws(StoreError) {
            // An integer answers a heartbeat.
            guard let count = reply.elementCount else { return }
            try beginBucket()
            for place in 0..<count {
                try reply.withBytes(ofElement: place, orThrow: damaged) { bytes throws(StoreError) in
                    guard let bytes else { throw damaged }
                    // Fields and values take turns.
                    try take(bytes, !place.isMultiple(of: 2))
                }
            }
        }
        for hash in RedisLayout.UserHash.allCases {
            let stem = layout.stem(version, hash)
            var command = RedisCommand()
            for bucket in 0..<bucketCount {
                if heartbeat(&command) { try connection.push(command, window: Self.window, takeBucket) }
                command.replace(with: "HGETALL")
                command.appendKey(stem, bucket)
                try connection.push(command, window: Self.window, takeBucket)
            }
        }
        try connection.finish(takeBucket)
    }

    private var damaged: StoreError {
        StoreError(.corrupt, "Redis has something else than fields and values for users of version \(version)")
    }
}
