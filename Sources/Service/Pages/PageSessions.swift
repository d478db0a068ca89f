import HTTP
import Synchronization

/// The sessions of operators who have signed in to the pages.
///
/// A session stands for the token it was opened with. Each request checks that token again, so a session ends with its
/// token or its key.
final class PageSessions: Sendable {
    /// The name of the cookie that carries the id of a session.
    static let cookie = "coterie-session"
    /// The name of the form field that carries the secret of a session.
    static let secretField = "secret"
    /// The longest time without a request before a session ends, in seconds.
    static let idleSeconds: Int64 = 2 * 3600
    /// The most sessions at a time, inclusive; the one that was idle longest gives way to a new one.
    static let limit = 256

    private struct Session {
        var token: String
        /// The value that every form of the session must send, against forged forms.
        var secret: String
        var usedAtMilliseconds: Int64
    }

    private let sessions = Mutex<[String: Session]>([:])
    /// The secret of forms on a daemon without keys, where nobody signs in.
    private let openSecret = PageSessions.randomText()

    /// Opens a session for a token that has been checked.
    ///
    /// - Returns: the id of the session.
    func open(with token: String, at now: Int64) -> String {
        let id = Self.randomText()
        sessions.withLock { sessions in
            sessions = sessions.filter { now - $0.value.usedAtMilliseconds < Self.idleSeconds * 1000 }
            if sessions.count >= Self.limit,
                let oldest = sessions.min(by: { $0.value.usedAtMilliseconds < $1.value.usedAtMilliseconds })
            {
                sessions[oldest.key] = nil
            }
            sessions[id] = Session(token: token, secret: Self.randomText(), usedAtMilliseconds: now)
        }
        return id
    }

    func end(_ headers: HTTPHeaders) {
        guard let id = Self.sessionID(in: headers) else { return }
        sessions.withLock { $0[id] = nil }
    }

    /// Returns the token of the request's session, or nil if the request has none.
    func token(in headers: HTTPHeaders, at now: Int64) -> String? {
        guard let id = Self.sessionID(in: headers) else { return nil }
        return sessions.withLock { sessions in
            guard let session = sessions[id] else { return nil }
            guard now - session.usedAtMilliseconds < Self.idleSeconds * 1000 else {
                sessions[id] = nil
                return nil
            }
            sessions[id]?.usedAtMilliseconds = now
            return session.token
        }
    }

    /// Returns the value that forms of the request's session must send.
    func secret(for headers: HTTPHeaders) -> String {
        guard let id = Self.sessionID(in: headers) else { return openSecret }
        return sessions.withLock { $0[id]?.secret } ?? openSecret
    }

    private static func sessionID(in headers: HTTPHeaders) -> String? {
        for field in headers.fields where field.name.lowercased() == "cookie" {
            for pair in field.value.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].trimmingSpaces == cookie { return String(parts[1].trimmingSpaces) }
            }
        }
        return nil
    }

    /// Returns 256 random bits as text.
    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }.joined(separator: "-")
    }
}
