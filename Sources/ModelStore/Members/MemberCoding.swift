package import Model

/// The compact encoding of published members, for one version.
///
/// A value consists of `Varint`s, unless something else is said. Groups ascend; each is told by its difference to the
/// previous one, or to 0. An unknown time is 0. Any other time is 1 + (created − time) mod 2³², in Unix seconds, with
/// the creation of the version. The parts follow one another in this order:
///
/// - a byte of marks: 1 for a user who is not listed, 2 for interests with a stamp, 4 for a pause, 8 for
///   arms
/// - the number of groups that the user is in; for each its difference, and the time of joining
/// - the number of groups that the user left; for each its difference, and the time
/// - the number of dismissals; for each the difference of its group, and its time
/// - the same for dismissals that were taken back
/// - the number of exposures; for each the difference of its group, and the impressions in thousandths
/// - the length of the interests in bytes, and the interests in UTF-8, separated by semicolons
/// - the stamp of the interests in Unix milliseconds, if they have one
/// - the time of a pause or its end, and the time until which it lasts, if there was any; unknown is for good
/// - the number of arms, if there are any; for each the length and the UTF-8 of the experiment, and of the arm
/// - nothing, if there are no hints; otherwise for each kind of `EvidenceKind` their number
/// - after each of these numbers, for each hint the difference of its group, its units and its count
package struct MemberCoding: Sendable, Equatable {
    /// The creation of the version, in Unix seconds.
    private let created: UInt32
    private let groupCount: Int

    private static let unlistedMark: UInt8 = 1
    private static let stampMark: UInt8 = 2
    private static let pauseMark: UInt8 = 4
    private static let armsMark: UInt8 = 8

    package init(createdAtMilliseconds: Int64, groupCount: Int) {
        created = UInt32(clamping: createdAtMilliseconds / 1000)
        self.groupCount = groupCount
    }

    /// Appends a member's value.
    ///
    /// - Returns: `false` if the groups are not strictly ascending, or are none of the version.
    package func append(_ member: PublishedMember, to bytes: inout [UInt8]) -> Bool {
        appendWithoutHints(member, to: &bytes) && append(hints: member.feedback.hints, to: &bytes)
    }

    /// Appends a member's value except the hints, which may be appended later.
    package func appendWithoutHints(_ member: PublishedMember, to bytes: inout [UInt8]) -> Bool {
        let feedback = member.feedback
        bytes.append(
            (feedback.isUnlisted ? Self.unlistedMark : 0) | (feedback.interestsStamp == nil ? 0 : Self.stampMark)
                | (feedback.pause == nil ? 0 : Self.pauseMark) | (feedback.arms.isEmpty ? 0 : Self.armsMark))
        guard append(member.joined, \.group, to: &bytes, { time($0.seconds) }),
            append(member.left, \.group, to: &bytes, { time($0.seconds) }),
            append(feedback.dismissals, \.group, to: &bytes, { time(UInt32(clamping: $0.atMilliseconds / 1000)) }),
            append(feedback.undismissed, \.group, to: &bytes, { time($0.seconds) }),
            append(feedback.exposures, \.group, to: &bytes, { Self.thousandths($0) })
        else { return false }
        Self.append(text: feedback.interestBytes, to: &bytes)
        if let stamp = feedback.interestsStamp { Varint.append(UInt64(bitPattern: stamp), to: &bytes) }
        if let pause = feedback.pause {
            for seconds in [pause.atSeconds, pause.endSeconds] {
                Varint.append(time(seconds.map { UInt32(clamping: $0) }), to: &bytes)
            }
        }
        if !feedback.arms.isEmpty { Varint.append(UInt64(feedback.arms.count), to: &bytes) }
        for (experiment, arm) in feedback.arms.sorted(by: { $0.key < $1.key }) {
            Self.append(text: experiment.utf8, to: &bytes)
            Self.append(text: arm.utf8, to: &bytes)
        }
        return true
    }

    private static func append(text: some Collection<UInt8>, to bytes: inout [UInt8]) {
        Varint.append(UInt64(text.count), to: &bytes)
        bytes.append(contentsOf: text)
    }

    package func append(hints: [GroupHint], to bytes: inout [UInt8]) -> Bool {
        guard !hints.isEmpty else { return true }
        for kind in EvidenceKind.allCases {
            let isAscending = append(hints.filter { $0.kind == kind }, \.group, to: &bytes) { hint, bytes in
                Varint.append(UInt64(hint.units), to: &bytes)
                Varint.append(UInt64(hint.count), to: &bytes)
            }
            guard isAscending else { return false }
        }
        return true
    }

    private func append<Entry>(
        _ entries: [Entry], _ group: (Entry) -> UInt32, to bytes: inout [UInt8], _ number: (Entry) -> UInt64
    ) -> Bool {
        append(entries, group, to: &bytes) { entry, bytes in Varint.append(number(entry), to: &bytes) }
    }

    private func append<Entry>(
        _ entries: [Entry], _ group: (Entry) -> UInt32, to bytes: inout [UInt8],
        rest: (Entry, inout [UInt8]) -> Void
    ) -> Bool {
        Varint.append(UInt64(entries.count), to: &bytes)
        var previous: UInt32?
        for entry in entries {
            let group = group(entry)
            guard previous.map({ group > $0 }) ?? true, group < groupCount else { return false }
            Varint.append(UInt64(group - (previous ?? 0)), to: &bytes)
            rest(entry, &bytes)
            previous = group
        }
        return true
    }

    private func time(_ seconds: UInt32?) -> UInt64 { seconds.map { 1 + UInt64(created &- $0) } ?? 0 }

    private static func thousandths(_ exposure: Exposure) -> UInt64 {
        UInt64((min(max(exposure.impressions, 0), 1e6) * 1000).rounded())
    }

    /// Decodes a value, or returns `nil` if it is malformed or has a group that is not of the version.
    package func decode(_ bytes: borrowing Span<UInt8>) -> PublishedMember? {
        guard let marks = bytes.isEmpty ? nil : bytes[0], marks < Self.armsMark << 1 else { return nil }
        var offset = 1
        var member = PublishedMember()
        guard let joined = decode(bytes, at: &offset, time, { PublishedMember.Joined(group: $0, seconds: $1) }),
            let left = decode(bytes, at: &offset, knownTime, { PublishedMember.Ended(group: $0, seconds: $1) }),
            let dismissals = decode(
                bytes, at: &offset, knownTime, { Dismissal(group: $0, atMilliseconds: Int64($1) * 1000) }),
            let undismissed = decode(bytes, at: &offset, knownTime, { PublishedMember.Ended(group: $0, seconds: $1) }),
            let exposures = decode(
                bytes, at: &offset, { $0 }, { Exposure(group: $0, impressions: Double($1) / 1000) }),
            let interests = text(bytes, at: &offset)
        else { return nil }
        (member.joined, member.left) = (joined, left)
        member.feedback = .init(
            dismissals: dismissals, undismissed: undismissed, exposures: exposures, interestBytes: interests[...])
        member.feedback.isUnlisted = marks & Self.unlistedMark != 0
        if marks & Self.stampMark != 0 {
            guard let stamp = Self.number(bytes, at: &offset) else { return nil }
            member.feedback.interestsStamp = Int64(bitPattern: stamp)
        }
        if marks & Self.pauseMark != 0 {
            guard let at = Self.number(bytes, at: &offset).flatMap(knownTime),
                let end = Self.number(bytes, at: &offset).flatMap(time)
            else { return nil }
            member.feedback.pause = Pause(atSeconds: Int64(at), endSeconds: end.map(Int64.init))
        }
        if marks & Self.armsMark != 0 {
            guard let count = Self.number(bytes, at: &offset), count <= bytes.count - offset else { return nil }
            for _ in 0..<count {
                guard let experiment = text(bytes, at: &offset), let arm = text(bytes, at: &offset) else { return nil }
                member.feedback.arms[String(decoding: experiment, as: UTF8.self)] = String(decoding: arm, as: UTF8.self)
            }
        }
        guard offset < bytes.count else { return member }
        for kind in EvidenceKind.allCases {
            guard let hints = hints(kind, bytes, at: &offset) else { return nil }
            member.feedback.hints += hints
        }
        return offset == bytes.count && !member.feedback.hints.isEmpty ? member : nil
    }

    private func hints(_ kind: EvidenceKind, _ bytes: borrowing Span<UInt8>, at offset: inout Int) -> [GroupHint]? {
        guard let count = Self.number(bytes, at: &offset), count <= bytes.count - offset else { return nil }
        var hints: [GroupHint] = []
        for _ in 0..<count {
            guard let group = group(after: hints.last?.group, bytes, at: &offset),
                let units = Self.number(bytes, at: &offset).flatMap({ UInt32(exactly: $0) }),
                let number = Self.number(bytes, at: &offset).flatMap({ UInt32(exactly: $0) })
            else { return nil }
            hints.append(GroupHint(kind, group: group, units: units, count: number))
        }
        return hints
    }

    /// Decodes groups, each with a number.
    ///
    /// - Parameter number: returns what the number stands for, or `nil` if it is malformed.
    private func decode<Number, Entry>(
        _ bytes: borrowing Span<UInt8>, at offset: inout Int, _ number: (UInt64) -> Number?,
        _ make: (UInt32, Number) -> Entry
    ) -> [Entry]? {
        // An entry takes two bytes or more.
        guard let count = Self.number(bytes, at: &offset), count <= (bytes.count - offset) / 2 else { return nil }
        var entries: [Entry] = []
        entries.reserveCapacity(Int(count))
        var previous: UInt32?
        for _ in 0..<count {
            guard let group = group(after: previous, bytes, at: &offset),
                let found = Self.number(bytes, at: &offset).flatMap(number)
            else { return nil }
            entries.append(make(group, found))
            previous = group
        }
        return entries
    }

    private func group(after previous: UInt32?, _ bytes: borrowing Span<UInt8>, at offset: inout Int) -> UInt32? {
        guard let difference = Self.number(bytes, at: &offset), previous == nil || difference > 0 else { return nil }
        let (group, overflow) = UInt64(previous ?? 0).addingReportingOverflow(difference)
        return overflow || group >= groupCount ? nil : UInt32(exactly: group)
    }

    private func text(_ bytes: borrowing Span<UInt8>, at offset: inout Int) -> [UInt8]? {
        guard let count = Self.number(bytes, at: &offset), count <= bytes.count - offset else { return nil }
        let text = (offset..<offset + Int(count)).map { bytes[$0] }
        offset += Int(count)
        return String(validating: text, as: UTF8.self) == nil ? nil : text
    }

    private static func number(_ bytes: borrowing Span<UInt8>, at offset: inout Int) -> UInt64? {
        Varint.read(bytes, at: &offset, as: UInt64.self)
    }

    /// Returns the time of a number; the outer optional is `nil` if the number is malformed.
    private func time(_ number: UInt64) -> UInt32?? {
        number == 0 ? .some(nil) : knownTime(number).map { .some($0) }
    }

    private func knownTime(_ number: UInt64) -> UInt32? {
        number == 0 ? nil : UInt32(exactly: number - 1).map { created &- $0 }
    }
}

/// The users of a bucket with their values, in one text.
///
/// For each user it has the length of the id (`Varint`), the id, the length of the value, and the value. Writers use
/// the order of `UserBuckets`; readers accept any order.
enum PackedUsers {
    /// Appends a word: a user's id, or the value that follows the id.
    static func append(_ word: borrowing Span<UInt8>, to bytes: inout [UInt8]) {
        Varint.append(UInt64(word.count), to: &bytes)
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
        guard let count = Varint.read(bytes, at: &offset, as: UInt64.self), count <= bytes.count - offset
        else { return nil }
        defer { offset += Int(count) }
        return offset..<offset + Int(count)
    }
}

/// The encoding of unsigned numbers in as few bytes as possible (LEB128).
///
/// Each byte has seven bits, the lowest first. All bytes but the last have their highest bit set.
enum Varint {
    /// Appends a number, in 1 to 10 bytes; one of 32 bits takes 5 at most.
    @inline(__always)
    static func append(_ number: some FixedWidthInteger & UnsignedInteger, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number and moves `offset` past it.
    ///
    /// - Returns: `nil` if the bytes end within the number, or if it has too many bits.
    @inline(__always)
    static func read<Number: FixedWidthInteger & UnsignedInteger>(
        _ bytes: borrowing Span<UInt8>, at offset: inout Int, as type: Number.Type
    ) -> Number? {
        var number: Number = 0
        var shift = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            // The last byte has only some of the bits.
            let part = Number(truncatingIfNeeded: byte & 0x7F)
            guard shift < Number.bitWidth, (part << shift) >> shift == part else { return nil }
            number |= part << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}
