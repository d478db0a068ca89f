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

    /// The indexes of a value; nil if it is no such value or names an index that is not below `groupCount`.
    static func decode(_ bytes: borrowing Span<UInt8>, groupCount: Int) -> [UInt32]? {
        var groups: [UInt32] = []
        var place = 0
        while place < bytes.count {
            guard let difference = Varint.read(bytes, at: &place), groups.isEmpty || difference > 0 else { return nil }
            let (group, overflow) = (groups.last ?? 0).addingReportingOverflow(difference)
            guard !overflow, group < groupCount else { return nil }
            groups.append(group)
        }
        return groups
    }
}

/// CRC-32 with the polynomial of zlib and PNG, reflected: `zlib.crc32` in Python, `crc32` in most languages.
///
/// It spreads users over buckets, and any reader can compute it.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }

    /// The checksum of bytes.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
