import HTTP

/// A request and its answer, as they are handed to the recorder: nothing is copied but references.
struct AnsweredRequest: Sendable {
    let request: HTTPRequest
    let response: HTTPResponse
    /// The route that answered; nil if there is none.
    let endpoint: Endpoint?
    /// When the request arrived, in Unix milliseconds.
    let atMilliseconds: Int64
    /// How long it took to answer.
    let nanoseconds: UInt64

    /// What it keeps in memory, in bytes, about.
    var byteCount: Int { request.target.count + request.body.count + response.body.count + 1024 }
}
