/// A request that has been received completely.
package struct HTTPRequest: Sendable {
    /// A parameter of the query.
    package struct QueryParameter: Sendable, Equatable {
        package let name: String
        /// The decoded value; empty if there is none.
        package let value: String
        /// The value as received, with its escapes.
        let encodedValue: ArraySlice<UInt8>

        /// The decoded parts of the value, which is divided at its semicolons first: `a;b%3Bc` is `["a", "b;c"]`.
        package var elements: [String] {
            // The value was decoded as a whole, so each part can be decoded.
            encodedValue.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
                (try? PercentEncoding.decode($0, plusIsSpace: true)) ?? ""
            }
        }

        /// Reads the parameters of a query, or the fields of a form, which are written alike.
        ///
        /// - Throws: `HTTPError` of status 400 if an escape is bad, or the text is not UTF-8.
        package static func list(of bytes: [UInt8]) throws(HTTPError) -> [QueryParameter] {
            try RequestTarget.parameters(of: bytes[...])
        }
    }

    package let method: HTTPMethod
    /// The target of the request line, path and query, byte for byte as received.
    package let target: [UInt8]
    /// The path as received, with its escapes and without the query.
    package let rawPath: String
    /// The segments of the path, each decoded separately: `/a%2Fb/c` is `["a/b", "c"]`.
    ///
    /// The path `/` has no segments. A slash at the end makes an empty last segment.
    package let segments: [String]
    /// The parameters of the query, in order; a name may occur more than once.
    package let query: [QueryParameter]
    package let headers: HTTPHeaders
    /// The body; empty if there is none.
    package let body: [UInt8]

    /// Creates a request with a target as in a request line, for example `/v1/things/a%2Fb?limit=3`.
    ///
    /// - Throws: `HTTPError` of status 400 if the target is in neither origin nor absolute form, or is not UTF-8. The
    ///   same if it contains a bad escape, NUL, a space or a control character.
    package init(method: HTTPMethod, target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) throws(HTTPError) {
        try self.init(
            method: method, target: RequestTarget(Array(target.utf8), of: method), headers: headers, body: body)
    }

    init(method: HTTPMethod, target: RequestTarget, headers: HTTPHeaders, body: [UInt8]) {
        self.method = method
        self.target = target.bytes
        rawPath = target.rawPath
        segments = target.segments
        query = target.query
        self.headers = headers
        self.body = body
    }
}

/// The method of a request, compared with regard to case.
package struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method's name as in the request line.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Reads a resource.
    package static let get = HTTPMethod(rawValue: "GET")
    /// Reads a resource without its body.
    package static let head = HTTPMethod(rawValue: "HEAD")
    /// Sends data to a resource.
    package static let post = HTTPMethod(rawValue: "POST")
    /// Replaces a resource.
    package static let put = HTTPMethod(rawValue: "PUT")
    /// Removes a resource.
    package static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks for the methods that a resource allows.
    package static let options = HTTPMethod(rawValue: "OPTIONS")

    /// The method's name.
    package var description: String { rawValue }
}

/// The header fields of a request or a response, in order; case is ignored when names are compared.
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// One header field.
    package struct Field: Sendable, Equatable {
        package let name: String
        /// The value, without the white space around it.
        package let value: String
    }

    /// All fields, in order; a name may occur more than once.
    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Adds a field after the others.
    package mutating func append(name: String, value: String) {
        append(Field(name: name, value: value))
    }

    mutating func append(_ field: Field) {
        // Eight fields are enough for most clients.
        if fields.isEmpty { fields.reserveCapacity(8) }
        fields.append(field)
    }

    /// The value of the first field with a name, or nil if there is none.
    package subscript(name: String) -> String? {
        fields.first { Self.isSame($0.name, name) }?.value
    }

    package func count(of name: String) -> Int {
        fields.reduce(0) { $0 + (Self.isSame($1.name, name) ? 1 : 0) }
    }

    /// Returns the elements of all fields with a name, each field being a list separated by commas.
    ///
    /// The white space around elements is removed; empty elements are kept.
    func elements(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.flatMap { field in
            field.value.split(separator: ",", omittingEmptySubsequences: false).map { element in
                let isSpace = { (character: Character) in character == " " || character == "\t" }
                let end = element.lastIndex { !isSpace($0) }.map { element.index(after: $0) } ?? element.startIndex
                return String(element[..<end].drop(while: isSpace))
            }
        }
    }

    /// Whether two texts are equal, ignoring the case of ASCII letters.
    static func isSame(_ left: String, _ right: String) -> Bool {
        func lowered(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        guard left.utf8.count == right.utf8.count else { return false }
        let (left, right) = (left.utf8Span.span, right.utf8Span.span)
        return left.indices.allSatisfy { lowered(left[$0]) == lowered(right[$0]) }
    }
}
