import FoundationEssentials

/// The first line of each file of a tape: what recorded it, and how.
public struct TapeHeader: Codable, Sendable, Equatable {
    /// The format that this program writes and reads.
    public static let currentFormat = 1

    /// The format of the file.
    public var format = Self.currentFormat
    /// The release of the program that recorded it.
    public var release: String
    /// When the file was begun, in Unix milliseconds.
    public var beganAtMilliseconds: Int64 = 0
    /// A fingerprint of the daemon's settings: two tapes of the same settings have the same one.
    public var settings: String
    /// How members are named.
    public var memberNames: MemberNames

    /// How the members on a tape are named.
    public enum MemberNames: String, Codable, Sendable {
        /// By their ids.
        case ids
        /// By pseudonyms (`Pseudonyms`).
        case pseudonyms
    }

    /// A header.
    public init(release: String, settings: String, memberNames: MemberNames) {
        self.release = release
        self.settings = settings
        self.memberNames = memberNames
    }

    /// The line, without its end.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { preconditionFailure("a header has nothing to refuse") }
        return Array(json)
    }
}
