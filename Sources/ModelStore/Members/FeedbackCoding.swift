import Model

/// A member's feedback as a compact value.
///
/// `Varint`s first: the number of dismissals, for each the difference of its group to the one before (the first: to 0)
/// and its Unix seconds; the number of exposures, for each the difference of its group and the impressions in
/// thousandths. Then the interests in UTF-8, separated by semicolons.
enum FeedbackCoding {
    /// Appends the value of feedback.
    ///
    /// - Returns: false if groups do not ascend strictly.
    static func append(_ feedback: PublishedMember.Feedback, to bytes: inout [UInt8]) -> Bool {
        guard append(feedback.dismissals.map { ($0.group, seconds($0)) }, to: &bytes),
            append(feedback.exposures.map { ($0.group, thousandths($0)) }, to: &bytes)
        else { return false }
        bytes.append(contentsOf: feedback.interestBytes)
        return true
    }

    /// The feedback of a value; nil if the value is malformed or has a group that is not below `groupCount`.
    static func decode(_ bytes: borrowing Span<UInt8>, groupCount: Int) -> PublishedMember.Feedback? {
        var offset = 0
        guard let dismissals = decodePairs(bytes, at: &offset, groupCount: groupCount),
            let exposures = decodePairs(bytes, at: &offset, groupCount: groupCount)
        else { return nil }
        var interests: [UInt8] = []
        while offset < bytes.count {
            interests.append(bytes[offset])
            offset += 1
        }
        guard String(validating: interests, as: UTF8.self) != nil else { return nil }
        return PublishedMember.Feedback(
            dismissals: dismissals.map { Dismissal(group: $0, atMilliseconds: Int64($1) * 1000) },
            exposures: exposures.map { Exposure(group: $0, impressions: Double($1) / 1000) },
            interestBytes: interests[...])
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
