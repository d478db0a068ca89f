import Model

/// A member and one of the member's sessions, told apart by their bytes.
struct SessionKey: Hashable {
    let user: BytewiseString
    /// Nil for the session without an id and without filters.
    let session: BytewiseString?

    /// - Parameter session: as in `RequestParameters.sessionName`.
    init(_ user: String, _ session: String?) {
        self.user = BytewiseString(user)
        self.session = session.map(BytewiseString.init)
    }
}
