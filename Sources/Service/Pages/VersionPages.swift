import Answers
import Basics
import HTTP
import Model
import ModelStore
import Recommendation

extension Endpoint {
    static let versionPages = [
        Endpoint(page: "versions-page", "/admin/versions", handler: Responder.versionsPage),
        // Both versions may have to be loaded, and all their neighbours are compared.
        Endpoint(
            page: "version-page", "/admin/versions/{version}",
            path: [Parameter("version", .identifier, "The version's name")],
            parameters: [
                Parameter("member", .text(1...Parameter.identifierLimit), "A member whose two lists are compared")
            ], threads: .batch,
            handler: Responder.versionPage),
        Endpoint(form: "versions-form", "/admin/versions", .operate) { (call, fields) throws(Problem) in
            let store = call.responder.follower.store
            let (action, before) = try call.orStoreProblem { () throws(Failure) in
                let version = try VersionName(checking: fields["version"])
                if fields["action"] == "serve", fields["although"] != "refused",
                    try store.versions().contains(where: { $0.version == version && $0.objections != nil })
                {
                    throw Failure(.refused, "the gate refused \(version): tick on its page that it is to serve")
                }
                guard let action = NotedDecision.Action(rawValue: fields["action"]),
                    [.serve, .pin, .unpin].contains(action)
                else { throw Failure(.unknownVersion, "\"\(fields["action"])\" is no action") }
                let before = action == .serve ? try store.current()?.description : nil
                if action == .serve { try store.makeCurrent(version) } else { try store.pin(version, action == .pin) }
                return (action, before)
            }
            call.noted(action, .version, fields["version"], before: before)
            call.note("\(fields["action"]) the version \(fields["version"])")
            return "/admin/versions"
        },
    ]
}

extension VersionName {
    /// Reads a name that a form sent.
    fileprivate init(checking text: String) throws(Failure) {
        do { try self.init(text) } catch {
            throw Failure(.unknownVersion, "\"\(text)\" is not the name of a version")
        }
    }
}

extension Call {
    /// Calls a function that asks the store; its error becomes a problem of status 503.
    func orStoreProblem<Result>(
        titled title: String = "The store did not answer", _ body: () throws(Failure) -> Result
    ) throws(Problem) -> Result {
        do throws(Failure) { return try body() } catch {
            switch error.code {
            case .unknownVersion:
                throw Problem(status: .notFound, title: "There is no such version", detail: error.message)
            case .refused: throw .badForm(error.message)
            default: break
            }
            throw Problem(
                status: .serviceUnavailable, kind: .unavailable, title: title, detail: error.message)
        }
    }
}

extension Responder {
    /// Shows all versions of the store, the newest first.
    @Sendable
    fileprivate static func versionsPage(_ call: Call) throws(Problem) -> Page {
        let store = call.responder.follower.store
        let (current, manifests, pinned) = try call.orStoreProblem { () throws(Failure) in
            (try store.current(), try store.versions(), try store.pinned())
        }
        let now = call.responder.now()
        let rows = manifests.reversed().map { manifest -> [HTML] in
            let version = manifest.version
            let (isCurrent, isPinned) = (version == current, pinned.contains(version))
            let state: HTML =
                isCurrent
                ? "<span class=\"good\">serves</span>"
                : manifest.objections.map { "<span class=\"bad\">refused: \($0.joined(separator: "; "))</span>" }
                    ?? ""
            // A version that was refused serves only after somebody has looked at it.
            let isOffered = !isCurrent && manifest.objections == nil
            return [
                .version(manifest), "\(HTML.span(seconds: (now - manifest.createdAtMilliseconds) / 1000))",
                "\(manifest.groups.included.grouped)",
                "\(manifest.relations.reduce(0) { $0 + $1.neighbours }.grouped)",
                "\((manifest.byteCount / 1024).grouped) KiB", state,
                """
                <div class="actions">\(isOffered ? serve(version, insteadOf: current, call) : "")\
                \(pin(version, isPinned, call))</div>
                """,
            ]
        }
        return Page(
            "Versions", in: .versions,
            subtitle: """
                Daemons take a version up within a second. Members keep the list of their session; new sessions get \
                its lists. The next recompute makes its own version serve: to prevent it, stop coterie-recompute.timer.
                """,
            """
            \(HTML.table(
                "Versions of \(store.location)",
                ["Version", "Age", "#Groups", "#Neighbours", "#Size", "State", "Change"], rows))
            \(VersionQuality(manifests).html)
            """)
    }

    /// Returns the button that makes a version serve; one that was refused needs a tick as well.
    private static func serve(
        _ version: VersionName, insteadOf current: VersionName?, isRefused: Bool = false, _ call: Call
    ) -> HTML {
        let name = version.description
        let undo = [("version", current?.description ?? ""), ("action", "serve"), ("although", "refused")]
        let tick: HTML = """
            <label><input type="checkbox" name="although" value="refused" required> Serve it although it was refused</label>
            """
        return call.forms.form(
            .operate, "/admin/versions",
            "\(if: isRefused, tick)\(HTML.fields([("version", name), ("action", "serve")], "Serve this one", of: name))",
            done: "Version \(name) serves until the next recompute.", undo: current == nil ? [] : undo)
    }

    private static func pin(_ version: VersionName, _ isPinned: Bool, _ call: Call) -> HTML {
        let fields = ["unpin", "pin"].map { [("version", version.description), ("action", $0)] }
        return call.forms.form(
            .operate, "/admin/versions",
            .fields(fields[isPinned ? 0 : 1], isPinned ? "Unpin" : "Pin", of: version.description),
            done: isPinned ? "Released." : "Pinned.", undo: fields[isPinned ? 1 : 0])
    }

    /// The most groups of each kind that a comparison names.
    private static let groupLimit = 50
    /// The members whose lists are compared, if no member is named.
    private static let sampleSize = 12
    /// The groups of each list that are compared.
    private static let listLength = 20

    /// Compares a version with the one that serves, before it is made to serve.
    @Sendable
    fileprivate static func versionPage(_ call: Call) throws(Problem) -> Page {
        let store = call.responder.follower.store
        let current = try call.loadedSnapshot
        let name = try call.orStoreProblem { () throws(Failure) in
            try VersionName(checking: call.path["version"])
        }
        guard name != current.version else {
            return Page(
                "The version that serves", in: .versions, subtitle: .version(current.manifest),
                "<p><a href=\"/admin/versions\">All versions</a></p>\(decisions(call, about: .version, name.description))"
            )
        }
        let compared = try call.responder.pages.cache.comparison(
            from: current.version, to: name, at: call.responder.now()
        ) { () throws(Problem) in
            try call.orStoreProblem { () throws(Failure) in
                let other = try call.responder.follower.snapshot(of: store.load(name))
                return PageCache.Comparison(
                    other: other, differences: comparison(from: current.model, to: other.model))
            }
        }
        let quality = VersionQuality((try? store.versions()) ?? [])
        let facts = [("The lists that members get now", current.version), ("The lists of this version", name)]
            .compactMap {
                what, version in quality.words(of: version).map { (name: what, value: $0) }
            }
        let objections = (compared.other.manifest.objections ?? []).map { reason -> HTML in "<li>\(reason)</li>" }
        return Page(
            "Compare two versions", in: .versions,
            subtitle: """
                What changes if \(HTML.version(compared.other.manifest)) serves instead of \
                \(HTML.version(current.manifest)).
                """,
            """
            \(if: !objections.isEmpty, "<p class=\"bad\">The gate refused it:</p><ul>\(objections)</ul>")
            \(if: !facts.isEmpty, HTML.facts(facts))
            <div class="actions">\(serve(name, insteadOf: current.version, isRefused: !objections.isEmpty, call))</div>
            \(compared.differences)
            \(try lists(call, call.visible(current), call.visible(compared.other)))
            \(decisions(call, about: .version, name.description))
            """)
    }

    private static func comparison(from older: ModelVersion, to newer: ModelVersion) -> HTML {
        let comparison = VersionComparison(from: older, to: newer)
        return """
            \(HTML.facts([
                ("Groups now", "\(comparison.groupsBefore)"), ("Groups then", "\(comparison.groupsAfter)"),
                ("Groups that go", "\(comparison.groupsLost)"), ("Groups that come", "\(comparison.groupsAdded)"),
            ]))
            \(HTML.table("Neighbours by relation, now and then", AnswerTable(comparison.relations)))
            \(groups("Groups that go", in: older, without: newer))
            \(groups("Groups that come", in: newer, without: older))
            """
    }

    /// Compares the lists that some members get from either version now.
    private static func lists(_ call: Call, _ current: VisibleSnapshot, _ other: VisibleSnapshot) throws(Problem)
        -> HTML
    {
        guard call.allows(.members), let community = try? call.community(with: .memberships) else { return "" }
        let asked = call.parameters.text("member")
        let ids = try call.reading { () throws(Failure) in
            if let asked { [asked] } else { try community.someMembers(limit: sampleSize) }
        }
        call.note("compared the lists of \(asked == nil ? "\(ids.count) members" : "the member")", member: asked)
        var (rows, reason): ([[HTML]], String?) = ([], nil)
        for id in ids {
            do throws(Failure) {
                let lists = try [current, other].map { snapshot throws(Failure) -> [String] in
                    let profile = try community.profile(
                        ofUser: id, in: snapshot, atMilliseconds: call.responder.now())
                    let request = PlanRequest(
                        profile: profile ?? MemberProfile(userID: id), atMilliseconds: call.responder.now())
                    let items = snapshot.planner.plan(request).items.prefix(listLength)
                    return items.map { snapshot.model.id(of: Int($0.group)) }
                }
                let (now, then) = (Set(lists[0]), Set(lists[1]))
                rows.append([
                    "<a href=\"/admin/members/\(HTML.segment(id))\"><bdi>\(id)</bdi></a>",
                    "\(now.intersection(then).count) of \(lists[0].count)",
                    words(lists[1].filter { !now.contains($0) }, in: other),
                    words(lists[0].filter { !then.contains($0) }, in: current),
                ])
            } catch { reason = error.message }
        }
        return """
            <h2>Lists of members</h2>
            <p>The first \(listLength) groups that a member gets now, and from the other version at this moment.</p>
            \(reason.map { "<p class=\"bad\">Some lists cannot be made: \($0).</p>" as HTML })
            \(HTML.table("Lists", ["Member", "#Same", "Groups that come", "Groups that go"], rows))
            <form class="line"><label for="member">Another member's id</label>
            <input id="member" name="member" maxlength="512" value="\(asked ?? "")" required><button>Compare</button></form>
            """
    }

    private static func words(_ ids: [String], in snapshot: VisibleSnapshot) -> HTML {
        let links = ids.map { id -> HTML in
            let title = snapshot.model.index(ofID: id).map { snapshot.model.title(of: $0) } ?? ""
            return "<li>\(HTML.name(of: id, title))</li>"
        }
        return links.isEmpty ? "–" : "<ul class=\"words\">\(links)</ul>"
    }

    /// Lists groups that only one of two versions has, by their ids.
    private static func groups(_ caption: String, in one: ModelVersion, without other: ModelVersion) -> HTML {
        let ids = (0..<one.groupCount).lazy.map { one.id(of: $0) }.filter { other.index(ofID: $0) == nil }
        return .table(
            "\(caption) (the first \(groupLimit))", ["Group"], ids.prefix(groupLimit).map { ["<bdi>\($0)</bdi>"] })
    }
}
