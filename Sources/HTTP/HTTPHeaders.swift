/// The header fields of a request or a response, in their order; names are compared without regard to case.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Equatable {
        /// Its name, as it was written.
        public let name: String
        /// Its value, without the white space around it.
        public let value: String

        /// A field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order; a name may come more than once.
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// Fields in the order given.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Makes room for so many fields.
    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// Adds a field behind the others.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The value of the first field of a name.
    public subscript(name: String) -> String? {
        fields.first { Self.isSame($0.name, name) }?.value
    }

    /// How many fields have a name.
    public func count(of name: String) -> Int {
        fields.reduce(0) { $0 + (Self.isSame($1.name, name) ? 1 : 0) }
    }

    /// Whether two names are the same but for the case of ASCII letters.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        func lowered(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        guard left.utf8.count == right.utf8.count else { return false }
        let (left, right) = (left.utf8Span.span, right.utf8Span.span)
        return left.indices.allSatisfy { lowered(left[$0]) == lowered(right[$0]) }
    }
}
