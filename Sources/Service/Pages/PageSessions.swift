import Basics
import Changes
import HTTP
import ModelStore
import Synchronization

/// The sessions of operators who have signed in to the pages.
///
/// The cookie is the session: a token of its own kind, signed with a key of the daemon. So every daemon with the same
/// keys opens it, and it ends with its key. Sessions that were signed out are on a board of the store, for all daemons.
final class PageSessions: Sendable {
    private static let cookie = "coterie-session"
    /// The name of the form field that carries the secret of a session.
    static let secretField = "secret"
    /// The longest time of a session, in seconds.
    static let lifetimeSeconds: Int64 = BoardKind.endings.lifetimeSeconds
    /// The addition to the audience of a daemon's tokens, so that neither passes for the other.
    static let audience = " pages"

    private let store: any VersionStore
    /// The digests of sessions that were ended here, and of those on the board.
    private let ended = Mutex<(here: Set<String>, onBoard: Set<String>)>(([], []))
    /// The secret of forms on a daemon without keys, where nobody signs in.
    private let openSecret = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) })

    init(_ store: any VersionStore) { self.store = store }

    /// Returns the session of a request, or nil if it has none, or one that has been ended.
    func session(in headers: HTTPHeaders) -> String? {
        guard let session = Self.value(in: headers) else { return nil }
        let digest = Self.digest(of: session, for: "end")
        return ended.withLock { $0.here.contains(digest) || $0.onBoard.contains(digest) } ? nil : session
    }

    /// Reads which sessions were ended on other daemons.
    ///
    /// It is called at intervals, so that no request waits for the store.
    func follow() {
        guard let reports = try? store.board(of: .endings)?.reports() else { return }
        ended.withLock { $0.onBoard = Set(reports.map { String(decoding: $0, as: UTF8.self) }) }
    }

    /// Ends the session of a request on all daemons of the store.
    func end(_ headers: HTTPHeaders) {
        guard let session = Self.value(in: headers) else { return }
        let digest = Self.digest(of: session, for: "end")
        ended.withLock { _ = $0.here.insert(digest) }
        try? store.board(of: .endings)?.post(Array(digest.utf8), ofDaemon: digest)
    }

    /// Returns the value that forms of the request's session must send.
    func secret(for headers: HTTPHeaders) -> String {
        Self.value(in: headers).map { Self.digest(of: $0, for: "forms") } ?? openSecret
    }

    /// Returns the header field that gives a browser a session, or takes it away if it is empty.
    static func field(_ session: String) -> String {
        let age = session.isEmpty ? 0 : lifetimeSeconds
        return "\(cookie)=\(session); Path=/admin; Max-Age=\(age); HttpOnly; Secure; SameSite=Strict"
    }

    /// Returns a text from which the session does not follow: the session is the key of a code.
    private static func digest(of session: String, for purpose: String) -> String {
        Base64URL.encode(Authentication.code(of: Array(purpose.utf8), key: Array(session.utf8)))
    }

    private static func value(in headers: HTTPHeaders) -> String? {
        for field in headers.fields where field.name.lowercased() == "cookie" {
            for pair in field.value.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].trimmingSpaces == cookie { return String(parts[1].trimmingSpaces) }
            }
        }
        return nil
    }
}
