/// A position in a change stream: the id of an entry, which Redis makes of its clock and a count within the millisecond.
public struct StreamPosition: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// Before every entry.
    public static let start = StreamPosition(milliseconds: 0, count: 0)

    /// Unix milliseconds.
    let milliseconds: UInt64
    /// Tells apart the entries of one millisecond.
    let count: UInt64

    private init(milliseconds: UInt64, count: UInt64) {
        self.milliseconds = milliseconds
        self.count = count
    }

    /// Reads `milliseconds-count`; nil if it is something else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let count = UInt64(parts[1]) else { return nil }
        self.init(milliseconds: milliseconds, count: count)
    }

    /// Reads what `description` gives.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = StreamPosition(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "is no position in a stream")
        }
        self = position
    }

    /// Writes `description`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// As Redis writes it.
    public var description: String { "\(milliseconds)-\(count)" }

    /// A text of one length, whose order of bytes is that of the positions.
    public var sortable: String {
        [milliseconds, count].map { number in
            let digits = String(number)
            return String(repeating: "0", count: 20 - digits.count) + digits
        }.joined(separator: "-")
    }

    /// Whether one stands before another.
    public static func < (one: StreamPosition, other: StreamPosition) -> Bool {
        (one.milliseconds, one.count) < (other.milliseconds, other.count)
    }
}
