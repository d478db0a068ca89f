/// Why a request was turned away before it reached a route; raw values are labels of a metric.
enum Refusal: String, CaseIterable {
    case badRequest = "bad_request"
    case contentTooLarge = "content_too_large"
    case overloaded
    case tokenMissing = "token_missing"
    case tokenExpired = "token_expired"
    case tokenInvalid = "token_invalid"
    case forbidden
    case rateLimited = "rate_limited"
}
