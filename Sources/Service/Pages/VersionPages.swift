import HTTP
import Model
import ModelStore

extension Endpoint {
    static let versionPages = [
        Endpoint(page: "versions-page", "/admin/versions", handler: Responder.versionsPage),
        // Both versions may have to be loaded, and all their neighbours are compared.
        Endpoint(
            page: "version-page", "/admin/versions/{version}",
            path: [Parameter("version", .identifier, "The version's name")], threads: .batch,
            handler: Responder.versionPage),
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
                "<a href=\"/admin/versions/\(version.description)\">\(version.description)</a>",
                "\(HTML.span(seconds: (now - manifest.createdAtMilliseconds) / 1000))",
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

    /// The most groups of each kind that a comparison names.
    private static let groupLimit = 50

    /// Compares a version with the one that serves, before it is made to serve.
    @Sendable
    fileprivate static func versionPage(_ call: Call) throws(Problem) -> Page {
        let store = call.responder.follower.store
        let current = try call.loadedSnapshot
        let other = try call.orStoreProblem { () throws(StoreError) in
            try store.load(VersionName(checking: call.path["version"]))
        }
        let name = other.manifest.version
        guard name != current.version else {
            return Page(
                name.description, in: .versions, subtitle: "This version serves.",
                "<p><a href=\"/admin/versions\">All versions</a></p>")
        }
        let objections = (other.manifest.objections ?? []).map { reason -> HTML in "<li>\(reason)</li>" }
        return Page(
            name.description, in: .versions,
            subtitle: "What changes if this version serves instead of \(current.version.description).",
            """
            \(if: !objections.isEmpty, "<p class=\"bad\">The recompute refused it:</p><ul>\(objections)</ul>")
            \(comparison(from: current.model, to: other.model))
            <div class="actions">\(action("Serve this one", "serve", name, call))</div>
            """)
    }

    private static func comparison(from older: ModelVersion, to newer: ModelVersion) -> HTML {
        let comparison = VersionComparison(from: older, to: newer)
        let rows = comparison.relations.map { relation -> [HTML] in
            [
                "\(relation.relation.rawValue)", percent(relation.coverageBefore), percent(relation.coverageAfter),
                "\(relation.groupsEmptied)", percent(relation.overlapAt10), percent(relation.overlapAt100),
                percent(relation.scoreDrift),
            ]
        }
        return """
            \(HTML.facts([
                ("Groups now", "\(comparison.groupsBefore)"), ("Groups then", "\(comparison.groupsAfter)"),
                ("Groups that go", "\(comparison.groupsLost)"), ("Groups that come", "\(comparison.groupsAdded)"),
            ]))
            \(HTML.table(
                "Neighbours by relation",
                [
                    "Relation", "#Groups with neighbours now", "#Then", "#Groups that lose all", "#Same of the 10 best",
                    "#Same of the 100 best", "#Scores moved by",
                ], rows))
            \(groups("Groups that go", in: older, without: newer))
            \(groups("Groups that come", in: newer, without: older))
            """
    }

    private static func percent(_ share: Double?) -> HTML {
        share.map { "\(HTML.decimals($0 * 100)) %" } ?? "–"
    }

    /// Lists groups that only one of two versions has, by their ids.
    private static func groups(_ caption: String, in one: ModelVersion, without other: ModelVersion) -> HTML {
        let ids = (0..<one.groupCount).lazy.map { one.id(of: $0) }.filter { other.index(ofID: $0) == nil }
        return .table(
            "\(caption) (the first \(groupLimit))", ["Group"], ids.prefix(groupLimit).map { ["<bdi>\($0)</bdi>"] })
    }
}
