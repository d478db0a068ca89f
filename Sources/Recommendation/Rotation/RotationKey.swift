/// What makes a member's rotation his or her own, and unforeseeable from outside.
public struct RotationKey: Sendable, Equatable {
    /// The words of the key.
    public let words: (UInt64, UInt64)

    /// A key of two words; the same on all daemons, and no secret of any other kind.
    public init(_ first: UInt64, _ second: UInt64) { words = (first, second) }

    /// The key that 32 hexadecimal digits write; nil if they do not.
    public init?(hexadecimal text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let first = UInt64(text.prefix(16), radix: 16), let second = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(first, second)
    }

    /// Equal if both words are.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// The key of a member: of the id, and a seed that is 0 unless a list of another order is wanted.
    func member(_ userID: String, seed: UInt64) -> (UInt64, UInt64) {
        let first = KeyedHash.hash(userID.utf8, key: words)
        return (first, KeyedHash.hash(userID.utf8, key: (first, words.1 ^ seed)))
    }
}
