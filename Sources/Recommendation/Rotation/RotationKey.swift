/// What makes a member's rotation his or her own, and unforeseeable from outside.
public struct RotationKey: Sendable, Equatable {
    /// The words of the key.
    public let words: (UInt64, UInt64)

    /// A key of two words; the same on all daemons, and no secret of any other kind.
    public init(_ first: UInt64, _ second: UInt64) { words = (first, second) }

    /// Equal if both words are.
    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// The key of a member: of the id, and a seed that is 0 unless a list of another order is wanted.
    func member(_ userID: String, seed: UInt64) -> (UInt64, UInt64) {
        let first = KeyedHash.hash(userID.utf8, key: words)
        return (first, KeyedHash.hash(userID.utf8, key: (first, words.1 ^ seed)))
    }
}
