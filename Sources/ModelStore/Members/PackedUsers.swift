/// The users of a bucket with their values, in one text.
///
/// For each the length of the user's id (`Varint`), the id, the length of the value, the value. Writers put them into
/// the order of `UserBuckets`; readers take any.
enum PackedUsers {
    /// Adds a word: a user's id, or the value that follows it.
    static func append(_ word: borrowing Span<UInt8>, to bytes: inout [UInt8]) {
        Varint.append(UInt32(word.count), to: &bytes)
        unsafe word.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Calls `body` with where the id and the value of each user are, until it returns false.
    ///
    /// - Returns: false if these are not the users of a bucket.
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

    /// How many users there are; nil if these are not the users of a bucket.
    static func count(in bytes: borrowing Span<UInt8>) -> Int? {
        var count = 0
        let isSound = forEach(in: bytes) { _, _ in
            count += 1
            return true
        }
        return isSound ? count : nil
    }

    /// The range of a word that follows its length; nil if the bytes end within it.
    private static func word(_ bytes: borrowing Span<UInt8>, at offset: inout Int) -> Range<Int>? {
        guard let count = Varint.read(bytes, at: &offset), Int(count) <= bytes.count - offset else { return nil }
        defer { offset += Int(count) }
        return offset..<offset + Int(count)
    }
}
