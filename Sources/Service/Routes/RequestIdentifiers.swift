import HTTP
import Synchronization

/// Gives every request an id, which connects log lines and answers.
final class RequestIdentifiers: Sendable {
    /// The header field, of requests and answers.
    static let fieldName = "X-Request-Id"
    /// The longest name that is taken from a client, in bytes, inclusive.
    private static let limitBytes = 64

    // A daemon's names begin alike, and unlike those of all other daemons.
    private let prefix = String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private let count = Atomic<UInt64>(0)

    /// The name that the client gave, if it is 1 to 64 ASCII letters, digits, dots, hyphens and underscores; else a
    /// new one.
    func identifier(for request: HTTPRequest) -> String {
        if let given = request.headers[Self.fieldName], Self.isWellFormed(given) { return given }
        return new()
    }

    /// A new name.
    func new() -> String { prefix + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36) }

    private static func isWellFormed(_ text: String) -> Bool {
        (1...limitBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
