import Foundation
import HTTP
import Model
import ModelStore
import TestSupport
import Testing

@testable import Service

/// Pages that show what members do, and the photos of groups.
extension PageTests {
    @Test("The overview counts lists and what is done with them, and gives rates only if impressions are sent")
    func outcome() throws {
        let daemon = try daemon { $0.live.access = AccessPolicy() }
        defer { daemon.stop() }
        func overview() throws -> String { try get(daemon, "/admin", ["Host: localhost"]).text }
        #expect(try overview().contains("No list was made in four weeks"))
        let list = "/v1/users/ann/recommendations?session=s"
        let shown = try get(daemon, list, ["Host: localhost"]).text
        let id = try #require(shown.firstMatch(of: #/"recommendationId":"([^"]+)"/#)).output.1
        // A list counts once, however often its pages are asked for.
        _ = try get(daemon, list + "&limit=1", ["Host: localhost"])
        func send(_ kind: String, _ list: some StringProtocol) throws {
            let body = #"{"id":"\#(kind)\#(list)","kind":"\#(kind)","groupId":"birds","recommendationId":"\#(list)"}"#
            let client = try #require(SocketClient(port: daemon.port))
            let answer = try #require(
                client.request(
                    "POST", "/v1/users/ann/interactions", headers: ["Host: localhost"],
                    json: #"{"interactions":[\#(body)]}"#))
            #expect(answer.status == 200, "\(answer.text)")
        }
        try send("click", id)
        try send("click", "other-1")
        let before = try overview()
        #expect(before.contains("<figcaption>Lists <b>1</b>") && before.contains("Members reached, about <b>1</b>"))
        #expect(before.contains("sends no impressions") && !before.contains("per 1,000 lists"))
        #expect(before.contains("1 clicks, joins and dismissals of today name no list of this site"))
        try send("impression", id)
        let after = try overview()
        #expect(!after.contains("sends no impressions") && after.contains("Clicks per 1,000 lists <b>1,000</b>"))
        #expect(after.contains("Joins per 1,000 lists <b>0</b>") && after.contains("class=\"gap\""))
    }

    @Test("The page of versions shows how good lists were, and a version's own page says so beside its button")
    func quality() throws {
        let (old, new) = (try Community.version("v0"), try Community.version("v1"))
        let daemon = try daemon {
            $0.deployment = .catalog(FakeStore(old, measured(new, after: old)), path: members.path)
            $0.live.access = AccessPolicy()
        }
        defer { daemon.stop() }
        let versions = try get(daemon, "/admin/versions", ["Host: localhost"]).text
        #expect(versions.contains("<figcaption>Members who joined a group of their list <b>25.0%</b>"))
        #expect(versions.contains(">20.0% to 30.5%</td>") && versions.contains("Groups in anybody&#39;s list"))
        let page = try get(daemon, "/admin/versions/v0", ["Host: localhost"]).text
        #expect(page.contains("25.0% (20.0% to 30.5%) of 120 members joined a group of their list, 10.0% a popular"))
        let metrics = try get(daemon, "/metrics", ["Host: localhost"]).text
        #expect(metrics.contains(#"coterie_list_hit_rate{version="v0"} 0.25"#))
        #expect(metrics.contains(#"coterie_list_most_shown{version="v0"} 0.125"#))
    }

    /// Returns a version whose recompute measured the lists of another one.
    private func measured(_ version: LoadedVersion, after other: LoadedVersion) -> LoadedVersion {
        var quality = Manifest.Quality(of: other.manifest.version)
        (quality.members, quality.joins) = (120, 150)
        quality.figures = QualityFigures(
            hitRate: 0.25, interval: 0.2...0.305, popularHitRate: 0.1, coverage: 0.5, mostShown: 0.125, impersonal: 0,
            overlap: 0.75)
        var manifest = version.manifest
        manifest.quality = [quality]
        return LoadedVersion(manifest: manifest, model: version.model)
    }

    @Test("Pages show public photos from the site's own addresses, and from nowhere else")
    func photos() throws {
        try members.execute(
            """
            INSERT INTO photos (photo_key, photo_id, visibility, width, height) VALUES (1, '1/a"b', 0, 40, 30), (2, 'p', 1, 4, 3);
            INSERT INTO pools (group_key, photo_key) VALUES (1, 1), (1, 2), (2, 1), (2, 2);
            """)
        func pages(_ template: String?, _ arePhotosOnPages: Bool = true) throws -> [SocketClient.Response] {
            let daemon = try daemon {
                $0.live.access = AccessPolicy()
                $0.live.addresses = SiteAddresses(
                    photos: template.flatMap { AddressTemplate($0, hasSize: true) }, arePhotosOnPages: arePhotosOnPages)
            }
            defer { daemon.stop() }
            return try ["/admin/groups/alps", "/admin/members/ann", "/admin/photos/1%2Fa%22b"].map {
                try get(daemon, $0, ["Host: localhost"])
            }
        }
        for page in try pages("https://pictures.example:8443/x/{id}_{size}.jpg?a&b") {
            #expect(page.text.contains(#"<img src="https://pictures.example:8443/x/1%2Fa%22b_"#), "\(page.text)")
            #expect(page.text.contains(#".jpg?a&amp;b""#) && page.text.contains(#"alt="Photo 1/a&quot;b"#))
            #expect(!page.text.contains("x/p_"))
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.contains("img-src 'self' https://pictures.example:8443; connect-src"))
        }
        for (template, isShown) in [
            (nil, true), ("https://p{id}.example/x", true), ("https://pictures.example/{id}", false),
        ] {
            for page in try pages(template, isShown) {
                #expect(page.status == 200 && !page.text.contains("<img"))
                #expect(page.headers["content-security-policy"]?.contains("img-src 'self'; connect-src") == true)
            }
        }
    }
}
