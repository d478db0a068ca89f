import Basics
import Changes
import HTTP
import ModelStore
import Synchronization

/// The sessions of operators who have signed in to the pages.
///
/// The cookie is the session: a token of its own kind, signed with a key of the daemon. So every daemon with the same
/// keys opens it, and it ends with its key. Sessions that were signed out are on a board of the store, for all daemons;
/// a file keeps those that the board lacks.
final class PageSessions: Sendable {
    private static let cookie = "coterie-session"
    /// The name of the form field that carries the secret of a session.
    static let secretField = "secret"
    /// The longest time of a session, in seconds.
    static let lifetimeSeconds: Int64 = BoardKind.endings.lifetimeSeconds
    /// The addition to the audience of a daemon's tokens, so that neither passes for the other.
    static let audience = " pages"

    /// The digests of sessions that were ended here, of those on the board, and of those that it lacks.
    private struct Ended {
        var here: Set<String>
        var onBoard: Set<String> = []
        var waiting: Set<String>
    }

    private let store: any VersionStore
    private let log: EventLog
    private let ended: Mutex<Ended>
    /// The file for what waits; nil if it is only kept in memory.
    private let file: String?
    /// The content of the file, in a lock that is held while the store is asked, which may take seconds.
    private let kept: Mutex<Set<String>>
    /// The secret of forms on a daemon without keys, where nobody signs in.
    private let openSecret = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) })

    init(_ store: any VersionStore, file: String? = nil, log: EventLog) {
        (self.store, self.file, self.log) = (store, file, log)
        let bytes = file.flatMap { try? FileTree.content(of: $0, limit: 1 << 20) } ?? []
        let waiting = Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
        ended = Mutex(Ended(here: waiting, waiting: waiting))
        kept = Mutex(waiting)
    }

    /// Returns the session of a request, or nil if it has none, or one that has been ended.
    func session(in headers: HTTPHeaders) -> String? {
        guard let session = Self.value(in: headers) else { return nil }
        let digest = Self.digest(of: session, for: "end")
        return ended.withLock { $0.here.contains(digest) || $0.onBoard.contains(digest) } ? nil : session
    }

    /// Tells the store which sessions were ended here, and reads which were ended on other daemons.
    ///
    /// It is called at intervals, so that no request waits for the store.
    func follow() {
        send()
        guard let reports = try? store.board(of: .endings)?.reports() else { return }
        ended.withLock { $0.onBoard = Set(reports.map { String(decoding: $0, as: UTF8.self) }) }
    }

    /// Ends the session of a request on all daemons of the store.
    ///
    /// - Returns: whether the store knows it; otherwise it is told when it is back.
    func end(_ headers: HTTPHeaders) -> Bool {
        guard let session = Self.value(in: headers) else { return true }
        let digest = Self.digest(of: session, for: "end")
        ended.withLock { ended in
            ended.here.insert(digest)
            ended.waiting.insert(digest)
        }
        send()
        return ended.withLock { !$0.waiting.contains(digest) }
    }

    /// Puts what waits on the board, and keeps the rest.
    private func send() {
        kept.withLock { kept in
            for digest in ended.withLock(\.waiting).sorted() {
                do throws(Failure) { try store.board(of: .endings)?.post(Array(digest.utf8), ofDaemon: digest) } catch {
                    if !kept.contains(digest) {
                        log.warning("other daemons do not know yet that a session was ended: \(error.message)")
                    }
                    break
                }
                ended.withLock { _ = $0.waiting.remove(digest) }
            }
            let waiting = ended.withLock(\.waiting)
            guard waiting != kept else { return }
            kept = waiting
            guard let file else { return }
            do throws(Failure) {
                if waiting.isEmpty { return try FileTree.remove(file) }
                try FileTree.replace(file, content: Array(waiting.sorted().joined(separator: "\n").utf8), .processEnd)
            } catch { log.warning("what the store is to learn of ended sessions is not kept: \(error.message)") }
        }
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

extension PageSessions: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge(
            "coterie_sign_outs_waiting", "Sessions of the pages that were ended here, unknown to the store yet.",
            ended.withLock(\.waiting).count)
    }
}
