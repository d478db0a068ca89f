/// The groups that a user joined, and since when the user is in groups.
struct JoinedGroups: Equatable {
    /// Indexes of groups, ascending.
    var groups: [UInt32]
    /// As of `PublishedMember`.
    var firstDay: UInt16?
}

/// The groups that a user joined, as a compact value: `Varint`s of the differences of ascending indexes.
///
/// The first is the difference to 0. A user without groups has an empty value. A difference of 0 behind the last group,
/// which no group has, says that the day of the user's earliest membership follows.
enum JoinedGroupsCoding {
    /// Appends the value of ascending indexes.
    ///
    /// - Parameter firstDay: left out for a user without groups.
    /// - Returns: false if they do not ascend strictly.
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

    /// What a value says; nil if the value is malformed or has an index that is not below `groupCount`.
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
