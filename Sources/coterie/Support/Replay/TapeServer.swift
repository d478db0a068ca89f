import Answers
import HTTP
import Replay
import Tape

/// Answers requests from a tape alone.
struct TapeServer: Sendable {
    private static let headers = ["Content-Type", "ETag", "Cache-Control", "Retry-After", "Allow"]

    let answers: RecordedAnswers

    /// The answer to a request: the recorded one, or 404 with the nearest target on the tape.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        let (method, target) = (request.method.rawValue, String(decoding: request.target, as: UTF8.self))
        guard let recorded = answers.next(method, target, body: request.body) else {
            return notOnTape(method, target)
        }
        var headers = HTTPHeaders()
        for name in Self.headers {
            if let value = recorded.headers[name] { headers.append(name: name, value: value) }
        }
        if let tag = recorded.headers["ETag"], request.headers["If-None-Match"] == tag {
            return HTTPResponse(status: .notModified, headers: headers)
        }
        return HTTPResponse(
            status: HTTPStatus(rawValue: recorded.status), headers: headers, body: recorded.body)
    }

    private func notOnTape(_ method: String, _ target: String) -> HTTPResponse {
        var problem = ProblemDetails(
            type: "urn:coterie:problem:not-on-tape", title: "Not on the tape", status: HTTPStatus.notFound.rawValue,
            detail: "there is no \(method) \(target) with this body on the tape")
        problem.near = answers.nearest(to: target, method: method).map { [$0] }
        return HTTPResponse(
            status: .notFound, headers: ["Content-Type": "application/problem+json"], body: problem.json)
    }
}
