@testable import Service
import TestSupport
import Testing

extension PageTests {
    /// Signs in with a token that has scopes, and returns the header field with the session's cookie.
    private func cookie(_ daemon: Daemon, _ scopes: Set<Scope>) throws -> String {
        let token = try #require(try bearers.field("ann", .admin, scopes: scopes).split(separator: " ").last)
        let response = try post(daemon, "/admin/sign-in", "to=/admin&token=\(token)")
        return "Cookie: \(try #require(response.headers["set-cookie"]).prefix { $0 != ";" })"
    }

    @Test(
        "A session may see only the pages that its scopes name", arguments: Scope.allCases.filter { $0.role == .admin })
    func pagesOfScope(_ scope: Scope) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let field = try cookie(daemon, [scope])
        for path in [
            "/admin", "/admin/versions", "/admin/groups/alps", "/admin/curation", "/admin/decisions", "/admin/data",
        ] {
            #expect(try get(daemon, path, [field]).status == (scope == .look ? 200 : 403))
        }
        #expect(try get(daemon, "/admin/members/ann", [field]).status == (scope == .members ? 200 : 403))
        let token = try bearers.field("ann", .admin, scopes: [scope])
        #expect(try get(daemon, "/v1/admin/model", [token]).status == (scope == .look ? 200 : 403))
    }

    @Test("The page of a photo says whose member the owner is only to those who may see members")
    func ownerOfPhoto() throws {
        try members.execute("INSERT INTO photos (photo_key, photo_id, user_key) VALUES (9, 'q', 1)")
        let daemon = try daemon()
        defer { daemon.stop() }
        for (scopes, isTold) in [([Scope.look], false), ([.look, .members], true), ([], true)] as [(Set<Scope>, Bool)] {
            let page = try get(daemon, "/admin/photos/q", [try cookie(daemon, scopes)])
            #expect(page.status == 200 && page.text.contains("the owner is a member") == isTold, "\(scopes)")
        }
    }

    @Test("An action without its scope is 403, and its button is not drawn")
    func actionsOfScope() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let looker = try cookie(daemon, [.look])
        let curator = try cookie(daemon, [.look, .curate])
        let anybody = try cookie(daemon, [])
        let button = "Hide from everybody"
        let page = try get(daemon, "/admin/groups/alps", [looker]).text
        #expect(!page.contains(button) && page.contains("Sign out"))
        let form = "secret=\(try secret(in: page))&hidden=yes"
        #expect(try post(daemon, "/admin/groups/alps/hidden", form, [looker]).status == 403)
        #expect(try get(daemon, "/admin/groups/alps", [anybody]).text.contains(button))
        let seen = try get(daemon, "/admin/groups/alps", [curator]).text
        #expect(seen.contains(button))
        // A scope opens nothing of another one.
        let pin = "secret=\(try secret(in: seen))&action=pin&version=v1"
        #expect(try post(daemon, "/admin/versions", pin, [curator]).status == 403)
        let hiding = "secret=\(try secret(in: seen))&hidden=yes"
        #expect(try post(daemon, "/admin/groups/alps/hidden", hiding, [curator]).status == 303)
    }
}
