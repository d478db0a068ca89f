import CatalogStore
import Foundation
import HTTP
import Model
import ModelStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

/// Pages say what is wrong, and what is true of things that are not shown.
extension PageTests {
    /// A sample version that the gate has refused.
    private func refused(_ name: String) throws -> LoadedVersion {
        let version = try Community.version(name)
        var manifest = version.manifest
        manifest.objections = ["half of the groups are gone"]
        return LoadedVersion(manifest: manifest, model: version.model)
    }

    @Test("The overview begins with all that is wrong, and says that all is well only if it is")
    func verdict() throws {
        let store = FakeStore(try Community.version("v1"))
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        func verdict() throws -> String {
            let page = try get(daemon, "/admin", [field]).text
            let start = try #require(page.range(of: "id=\"health\">"))
            return String(page[start.upperBound...].prefix { $0 != "\n" })
        }
        let before = try verdict()
        let log = WorkLog("import groups", beside: members.path) { Bearers.now }
        log.end("nothing was imported: 12 lines are bad", hasFailed: true)
        store.add(try refused("v2"))
        let after = try verdict()
        #expect(!after.contains("All is well") && before != after)
        #expect(after.contains("The gate refused the last recompute: half of the groups are gone"))
        #expect(after.contains("import groups</a> failed") && after.contains("12 lines are bad"))
        WorkLog("import groups", beside: members.path) { Bearers.now }.end("12 lines are bad.", hasFailed: true)
        #expect(try verdict().contains("12 lines are bad.</p>"))
        // What the recompute says of the refusal is not said twice.
        WorkLog("recompute", beside: members.path) { Bearers.now }.end("v2 is published, v1 stays", hasFailed: true)
        #expect(try !verdict().contains("v1 stays"))
        // A job that ended well later mends what an earlier one of its kind left.
        WorkLog("import groups", beside: members.path) { Bearers.now }.end("12 rows")
        #expect(try !verdict().contains("import groups</a> failed"))
    }

    @Test("Numbers have a digit or two behind the point, and more only where they are small")
    func numbers() {
        let values = [0, 1, 12, 0.8, 1.978, 7.125, 0.0312, 0.003049, 1234.5, -0.5, 0.00001, .nan]
        #expect(
            values.map { HTML.decimals($0).text } == [
                "0", "1", "12", "0.80", "1.98", "7.12", "0.031", "0.003", "1,235", "−0.50", "&lt;0.0001", "–",
            ])
        #expect(values.prefix(6).map { HTML.decimals($0, 1).text } == ["0", "1", "12", "0.8", "2.0", "7.1"])
        #expect(HTML.percent(0.4, digits: 0).text == "40%" && HTML.percent(nil).text == "–")
    }

    @Test("A version that the gate refused serves only after a tick, and one that is not there is 404")
    func refusedVersion() throws {
        let store = FakeStore(try refused("v0"), try Community.version("v1"))
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let list = try get(daemon, "/admin/versions", [field]).text
        #expect(!list.contains("Serve this one") && list.contains("refused: half of the groups are gone"))
        #expect(list.contains("The next recompute makes its own version serve"))
        let page = try get(daemon, "/admin/versions/v0", [field]).text
        #expect(page.contains("name=\"although\"") && page.contains("The gate refused it"))
        let form = "secret=\(try secret(in: page))&version=v0&action=serve"
        #expect(try post(daemon, "/admin/versions", form, [field]).status == 400)
        #expect(try post(daemon, "/admin/versions", form + "&although=refused", [field]).status == 303)
        for name in ["v9", "no%20version"] {
            #expect(try get(daemon, "/admin/versions/\(name)", [field]).status == 404)
        }
    }

    @Test("A group that is not shown is found, and a member's page says why the member does not see it")
    func concealed() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        #expect(try get(daemon, "/admin/search?q=alps", [field]).text.contains(">hidden<") == false)
        #expect(try post(daemon, "/admin/groups/alps/hidden", "hidden=yes&secret=\(secret)", [field]).status == 303)
        let found = try get(daemon, "/admin/search?q=alps", [field]).text
        #expect(found.contains("/admin/groups/alps") && found.contains(">hidden<"))
        let why = try get(daemon, "/admin/members/ann?group=alps", [field]).text
        #expect(why.contains("an administrator hid it"))
        let unknown = try get(daemon, "/admin/members/ann?group=nothing", [field]).text
        #expect(unknown.contains("this version has no group with this id"))
        let hidden = try get(daemon, "/admin/groups?only=concealed", [field]).text
        #expect(hidden.contains("2 groups, page 1 of 1"))
        #expect(hidden.contains("/admin/groups/alps") && hidden.contains("/admin/groups/secret"))
        for order in ["size", "title", "neighbours", "joins", "offered", "opened", "activity"] {
            #expect(try get(daemon, "/admin/groups?sort=\(order)&page=9", [field]).status == 200)
        }
        #expect(try get(daemon, "/admin/groups?sort=colour", [field]).status == 400)
        // Trending groups stand above the table.
        func table(_ query: String) throws -> Substring {
            let page = try get(daemon, "/admin/groups?\(query)", [field]).text
            return page[try #require(page.range(of: "All groups")).upperBound...]
        }
        let unoffered = try table("only=unoffered")
        #expect(unoffered.contains("3 groups, page 1 of 1") && !unoffered.contains("/admin/groups/birds"))
        #expect(!unoffered.contains("the data that were imported last end before them"))
        let opened = try table("sort=opened")
        #expect(opened.contains("40%") && opened.contains("0%"))
        let first = try #require(opened.range(of: "/admin/groups/alps")?.lowerBound)
        #expect(try first < #require(opened.range(of: "/admin/groups/birds")?.lowerBound))
    }

    @Test("A group that the version lacks is in the table and the search, and its page shows it again")
    func absent() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        try members.execute(
            """
            INSERT INTO groups (group_id, title) VALUES ('moths', 'Moths at night');
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes';
            """)
        func page(_ path: String) throws -> SocketClient.Response { try get(daemon, "/admin/\(path)", [field]) }
        #expect(try page("groups/moths").text.contains("This version lacks it, and the next one has it."))
        #expect(try post(daemon, "/admin/groups/moths/hidden", "hidden=yes&secret=\(secret)", [field]).status == 303)
        let hidden = try page("groups/moths").text
        #expect(hidden.contains("An administrator hid it") && hidden.contains("Show again"))
        #expect(try page("members/ann?group=moths").text.contains("an administrator hid it"))
        for path in ["groups?only=concealed", "groups", "search?q=night", "search?q=moths"] {
            let text = try page(path).text
            #expect(text.contains("/admin/groups/moths") && text.contains(">hidden<"), "\(path)")
        }
        // A curated group has its title also while it is hidden.
        #expect(try post(daemon, "/admin/curation", "group=moths&secret=\(secret)", [field]).status == 303)
        #expect(try page("curation").text.contains("Moths at night"))
        #expect(try !page("groups?only=small").text.contains("/admin/groups/moths"))
        #expect(try post(daemon, "/admin/groups/moths/hidden", "hidden=no&secret=\(secret)", [field]).status == 303)
        #expect(try !page("groups?only=concealed").text.contains("/admin/groups/moths"))
        let concealed = try page("groups/secret").text
        #expect(concealed.contains("It is private") && !concealed.contains("Show again"))
        #expect(try page("groups/nothing").status == 404)
        // A removed group is gone, although the catalog has it until the removal is applied.
        let bearer = try bearers.field("olga", .admin)
        let client = try #require(SocketClient(port: daemon.port))
        #expect(client.request("DELETE", "/v1/groups/secret", headers: [bearer])?.status == 200)
        #expect(try page("groups/secret").status == 404)
        // The version still has this one, and nobody can show it again.
        #expect(client.request("DELETE", "/v1/groups/birds", headers: [bearer])?.status == 200)
        let removed = try page("groups/birds").text
        #expect(removed.contains("It was removed, or has another id now.") && !removed.contains("Show again"))
    }

    @Test("Without a catalog, the state of the site has the groups that are not shown")
    func absentWithoutCatalog() throws {
        let store = FakeStore(try Community.version("v1"))
        let version = try VersionName("v1")
        store.state.withLock { state in
            state.site = PublishedSite(
                hidden: [HiddenGroup(id: "moths", hiddenAtMilliseconds: 7)],
                withdrawn: WithdrawnGroups(
                    [BytewiseString("owls"): version, BytewiseString("gone"): version], through: version
                ) { $0 == "owls" ? .private : .removed })
        }
        let daemon = try daemon { $0.deployment = .versionsOnly(store) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let table = try get(daemon, "/admin/groups?only=concealed", [field]).text
        #expect(table.contains("2 groups, page 1 of 1"))
        for (group, reason) in [("moths", "An administrator hid it"), ("owls", "It is private")] {
            #expect(table.contains("/admin/groups/\(group)"))
            #expect(try get(daemon, "/admin/groups/\(group)", [field]).text.contains(reason))
            #expect(try get(daemon, "/admin/search?q=\(group)", [field]).text.contains("/admin/groups/\(group)"))
        }
        #expect(try get(daemon, "/admin/groups/gone", [field]).status == 404)
    }

    @Test("A wrong address is a page, an empty search is an empty search, and nothing is left after signing out")
    func ends() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        for path in ["/admin/", "/admin/nothing/here"] {
            let page = try get(daemon, path)
            #expect(page.status == 404 && page.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
        }
        let field = try #require(try signIn(daemon).cookie)
        #expect(try get(daemon, "/admin/search?q=", [field]).status == 200)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        let out = try post(daemon, "/admin/sign-out", "secret=\(secret)", [field])
        #expect(out.headers["clear-site-data"] != nil && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
        let page = try get(daemon, "/admin/sign-in?failed=role").text
        #expect(page.contains("a member&#39;s or a service&#39;s"))
        #expect(try !get(daemon, "/admin/sign-in?failed=Call%20this%20number").text.contains("Call this number</p>"))
    }

    @Test("A form of a session that has ended leads back to its page, which says that nothing was changed")
    func endedForms() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        for (path, page) in [
            ("/admin/curation", "%2Fadmin%2Fcuration"),
            ("/admin/groups/cats%20%F0%9F%90%88/hidden", "%2Fadmin%2Fgroups%2Fcats%2520%25F0%259F%2590%2588"),
            ("/admin/experiments/a/stop", "%2Fadmin%2Fexperiments%2Fa"), ("/admin/sign-out", "%2Fadmin"),
        ] {
            let answer = try post(daemon, path, "secret=old&group=alps")
            #expect(answer.status == 303)
            let target = try #require(answer.headers["location"])
            #expect(target == "/admin/sign-in?to=\(page)&failed=ended")
            #expect(try get(daemon, target).text.contains("Your session has ended; nothing was changed."))
        }
    }

    @Test("Signing out while the store is away says so, and the store learns it when it is back, also after a restart")
    func waitingEndings() throws {
        let folder = try TemporaryDirectory()
        let (boards, file) = (folder.path + "/boards", folder.path + "/journal-endings")
        let store = FakeStore(try Community.version("v1"))
        // A file where the folder of the boards would be.
        store.state.withLock { $0.boards = boards }
        try Data().write(to: URL(fileURLWithPath: boards))
        let daemon = try daemon { $0.deployment = .versionsOnly(store) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        let target = try #require(try post(daemon, "/admin/sign-out", "secret=\(secret)", [field]).headers["location"])
        #expect(try get(daemon, target).text.contains("other daemons do not know it yet"))
        #expect(try get(daemon, "/admin", [field]).status == 303)

        let headers: HTTPHeaders = ["Cookie": "coterie-session=abc"]
        let before = PageSessions(store, file: file, log: lines.log)
        #expect(before.session(in: headers) != nil && !before.end(headers))
        let restarted = PageSessions(store, file: file, log: lines.log)
        #expect(restarted.session(in: headers) == nil)
        func waiting() -> Bool {
            var text = MetricsText()
            restarted.write(to: &text)
            return String(decoding: text.bytes, as: UTF8.self).contains("coterie_sign_outs_waiting 1\n")
        }
        #expect(waiting())
        let other = PageSessions(store, log: lines.log)
        other.follow()
        #expect(other.session(in: headers) != nil)
        try FileManager.default.removeItem(atPath: boards)
        restarted.follow()
        other.follow()
        #expect(other.session(in: headers) == nil)
        #expect(!FileManager.default.fileExists(atPath: file) && !waiting())
    }

    @Test("A log that names no members has the digest of the path in the line about the page, too")
    func digests() async throws {
        let daemon = try daemon {
            $0.live.logsMembers = false
            $0.live.logsRequests = true
        }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        #expect(try get(daemon, "/admin/members/bob", [field]).status == 200)
        let digest = PathDigests.digest(of: "bob")
        #expect(digest.hasPrefix("~") && digest.utf8.count == 17)
        #expect(await lines.have("pages: olga looked at the member \(digest)"))
        #expect(await eventually { lines.raw.contains { $0.contains("admin/members/\(digest)") } })
        #expect(!lines.raw.contains { $0.contains("bob") })
    }
}
