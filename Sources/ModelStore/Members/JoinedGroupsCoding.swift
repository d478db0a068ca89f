/// The groups that a user joined, as a compact value: `Varint`s of the differences of ascending indexes.
///
/// The first is the difference to 0. A user without groups has an empty value.
enum JoinedGroupsCoding {
    /// Appends the value of ascending indexes.
    ///
    /// - Returns: false if they do not ascend strictly.
    static func append(_ groups: ArraySlice<UInt32>, to bytes: inout [UInt8]) -> Bool {
        var previous: UInt32?
        for group in groups {
            guard group > previous ?? 0 || previous == nil else { return false }
            Varint.append(group - (previous ?? 0), to: &bytes)
            previous = group
        }
        return true
    }

    /// The indexes of a value; nil if the value is malformed or has an index that is not below `groupCount`.
    static func decode(_ bytes: borrowing Span<UInt8>, groupCount: Int) -> [UInt32]? {
        var groups: [UInt32] = []
        var offset = 0
        while offset < bytes.count {
            guard let difference = Varint.read(bytes, at: &offset), groups.isEmpty || difference > 0 else { return nil }
            let (group, overflow) = (groups.last ?? 0).addingReportingOverflow(difference)
            guard !overflow, group < groupCount else { return nil }
            groups.append(group)
        }
        return groups
    }
}
