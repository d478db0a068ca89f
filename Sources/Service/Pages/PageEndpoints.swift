import Answers
import Basics
import HTTP
import Model

extension Endpoint {
    static func pages(of relations: RelationTable) -> [Endpoint] {
        signing + pageFiles + [overviewPage, searchPage] + groupPages + mapPages + memberPages + versionPages
            + curationPages + experimentPages + [jobsPage, dataPage, decisionsPage]
    }

    /// The beginning of the paths of all pages but the first.
    static let pagesPath = "/admin/"

    /// Whether the endpoint answers with a page, also to problems.
    var isPage: Bool {
        if case .page = content { true } else { false }
    }

    convenience init(
        page name: String, _ pattern: String, _ access: Access = .page(.look), path: [Parameter] = [],
        parameters: [Parameter] = [], threads: AnswerThreads = .recording,
        handler: @escaping @Sendable (Call) throws(Problem) -> Page
    ) {
        self.init(
            name, .get, pattern, access, summary: "A page for operators", path: path, parameters: parameters,
            content: .page, caching: .never, threads: threads
        ) { call throws(Problem) in try handler(call).response(access == .open ? nil : call.forms) }
    }

    /// Creates an endpoint that takes a form of a page, and then sends the browser to another page.
    ///
    /// - Parameters:
    ///   - scope: the scope that an admin needs; nil if none.
    ///   - handler: handles the fields of the form, and returns the path of the next page.
    ///   - answer: makes the response that leads there.
    convenience init(
        form name: String, _ pattern: String, _ scope: Scope?, path: [Parameter] = [],
        _ handler: @escaping @Sendable (Call, FormFields) throws(Problem) -> String,
        answer: @escaping @Sendable (_ path: String) -> HTTPResponse = { .goTo($0) }
    ) {
        self.init(
            name, .post, pattern, .page(scope), summary: "A form of a page for operators", path: path, content: .page,
            caching: .never
        ) { call throws(Problem) in
            let fields = try FormFields(of: call)
            guard fields[PageSessions.secretField] == call.forms.secret else { throw .forgedForm() }
            return answer(try handler(call, fields))
        }
    }
}

extension HTTPResponse {
    /// Creates a response that sends a browser to another page.
    static func goTo(_ path: String, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers.append(name: "Location", value: path)
        return HTTPResponse(status: .seeOther, headers: headers)
    }
}

extension Call {
    /// The forms of the request's session.
    var forms: PageForms {
        PageForms(
            secret: responder.pages.sessions.secret(for: headers), canSignOut: bearer != nil,
            scopes: bearer?.scopes ?? [], photos: photos)
    }

    /// Whether the request's admin has a scope, or may do everything.
    func allows(_ scope: Scope) -> Bool { bearer?.scopes.allowAdmin(scope) ?? true }

    /// The name of the operator whose request this is, for the log.
    var operatorName: String { bearer?.subject ?? "anybody on this machine" }
}

/// The fields of a form that a page has sent.
struct FormFields: Sendable {
    private let values: [String: String]

    /// Reads the fields of a form (`application/x-www-form-urlencoded`).
    ///
    /// - Throws: a `Problem` of status 415, 400, or 403 if the form comes from a page of another site.
    init(of call: Call) throws(Problem) {
        if let site = call.headers["Sec-Fetch-Site"] {
            guard site == "same-origin" || site == "none" else { throw .forgedForm() }
        } else if let origin = call.headers["Origin"] {
            // A browser that does not say whose page the form is on says it with the origin.
            guard let host = call.headers["Host"], origin.hasSuffix("://\(host)") else { throw .forgedForm() }
        }
        let type = call.headers["Content-Type"]?.split(separator: ";").first?.trimmingSpaces.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw Problem(
                status: .unsupportedMediaType, title: "Unsupported Media Type",
                detail: "a form must come as application/x-www-form-urlencoded")
        }
        var values: [String: String] = [:]
        do throws(HTTPError) {
            for field in try HTTPRequest.QueryParameter.list(of: call.body) { values[field.name] = field.value }
        } catch { throw .badField("", "is not a form") }
        self.values = values
    }

    /// Whether the form has a field, also an empty one.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of a field, or an empty text if the form lacks it.
    subscript(name: String) -> String { values[name] ?? "" }
}

extension Problem {
    /// The request has no session, and its path needs one.
    static func notSignedIn() -> Problem {
        Problem(
            status: .unauthorized, kind: .badToken, title: "Not signed in",
            detail: "sign in with an admin token first", refusal: .tokenMissing)
    }

    /// A form lacks the secret of the session, so another site may have made it.
    static func forgedForm() -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "The form is not from these pages",
            detail: "nothing was changed; go back, reload the page and try again", refusal: .forbidden)
    }

    /// A field of a form cannot be used.
    static func badForm(_ reason: String) -> Problem {
        Problem(status: .badRequest, kind: .badBody, title: "Nothing was changed", detail: reason)
    }

    /// Returns the problem as a page, or a way to the page for signing in.
    ///
    /// - Parameter formPage: the path of the page that the request's form is on.
    func page(for request: HTTPRequest, _ forms: PageForms?, formPage: String) -> HTTPResponse {
        if status == .unauthorized {
            let isForm = request.method == .post
            let target = isForm ? formPage : String(decoding: request.target, as: UTF8.self)
            let failure = isForm ? "&failed=\(SignInFailure.ended.rawValue)" : ""
            return .goTo("/admin/sign-in?to=\(HTML.segment(target))\(failure)", ["Cache-Control": "no-store"])
        }
        let (way, place) = request.method == .post ? (formPage, "page as it is now") : ("/admin", "overview")
        let near = (details.near ?? []).map { id -> HTML in "<li>\(HTML.group(id, title: ""))</li>" }
        let page = Page(
            details.title,
            """
            <p>\(details.detail.withCapital).</p>
            \(if: details.type.hasSuffix(Kind.unknownGroup.rawValue) && !near.isEmpty, "<ul>\(near)</ul>")
            <p><a href="\(way)">To the \(place)</a></p>
            """)
        var response = page.response(status == .forbidden ? nil : forms, status: status)
        response.headers.append(name: "Cache-Control", value: "no-store")
        return response
    }
}

extension Endpoint {
    fileprivate static let pageFiles = [
        file("pages.css", "text/css; charset=utf-8", PackageResources.pages_css),
        file("pages.js", "text/javascript; charset=utf-8", PackageResources.pages_js),
        file("map.js", "text/javascript; charset=utf-8", PackageResources.map_js),
        file("icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ]

    private static func file(_ name: String, _ type: String, _ bytes: [UInt8]) -> Endpoint {
        Endpoint(
            "page-file-\(name)", .get, "/admin/files/\(name)", .open, summary: "A file that pages use", content: .page,
            caching: .shared
        ) { _ in .content(type, bytes) }
    }
}

extension Endpoint {
    fileprivate static let signing = [
        Endpoint(
            page: "sign-in", "/admin/sign-in", .open,
            parameters: [
                Parameter("to", .text(1...2000), "The page to go to afterwards"),
                Parameter("failed", standard: SignInFailure.none, "What failed before"),
            ], handler: Responder.signInPage),
        Endpoint(
            "sign-in-form", .post, "/admin/sign-in", .open, summary: "Opens a session", content: .page, caching: .never,
            handler: Responder.signIn),
        Endpoint(form: "sign-out", "/admin/sign-out", nil) { call, _ in
            let areToldAll = call.responder.pages.sessions.end(call.headers)
            return "/admin/sign-in" + (areToldAll ? "" : "?failed=\(SignInFailure.away.rawValue)")
        } answer: { path in
            // Nothing of the session stays in the browser, nor can "Back" show it.
            .goTo(path, ["Set-Cookie": PageSessions.field(""), "Clear-Site-Data": "\"cache\", \"storage\""])
        },
    ]
}

/// The failures after which somebody is asked to sign in.
private enum SignInFailure: String, CaseIterable {
    case none, token, role, ended, away

    var words: String? {
        switch self {
        case .none: nil
        case .token: "The token is none of this daemon's, or has expired. Paste all that the command prints."
        case .role: "The token is a member's or a service's; these pages need one that --admin made."
        case .ended: "Your session has ended; nothing was changed."
        case .away:
            """
            You are signed out here. The store is away, and other daemons do not know it yet: they learn it within a \
            second after the store is back.
            """
        }
    }
}

extension Responder {
    @Sendable
    fileprivate static func signInPage(_ call: Call) -> Page {
        // The address never says what the page prints.
        let failure = call.parameters.choice("failed", of: SignInFailure.self).words.map { words -> HTML in
            "<p class=\"bad\" role=\"alert\" id=\"failure\">\(words)</p>"
        }
        return Page(
            "Sign in",
            """
            <p>These pages show what members do. They open with an admin token: \
            <code>coterie token --admin --keys FILE</code>.</p>
            \(failure)
            <form method="post" action="/admin/sign-in" class="stack">
            <input type="hidden" name="to" value="\(call.parameters.text("to") ?? "/admin")">
            <label for="token">Token</label>
            <textarea id="token" name="token" rows="4" required autocomplete="off" spellcheck="false"></textarea>
            <button>Sign in</button>
            </form>
            """)
    }

    /// Answers `POST /admin/sign-in`: opens a session if the token is an admin's.
    @Sendable
    fileprivate static func signIn(_ call: Call) throws(Problem) -> HTTPResponse {
        let fields = try FormFields(of: call)
        let next = safePath(fields["to"])
        guard call.gate.knowsTokens else { return .goTo(next) }
        let token = fields["token"].filter { !$0.isWhitespace }
        do throws(Problem) {
            let session = try call.gate.session(for: token, at: call.responder.now())
            return .goTo(next, ["Set-Cookie": PageSessions.field(session)])
        } catch {
            let failure: SignInFailure = error.status == .forbidden ? .role : .token
            return .goTo("/admin/sign-in?to=\(HTML.segment(next))&failed=\(failure.rawValue)")
        }
    }

    /// Returns a path of these pages, whatever was asked for; another site's address becomes the overview.
    private static func safePath(_ path: String) -> String {
        let isOwn = path == "/admin" || path.hasPrefix("/admin/") || path.hasPrefix("/admin?")
        let isPlain = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
        return isOwn && isPlain ? path : "/admin"
    }
}
