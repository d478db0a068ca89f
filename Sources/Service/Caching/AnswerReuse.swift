/// Whether an answer of a route may be given again to the same request, and until when.
enum AnswerReuse: Sendable {
    /// It is made anew for every request.
    case never
    /// Until something changes for everybody, such as the version that serves.
    case untilChange
    /// Until something changes for everybody, or for the member who is a parameter of the path; the answer is of the
    /// member's session that is a parameter of the query.
    ///
    /// Only where sessions are kept: without them every request gets a list of its own.
    case untilMemberChange(ofPathParameter: String, inSession: Parameter)
}
