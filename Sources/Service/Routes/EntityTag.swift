import HTTP
import ModelStore

/// Entity tags (RFC 9110, section 8.8.3): a client that has an answer already need not be sent it again.
///
/// The tags are weak: the plain and the compressed form of an answer have the same one.
enum EntityTag {
    private static let fieldName = "ETag"

    /// Adds the tag of an answer, before its body is compressed.
    static func add(to response: inout HTTPResponse) {
        response.headers.append(name: fieldName, value: "W/\"\(Checksum.text(of: response.body))\"")
    }

    /// Takes the body from an answer that the client has already, which thereby gets status 304.
    static func omitKnownBody(of response: inout HTTPResponse, for request: HTTPRequest) {
        guard response.status == .ok, request.method == .get || request.method == .head,
            let known = request.headers["If-None-Match"], let tag = response.headers[fieldName],
            names(tag, known)
        else { return }
        var kept = HTTPHeaders()
        for name in [fieldName, "Cache-Control", "Vary"] {
            if let value = response.headers[name] { kept.append(name: name, value: value) }
        }
        response = HTTPResponse(status: .notModified, headers: kept)
    }

    /// Whether a header field `If-None-Match` names a tag, by the weak comparison, or any.
    private static func names(_ tag: String, _ field: String) -> Bool {
        let opaque = tag.dropFirst(2)
        return field.split(separator: ",").contains { element in
            let element = element.trimmingSpaces
            return element == "*" || (element.hasPrefix("W/") ? element.dropFirst(2) : element) == opaque
        }
    }
}
