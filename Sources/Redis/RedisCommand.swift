/// A command and its arguments: words of any bytes.
///
/// All words are in one array, so that a command that is reused allocates no memory.
public struct RedisCommand: Sendable, Equatable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    /// Makes a command of words; the first word is its name.
    public init(_ words: String...) {
        for word in words { append(word) }
    }

    /// The number of words.
    public var wordCount: Int { ends.count }

    /// The number of bytes of all words.
    public var byteCount: Int { bytes.count }

    /// Adds a word.
    public mutating func append(_ word: some StringProtocol) { append(word.utf8) }

    /// Adds a word of any bytes.
    public mutating func append(_ word: some Sequence<UInt8>) {
        bytes.append(contentsOf: word)
        ends.append(bytes.count)
    }

    /// Adds a number, in decimal digits.
    public mutating func append(_ number: Int) { append(String(number)) }

    /// Adds a word that `write` appends to the bytes of the words before it.
    public mutating func appendWord<Failure: Error>(_ write: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        try write(&bytes)
        precondition(bytes.count >= ends.last ?? 0, "a word may only be appended")
        ends.append(bytes.count)
    }

    /// Replaces all words, and keeps the memory.
    public mutating func replace(with words: String...) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        for word in words { append(word) }
    }
}
