import Model

/// The compact encoding of a member's feedback.
///
/// All numbers are `Varint`s. The parts follow one another in this order:
///
/// - the number of dismissals; for each the difference of its group to the previous one (or to 0), and its Unix seconds
/// - the number of exposures; for each the difference of its group, and the impressions in thousandths
/// - the interests in UTF-8, separated by semicolons
/// - for a member with hints, or one who is not listed, a zero byte
/// - then the hints of each kind that is told, in the order of `EvidenceKind`
/// - then a byte unless it is 0: 1 for a member who is not listed, 2 for hints of own photos, 3 for both
/// - then the hints of own photos, if there are any
///
/// The hints of a kind are their number, and for each the difference of its group, its units and its count. Earlier
/// programs wrote no hints of own photos, and still earlier ones named nobody as not listed.
enum FeedbackCoding {
    /// Appends feedback.
    ///
    /// - Returns: `false` if the groups are not strictly ascending.
    static func append(_ feedback: PublishedMember.Feedback, to bytes: inout [UInt8]) -> Bool {
        guard append(feedback.dismissals.map { ($0.group, seconds($0)) }, to: &bytes),
            append(feedback.exposures.map { ($0.group, thousandths($0)) }, to: &bytes)
        else { return false }
        bytes.append(contentsOf: feedback.interestBytes)
        guard !feedback.hints.isEmpty || feedback.isUnlisted else { return true }
        bytes.append(0)
        for kind in EvidenceKind.told {
            guard append(feedback.hints.filter { $0.kind == kind }, to: &bytes) else { return false }
        }
        let photos = feedback.hints.filter { $0.kind == .photos }
        let marks = (feedback.isUnlisted ? unlistedMark : 0) | (photos.isEmpty ? 0 : photosMark)
        guard marks != 0 else { return true }
        bytes.append(marks)
        return photos.isEmpty || append(photos, to: &bytes)
    }

    private static let unlistedMark: UInt8 = 1
    private static let photosMark: UInt8 = 2

    private static func append(_ hints: [GroupHint], to bytes: inout [UInt8]) -> Bool {
        Varint.append(UInt32(hints.count), to: &bytes)
        var previous: UInt32?
        for hint in hints {
            guard hint.group > previous ?? 0 || previous == nil else { return false }
            for number in [hint.group - (previous ?? 0), hint.units, hint.count] { Varint.append(number, to: &bytes) }
            previous = hint.group
        }
        return true
    }

    /// Decodes feedback, or returns `nil` if it is malformed or has a group that is not below `groupCount`.
    static func decode(_ bytes: borrowing Span<UInt8>, groupCount: Int) -> PublishedMember.Feedback? {
        var offset = 0
        guard let dismissals = decodePairs(bytes, at: &offset, groupCount: groupCount),
            let exposures = decodePairs(bytes, at: &offset, groupCount: groupCount)
        else { return nil }
        var interests: [UInt8] = []
        while offset < bytes.count, bytes[offset] != 0 {
            interests.append(bytes[offset])
            offset += 1
        }
        guard let (hints, isUnlisted) = decodeHints(bytes, at: &offset, groupCount: groupCount),
            String(validating: interests, as: UTF8.self) != nil
        else { return nil }
        var feedback = PublishedMember.Feedback(
            dismissals: dismissals.map { Dismissal(group: $0, atMilliseconds: Int64($1) * 1000) },
            exposures: exposures.map { Exposure(group: $0, impressions: Double($1) / 1000) },
            interestBytes: interests[...], hints: hints)
        feedback.isUnlisted = isUnlisted
        return feedback
    }

    /// Decodes the parts after the interests, up to the end.
    private static func decodeHints(_ bytes: borrowing Span<UInt8>, at offset: inout Int, groupCount: Int)
        -> ([GroupHint], isUnlisted: Bool)?
    {
        guard offset < bytes.count else { return ([], false) }
        offset += 1
        var hints: [GroupHint] = []
        for kind in EvidenceKind.told {
            guard decode(kind, bytes, at: &offset, groupCount, to: &hints) else { return nil }
        }
        guard offset < bytes.count else { return (hints, false) }
        let marks = bytes[offset]
        offset += 1
        guard marks != 0, marks <= unlistedMark | photosMark else { return nil }
        if marks & photosMark != 0 {
            guard decode(.photos, bytes, at: &offset, groupCount, to: &hints) else { return nil }
        }
        return offset == bytes.count ? (hints, marks & unlistedMark != 0) : nil
    }

    private static func decode(
        _ kind: EvidenceKind, _ bytes: borrowing Span<UInt8>, at offset: inout Int, _ groupCount: Int,
        to hints: inout [GroupHint]
    ) -> Bool {
        guard let count = Varint.read(bytes, at: &offset) else { return false }
        var previous: UInt32?
        for _ in 0..<count {
            guard let difference = Varint.read(bytes, at: &offset), let units = Varint.read(bytes, at: &offset),
                let number = Varint.read(bytes, at: &offset), previous == nil || difference > 0
            else { return false }
            let (group, overflow) = (previous ?? 0).addingReportingOverflow(difference)
            guard !overflow, group < groupCount else { return false }
            hints.append(GroupHint(kind, group: group, units: units, count: number))
            previous = group
        }
        return true
    }

    private static func seconds(_ dismissal: Dismissal) -> UInt32 {
        UInt32(clamping: dismissal.atMilliseconds / 1000)
    }

    private static func thousandths(_ exposure: Exposure) -> UInt32 {
        UInt32(clamping: Int64((min(exposure.impressions, 1e6) * 1000).rounded()))
    }

    private static func append(_ pairs: [(UInt32, UInt32)], to bytes: inout [UInt8]) -> Bool {
        Varint.append(UInt32(pairs.count), to: &bytes)
        var previous: UInt32?
        for (group, number) in pairs {
            guard previous.map({ group > $0 }) ?? true else { return false }
            Varint.append(group - (previous ?? 0), to: &bytes)
            Varint.append(number, to: &bytes)
            previous = group
        }
        return true
    }

    private static func decodePairs(
        _ bytes: borrowing Span<UInt8>, at offset: inout Int, groupCount: Int
    ) -> [(UInt32, UInt32)]? {
        guard let count = Varint.read(bytes, at: &offset) else { return nil }
        var pairs: [(UInt32, UInt32)] = []
        for _ in 0..<count {
            guard let difference = Varint.read(bytes, at: &offset), let number = Varint.read(bytes, at: &offset),
                pairs.isEmpty || difference > 0
            else { return nil }
            let (group, overflow) = (pairs.last?.0 ?? 0).addingReportingOverflow(difference)
            guard !overflow, group < groupCount else { return nil }
            pairs.append((group, number))
        }
        return pairs
    }
}

/// The groups that a user joined, and the day of the first membership.
struct JoinedGroups: Equatable {
    /// The indexes of the groups, ascending.
    var groups: [UInt32]
    /// The day, as in `PublishedMember.firstDay`.
    var firstDay: UInt16?
}

/// The compact encoding of the groups that a user joined: `Varint`s of the differences of ascending indexes.
///
/// The first number is the difference to 0. A user without groups has an empty value. A difference of 0 after the first
/// group marks the end of the groups; the day of the earliest membership follows.
enum JoinedGroupsCoding {
    /// Appends ascending indexes.
    ///
    /// - Parameters:
    ///   - groups: the indexes.
    ///   - firstDay: the day of the earliest membership, which is left out for a user without groups.
    ///   - bytes: the bytes to append to.
    /// - Returns: `false` if the indexes are not strictly ascending.
    static func append(_ groups: ArraySlice<UInt32>, firstDay: UInt16? = nil, to bytes: inout [UInt8]) -> Bool {
        var previous: UInt32?
        for group in groups {
            guard group > previous ?? 0 || previous == nil else { return false }
            Varint.append(group - (previous ?? 0), to: &bytes)
            previous = group
        }
        if let firstDay, !groups.isEmpty {
            Varint.append(0, to: &bytes)
            Varint.append(UInt32(firstDay), to: &bytes)
        }
        return true
    }

    /// Decodes a value, or returns `nil` if it is malformed or has an index that is not below `groupCount`.
    static func decode(_ bytes: borrowing Span<UInt8>, groupCount: Int) -> JoinedGroups? {
        var groups: [UInt32] = []
        var offset = 0
        while offset < bytes.count {
            guard let difference = Varint.read(bytes, at: &offset) else { return nil }
            if difference == 0, !groups.isEmpty {
                guard let day = Varint.read(bytes, at: &offset), offset == bytes.count else { return nil }
                return UInt16(exactly: day).map { JoinedGroups(groups: groups, firstDay: $0) }
            }
            let (group, overflow) = (groups.last ?? 0).addingReportingOverflow(difference)
            guard !overflow, group < groupCount else { return nil }
            groups.append(group)
        }
        return JoinedGroups(groups: groups)
    }
}

/// The users of a bucket with their values, in one text.
///
/// For each user it has the length of the id (`Varint`), the id, the length of the value, and the value. Writers use
/// the order of `UserBuckets`; readers accept any order.
enum PackedUsers {
    /// Appends a word: a user's id, or the value that follows the id.
    static func append(_ word: borrowing Span<UInt8>, to bytes: inout [UInt8]) {
        Varint.append(UInt32(word.count), to: &bytes)
        unsafe word.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Calls `body` with the ranges of each user's id and value, until it returns `false`.
    ///
    /// - Returns: `false` if the bytes are malformed.
    static func forEach(
        in bytes: borrowing Span<UInt8>, _ body: (_ id: Range<Int>, _ value: Range<Int>) -> Bool
    ) -> Bool {
        var offset = 0
        while offset < bytes.count {
            guard let id = word(bytes, at: &offset), let value = word(bytes, at: &offset) else { return false }
            guard body(id, value) else { break }
        }
        return true
    }

    /// Returns the number of users, or `nil` if the bytes are malformed.
    static func count(in bytes: borrowing Span<UInt8>) -> Int? {
        var count = 0
        let isSound = forEach(in: bytes) { _, _ in
            count += 1
            return true
        }
        return isSound ? count : nil
    }

    /// Returns the range of a word after its length, or `nil` if the bytes end within it.
    private static func word(_ bytes: borrowing Span<UInt8>, at offset: inout Int) -> Range<Int>? {
        guard let count = Varint.read(bytes, at: &offset), Int(count) <= bytes.count - offset else { return nil }
        defer { offset += Int(count) }
        return offset..<offset + Int(count)
    }
}

/// The encoding of unsigned numbers in as few bytes as possible (LEB128).
///
/// Each byte has seven bits, the lowest first. All bytes but the last have their highest bit set.
enum Varint {
    /// Appends a number, in 1 to 5 bytes.
    @inline(__always)
    static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number and moves `offset` past it.
    ///
    /// - Returns: `nil` if the bytes end within the number, or if it has more than 32 bits.
    @inline(__always)
    static func read(_ bytes: borrowing Span<UInt8>, at offset: inout Int) -> UInt32? {
        var number: UInt32 = 0
        var shift: UInt32 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            // The fifth byte has only four bits of the number.
            if shift == 28, byte > 0x0F { return nil }
            number |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}
