import HTTP
import Model
import ModelStore

extension Endpoint {
    static let versionPages = [
        Endpoint(page: "versions-page", "/admin/versions", handler: Responder.versionsPage),
        Endpoint(form: "versions-form", "/admin/versions") { (call, fields) throws(Problem) in
            let store = call.responder.follower.store
            try call.orStoreProblem { () throws(StoreError) in
                let version = try VersionName(checking: fields["version"])
                switch fields["action"] {
                case "pin": try store.pin(version, true)
                case "unpin": try store.pin(version, false)
                case "serve": try store.makeCurrent(version)
                default: break
                }
            }
            call.note("\(fields["action"]) the version \(fields["version"])")
            return "/admin/versions"
        },
    ]
}

extension VersionName {
    /// Reads a name that a form sent.
    fileprivate init(checking text: String) throws(StoreError) {
        do { try self.init(text) } catch {
            throw StoreError(.unknownVersion, "\"\(text)\" is not the name of a version")
        }
    }
}

extension Call {
    /// Calls a function that asks the store; its error becomes a problem of status 503.
    func orStoreProblem<Result>(_ body: () throws(StoreError) -> Result) throws(Problem) -> Result {
        do throws(StoreError) { return try body() } catch {
            throw Problem(
                status: .serviceUnavailable, kind: .unavailable, title: "The store did not answer",
                detail: error.message)
        }
    }
}

extension Responder {
    /// Shows all versions of the store, the newest first.
    @Sendable
    fileprivate static func versionsPage(_ call: Call) throws(Problem) -> Page {
        let store = call.responder.follower.store
        let (current, manifests, pinned) = try call.orStoreProblem { () throws(StoreError) in
            (try store.current(), try store.versions(), try store.pinned())
        }
        let now = call.responder.now()
        let rows = manifests.reversed().map { manifest -> [HTML] in
            let version = manifest.version
            let (isCurrent, isPinned) = (version == current, pinned.contains(version))
            let state: HTML =
                isCurrent
                ? "<span class=\"good\">serves</span>"
                : "\(manifest.objections.map { "refused: \($0.joined(separator: "; "))" } ?? "")"
            return [
                "\(version.description)", "\(HTML.span(seconds: (now - manifest.createdAtMilliseconds) / 1000))",
                "\(manifest.groups.included)", "\(manifest.relations.reduce(0) { $0 + $1.neighbours })",
                "\(manifest.byteCount / 1024) KiB", state,
                """
                <div class="actions">\(isCurrent ? "" : action("Serve this one", "serve", version, call))\
                \(action(isPinned ? "Unpin" : "Pin", isPinned ? "unpin" : "pin", version, call))</div>
                """,
            ]
        }
        return Page(
            "Versions", in: .versions,
            subtitle: """
                Daemons take a version up within a second. Members keep the list of their session; new sessions get \
                lists of the version that serves then.
                """,
            .table(
                "Versions of \(store.location)",
                ["Version", "Age", "#Groups", "#Neighbours", "#Size", "State", "Change"], rows))
    }

    private static func action(_ label: String, _ action: String, _ version: VersionName, _ call: Call) -> HTML {
        call.forms.form(
            "/admin/versions",
            """
            <input type="hidden" name="version" value="\(version.description)"><input type="hidden" name="action" \
            value="\(action)"><button class="plain">\(label)</button>
            """)
    }
}
