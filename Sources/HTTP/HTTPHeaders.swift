/// The header fields of a request or a response, in order; names are compared without regard to case.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// One header field.
    public struct Field: Sendable, Equatable {
        /// Its name, as it was written.
        public let name: String
        /// Its value, without the white space around it.
        public let value: String

        /// Makes a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order; a name may occur more than once.
    public private(set) var fields: [Field] = []

    /// Makes an empty list of fields.
    public init() {}

    /// Makes fields in the order given.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Adds a field after the others.
    public mutating func append(name: String, value: String) {
        append(Field(name: name, value: value))
    }

    mutating func append(_ field: Field) {
        // Enough for what most clients send.
        if fields.isEmpty { fields.reserveCapacity(8) }
        fields.append(field)
    }

    /// The value of the first field with a name.
    public subscript(name: String) -> String? {
        fields.first { Self.isSame($0.name, name) }?.value
    }

    /// How many fields have a name.
    public func count(of name: String) -> Int {
        fields.reduce(0) { $0 + (Self.isSame($1.name, name) ? 1 : 0) }
    }

    /// The elements of all fields with a name, each field being a list separated by commas, without the white space
    /// around them; an empty element is kept.
    func elements(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.flatMap { field in
            field.value.split(separator: ",", omittingEmptySubsequences: false).map { element in
                let isSpace = { (character: Character) in character == " " || character == "\t" }
                let end = element.lastIndex { !isSpace($0) }.map { element.index(after: $0) } ?? element.startIndex
                return String(element[..<end].drop(while: isSpace))
            }
        }
    }

    /// Whether two texts are the same except for the case of ASCII letters.
    static func isSame(_ left: String, _ right: String) -> Bool {
        func lowered(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        guard left.utf8.count == right.utf8.count else { return false }
        let (left, right) = (left.utf8Span.span, right.utf8Span.span)
        return left.indices.allSatisfy { lowered(left[$0]) == lowered(right[$0]) }
    }
}
