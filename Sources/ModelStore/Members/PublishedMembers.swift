import Glibc
public import Model

/// All members published with a version, in a local file.
///
/// The file belongs to the version of a folder store. For a version in Redis, a daemon keeps it in its cache, and so
/// asks no server for a member.
///
/// The parts of the file follow one another in this order:
///
/// - 8 bytes that name the format
/// - the buckets as in Redis (`PackedUsers`): all of `joined`, then all of `feedback`
/// - as 64-bit numbers: the start of each bucket, and the end of the last one
/// - as 64-bit numbers: the number of buckets of each kind, and the number of groups in the version
/// - as 64-bit numbers: the checksum of the members in the version's manifest, and the checksum of all bytes before
public final class PublishedMembers: Sendable {
    static let format = Array("CtMembr2".utf8)
    /// The length of the numbers after the table of starts.
    private static let trailerByteCount = 32

    private let region: ByteRegion
    private let path: String
    private let bucketCount: Int
    private let groupCount: Int
    /// The offset of the table of the buckets' starts.
    private let startsOffset: Int

    /// Opens a file, and verifies the checksum of the whole file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - report: the report on members in the version's manifest.
    ///   - groupCount: the number of groups in the version.
    ///   - isOwn: whether a private copy is opened.
    /// - Throws: `StoreError.corrupt` if the file is damaged, or belongs to another manifest.
    init(_ path: String, _ report: Manifest.MembersReport, groupCount: Int, isOwn: Bool = false) throws(StoreError) {
        region = try MappedFile.region(of: OpenFile(path, for: .reading), isOwn: isOwn)
        self.path = path
        self.groupCount = groupCount
        let damaged = StoreError(.corrupt, "\(path) is damaged, or belongs to another version")
        let end = region.count - Self.trailerByteCount
        guard end >= Self.format.count, Self.number(region, at: end + 8) == UInt64(groupCount),
            let buckets = Int(exactly: Self.number(region, at: end)), buckets == report.bucketCount,
            Self.number(region, at: end + 16) == UInt64(report.checksum, radix: 16),
            buckets <= end / 16, end - (2 * buckets + 1) * 8 >= Self.format.count
        else { throw damaged }
        bucketCount = buckets
        startsOffset = end - (2 * buckets + 1) * 8
        let checksum = unsafe region.withBytes(0..<region.count - 8) { unsafe Checksum.number(of: $0) }
        guard unsafe region.withBytes(0..<Self.format.count, { unsafe $0.elementsEqual(Self.format) }),
            checksum == Self.number(region, at: region.count - 8)
        else { throw damaged }
    }

    /// Returns a published member, or `nil` if the version does not have the user.
    public func member(withID id: String) throws(StoreError) -> PublishedMember? {
        guard bucketCount > 0 else { return nil }
        let bucket = RedisLayout.bucket(ofUser: id.utf8Span.span, of: bucketCount)
        let joined = try value(ofUser: id, inBucket: bucket) { JoinedGroupsCoding.decode($0, groupCount: groupCount) }
        let feedback = try value(ofUser: id, inBucket: bucketCount + bucket) {
            FeedbackCoding.decode($0, groupCount: groupCount)
        }
        return PublishedMember(foundJoined: joined, feedback: feedback)
    }

    /// Returns the ids of all members, in ascending order of their bytes.
    ///
    /// - Complexity: O(members · log members).
    public func memberIDs() throws(StoreError) -> [String] {
        var ids: Set<BytewiseString> = []
        for bucket in 0..<2 * bucketCount {
            try withBucket(bucket) { bytes throws(StoreError) in
                var texts: [String?] = []
                let isSound = PackedUsers.forEach(in: bytes) { user, _ in
                    let id = (user.lowerBound..<user.upperBound).map { bytes[$0] }
                    texts.append(String(validating: id, as: UTF8.self))
                    return true
                }
                guard isSound, !texts.contains(nil) else { throw damaged(bucket) }
                for case let text? in texts { ids.insert(BytewiseString(text)) }
            }
        }
        return ids.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the value of a user in a bucket, or `nil` if the user is not in it.
    private func value<Value>(ofUser id: String, inBucket bucket: Int, _ decode: (borrowing Span<UInt8>) -> Value?)
        throws(StoreError) -> Value?
    {
        let wanted = Array(id.utf8)
        return try withBucket(bucket) { bytes throws(StoreError) in
            var found: Range<Int>?
            let isSound = PackedUsers.forEach(in: bytes) { user, value in
                let isWanted =
                    user.count == wanted.count
                    && wanted.indices.allSatisfy { bytes[user.lowerBound + $0] == wanted[$0] }
                if isWanted { found = value }
                return !isWanted
            }
            guard isSound else { throw damaged(bucket) }
            guard let found else { return nil }
            guard let decoded = decode(bytes.extracting(found)) else { throw damaged(bucket) }
            return decoded
        }
    }

    /// Calls `body` with the bytes of a bucket.
    private func withBucket<Result>(
        _ bucket: Int, _ body: (borrowing Span<UInt8>) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let start = Self.number(region, at: startsOffset + bucket * 8)
        let end = Self.number(region, at: startsOffset + bucket * 8 + 8)
        guard start <= end, end <= UInt64(startsOffset) else { throw damaged(bucket) }
        return try unsafe region.withBytes(Int(start)..<Int(end)) { buffer throws(StoreError) in
            try body(unsafe buffer.bindMemory(to: UInt8.self).span)
        }
    }

    private func damaged(_ bucket: Int) -> StoreError {
        StoreError(.corrupt, "\(path): bucket \(bucket) does not hold members")
    }

    private static func number(_ region: ByteRegion, at offset: Int) -> UInt64 {
        unsafe region.withBytes(offset..<offset + 8) { unsafe $0.loadUnaligned(as: UInt64.self) }
    }
}

/// A user as published with a model version, with indexes of its groups.
///
/// Daemons without the catalog know members from here, and from newer changes.
public struct PublishedMember: Sendable, Equatable {
    /// A user's dismissals, exposures and interests, and the groups that favourites and follows point to.
    public struct Feedback: Sendable, Equatable {
        /// The least impressions of a published exposure; fewer would be rounded to 0.
        public static let leastImpressions = 0.0005

        /// The dismissals, in ascending order of the group.
        public var dismissals: [Dismissal]
        /// The exposures, in ascending order of the group; impressions are faded to the moment of the version's
        /// recompute.
        public var exposures: [Exposure]
        /// The stated interests in UTF-8, separated by semicolons: in the stored form, since millions are published.
        public var interestBytes: ArraySlice<UInt8>

        /// The groups that favourites and follows point to, in the order of the kinds, then of the groups.
        public var hints: [GroupHint]
        /// Whether the user may not be counted to others.
        public var isUnlisted = false

        /// Creates feedback.
        public init(
            dismissals: [Dismissal] = [], exposures: [Exposure] = [], interestBytes: ArraySlice<UInt8> = [],
            hints: [GroupHint] = []
        ) {
            self.dismissals = dismissals
            self.exposures = exposures
            self.interestBytes = interestBytes
            self.hints = hints
        }

        /// The stated interests.
        public var interests: [String] {
            interestBytes.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
        }

        /// Whether there is no feedback.
        public var isEmpty: Bool {
            dismissals.isEmpty && exposures.isEmpty && interestBytes.isEmpty && hints.isEmpty && !isUnlisted
        }
    }

    /// The indexes of the groups that the user is in, ascending.
    public var joined: [UInt32]
    /// The day of the earliest membership, in days since 1970.
    ///
    /// It is 0 if the time of a membership is not known. It is `nil` if there is none, or if an earlier program
    /// published the member.
    public var firstDay: UInt16?
    /// The user's feedback.
    public var feedback: Feedback

    /// Creates a member from the values of a user, or returns `nil` if there are none.
    init?(foundJoined joined: JoinedGroups?, feedback: Feedback?) {
        guard joined != nil || feedback != nil else { return nil }
        self.init(joined: joined?.groups ?? [], firstDay: joined?.firstDay, feedback: feedback ?? Feedback())
    }

    /// Creates a member.
    public init(joined: [UInt32] = [], firstDay: UInt16? = nil, feedback: Feedback = Feedback()) {
        self.joined = joined
        self.firstDay = firstDay
        self.feedback = feedback
    }
}

/// The members to publish with a version; users are numbered from 0, in any order.
public protocol MemberSource: Sendable {
    /// The number of users.
    var userCount: Int { get }

    /// Returns the bytes of a user's external id.
    ///
    /// - Parameter number: the user's number, in 0 ..< `userCount`.
    func id(ofUser number: Int) -> ArraySlice<UInt8>

    /// Returns the indexes of the groups that a user joined, ascending.
    ///
    /// - Parameter number: the user's number, in 0 ..< `userCount`.
    func groups(ofUser number: Int) -> ArraySlice<UInt32>

    /// Returns the day of a user's earliest membership, as in `PublishedMember.firstDay`.
    ///
    /// - Parameter number: the user's number, in 0 ..< `userCount`.
    func firstDay(ofUser number: Int) -> UInt16?

    /// Returns a user's feedback.
    ///
    /// - Parameter number: the user's number, in 0 ..< `userCount`.
    func feedback(ofUser number: Int) -> PublishedMember.Feedback

    /// Announces the next users, so that their data can be fetched from memory in parallel.
    ///
    /// - Parameter numbers: the users' numbers, in 0 ..< `userCount`.
    func prepare(_ numbers: ArraySlice<UInt32>)
}

extension MemberSource {
    /// Does nothing.
    public func prepare(_ numbers: ArraySlice<UInt32>) {}
}
