package import HTTP

/// What a connection's bytes mean, read a second time in another way: whole, and line by line against regular
/// expressions that copy the grammar of RFC 9112.
///
/// It has its own expressions, which take most of the time to build, and cannot be shared by tests that run at a time.
package struct ReferenceReader {
    /// What became of a request.
    package enum Outcome: Equatable, Sendable {
        /// It is a request, as `describe` tells it.
        case accepted(String)
        /// It must be refused.
        case refused
    }

    private let requestLine = bytewise(#/([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([^ ]+) HTTP/([0-9])\.([0-9])/#)
    private let host = bytewise(#/[-._~!$&'()*+,;=:\[\]%0-9A-Za-z]*/#)
    private let length = bytewise(#/[0-9]+/#)
    private let chunkSize = bytewise(#/([0-9A-Fa-f]+)(?:[ \t]*;[\t\u{20}-\u{7E}\u{80}-\u{FF}]*)?/#)
    private let field = bytewise(
        #/([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\u{20}-\u{7E}\u{80}-\u{FF}]*?)[ \t]*/#)

    package init() {}

    /// The requests in the bytes, up to the first that must be refused or that ends the connection.
    package func outcomes(_ bytes: [UInt8]) -> [Outcome] {
        // Each byte as one scalar, so that a regular expression sees bytes.
        var rest = Substring(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
        var outcomes: [Outcome] = []
        do throws(Refusal) {
            while let (text, isLast) = try request(&rest) {
                outcomes.append(.accepted(text))
                if isLast { break }
            }
        } catch {
            outcomes.append(.refused)
        }
        return outcomes
    }

    /// A request in one line.
    package static func describe(_ request: HTTPRequest) -> String {
        "\(request.method) \(String(decoding: request.target, as: UTF8.self)) \(request.body)"
    }

    private struct Refusal: Error {}

    /// Takes one request; nil if it is incomplete.
    private func request(_ rest: inout Substring) throws(Refusal) -> (text: String, isLast: Bool)? {
        guard var first = try line(&rest) else { return nil }
        if first.isEmpty {
            guard let second = try line(&rest) else { return nil }
            first = second
        }
        guard let parts = match(first, requestLine) else {
            throw Refusal()
        }
        let target = scalars(parts[2])
        let method = HTTPMethod(rawValue: parts[1])
        guard parts[3] == "1", let text = String(validating: target, as: UTF8.self),
            (try? HTTPRequest(method: method, target: text)) != nil, let fields = try fields(&rest)
        else {
            // Either the request is refused, or its fields are incomplete.
            guard parts[3] == "1", let text = String(validating: target, as: UTF8.self),
                (try? HTTPRequest(method: method, target: text)) != nil
            else { throw Refusal() }
            return nil
        }
        let isVersion10 = parts[4] == "0"
        let hosts = fields.filter { $0.name == "host" }
        guard hosts.count == 1 || isVersion10 && hosts.isEmpty,
            hosts.allSatisfy({ match($0.value, host) != nil })
        else { throw Refusal() }
        guard let body = try body(fields, isVersion10: isVersion10, &rest) else { return nil }
        let options = fields.filter { $0.name == "connection" }.flatMap { $0.value.lowercased().split(separator: ",") }
            .map { $0.drop { " \t".contains($0) } }
        let isLast =
            isVersion10 ? !options.contains("keep-alive") || options.contains("close") : options.contains("close")
        let request = try? HTTPRequest(method: method, target: text, body: scalars(body))
        return request.map { (Self.describe($0), isLast) }
    }

    private func body(
        _ fields: [(name: String, value: String)], isVersion10: Bool, _ rest: inout Substring
    ) throws(Refusal) -> String? {
        let lengths = fields.filter { $0.name == "content-length" }.map(\.value)
        let codings = fields.filter { $0.name == "transfer-encoding" }.map { $0.value.lowercased() }
        if !codings.isEmpty {
            guard codings == ["chunked"], lengths.isEmpty, !isVersion10 else { throw Refusal() }
            return try chunks(&rest)
        }
        guard !lengths.isEmpty else { return "" }
        guard lengths.count == 1, match(lengths[0], length) != nil, let count = Int(lengths[0]), count <= 65536
        else { throw Refusal() }
        return take(count, &rest)
    }

    private func chunks(_ rest: inout Substring) throws(Refusal) -> String? {
        var body = ""
        while true {
            guard let size = try line(&rest) else { return nil }
            guard let parts = match(size, chunkSize),
                let count = Int(parts[1], radix: 16), count <= 65536 - body.unicodeScalars.count
            else { throw Refusal() }
            if count == 0 { return try fields(&rest) == nil ? nil : body }
            guard let chunk = take(count, &rest) else { return nil }
            body += chunk
            // A chunk that is longer than its size is refused at the second byte that is no line end.
            let end = rest.unicodeScalars.prefix(2)
            if end.count == 2 || end.contains("\n"), !end.elementsEqual("\r\n".unicodeScalars) { throw Refusal() }
            guard try line(&rest) != nil else { return nil }
        }
    }

    private func fields(_ rest: inout Substring) throws(Refusal) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        while let line = try line(&rest) {
            if line.isEmpty { return fields }
            guard let parts = match(line, field) else { throw Refusal() }
            fields.append((parts[1].lowercased(), parts[2]))
        }
        return nil
    }

    /// Takes a line; nil if it is incomplete.
    private func line(_ rest: inout Substring) throws(Refusal) -> String? {
        guard let end = rest.unicodeScalars.firstIndex(of: "\n") else { return nil }
        let line = rest.unicodeScalars[..<end]
        guard line.last == "\r" else { throw Refusal() }
        rest = Substring(rest.unicodeScalars[rest.unicodeScalars.index(after: end)...])
        return String(String.UnicodeScalarView(line.dropLast()))
    }

    private func take(_ count: Int, _ rest: inout Substring) -> String? {
        let taken = rest.unicodeScalars.prefix(count)
        guard taken.count == count else { return nil }
        rest = Substring(rest.unicodeScalars.dropFirst(count))
        return String(String.UnicodeScalarView(taken))
    }

    private static func bytewise<Output>(_ expression: Regex<Output>) -> Regex<AnyRegexOutput> {
        Regex<AnyRegexOutput>(expression).matchingSemantics(.unicodeScalar)
    }

    private func match(_ text: String, _ expression: Regex<AnyRegexOutput>) -> [String]? {
        let output = try? expression.wholeMatch(in: text)?.output
        return output?.map { $0.substring.map(String.init) ?? "" }
    }

    private func scalars(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
}
