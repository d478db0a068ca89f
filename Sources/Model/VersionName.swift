/// The name of a model version: the UTC time it was built, or a number above that of the version before it, and a few
/// digits of its content.
///
/// `20261121T113000123-9f3c01ab`: names of different versions sort in the order in which they were built. Only ASCII
/// letters, digits and hyphens, 1 to 64 of them, so that a name is safe in a path and in a Redis key.
public struct VersionName: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The name as it is written.
    public let description: String

    /// A name from outside.
    ///
    /// - Throws: `ModelError.badVersionName` unless it is 1 to 64 ASCII letters, digits and hyphens.
    public init(_ text: String) throws(ModelError) {
        let isSafe = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isSafe, (1...64).contains(text.utf8.count) else { throw .badVersionName(text) }
        description = text
    }

    /// Names sort by their bytes, hence in the order in which versions were built.
    public static func < (left: VersionName, right: VersionName) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    /// Reads a name from a manifest, and checks it.
    public init(from decoder: any Decoder) throws {
        self = try VersionName(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
