import Answers
import Foundation
import Model
import TestSupport
import Testing

@testable import Service

@Suite("Changes since a state, and what a site's pages need")
struct ComponentRouteTests {
    private struct Changes: Decodable {
        struct Group: Decodable { var groupId, state: String }

        var oldState: String?
        var newState: String
        var hasMoreChanges: Bool
        var created, updated, destroyed, order: [String]
        var groups: [Group]
    }

    /// Applies changes as a client does.
    private func apply(_ changes: Changes, to states: inout [String: String]) {
        for id in changes.destroyed { #expect(states.removeValue(forKey: id) != nil, "\(id)") }
        for group in changes.groups {
            #expect((states[group.groupId] == nil) == changes.created.contains(group.groupId), "\(group.groupId)")
            #expect(states[group.groupId] != group.state)
            states[group.groupId] = group.state
        }
        #expect(changes.groups.map(\.groupId) == changes.created + changes.updated)
    }

    private func decode<Body: Decodable>(_ answer: SocketClient.Response) throws -> Body {
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(Body.self, from: Data(answer.body))
    }

    @Test("A client that applies changes has what one has that asks for everything, also after a restart")
    func agreement() throws {
        let members = try MemberCatalog()
        var routes = try members.routes()
        var states: [String: String] = [:]
        let first: Changes = try decode(routes.answer(.direct, "/v1/users/ann/changes"))
        #expect(first.oldState == nil && first.updated.isEmpty && first.destroyed.isEmpty)
        apply(first, to: &states)
        #expect(states["alps"] == "joined" && states["birds"] == "recommended")
        #expect(Set(states.keys) == Set(first.order + ["alps"]))

        let steps = [
            #"{"id":"1","kind":"dismiss","groupId":"birds"}"#, #"{"id":"2","kind":"join","groupId":"élan"}"#,
            #"{"id":"3","kind":"undismiss","groupId":"birds"},{"id":"4","kind":"leave","groupId":"alps"}"#,
            #"{"id":"5","kind":"leave","groupId":"élan"},{"id":"6","kind":"join","groupId":"alps"}"#,
        ]
        var state = first.newState
        for (number, step) in steps.enumerated() {
            let body = #"{"interactions":[\#(step)]}"#
            #expect(
                try routes.answer(.direct, "/v1/users/ann/interactions", method: "POST", json: body).status == 200)
            // Another daemon with another version goes on from the same state.
            if number == 2 { routes = try members.routes(FakeStore(Community.version("v2"))) }
            // One change at a time, as a client on a train may ask.
            var isFirst = true
            while true {
                let changes: Changes = try decode(
                    routes.answer(.direct, "/v1/users/ann/changes?maxChanges=1&since=\(state)"))
                #expect(changes.oldState == state)
                #expect((changes.created + changes.updated + changes.destroyed).count == 1 || !isFirst)
                apply(changes, to: &states)
                (state, isFirst) = (changes.newState, false)
                if !changes.hasMoreChanges { break }
            }
            let all: Changes = try decode(routes.answer(.direct, "/v1/users/ann/changes"))
            #expect(states == Dictionary(uniqueKeysWithValues: all.groups.map { ($0.groupId, $0.state) }), "\(number)")
            #expect(state == all.newState)
        }
        let none: Changes = try decode(routes.answer(.direct, "/v1/users/ann/changes?since=\(state)"))
        #expect(none.newState == state && none.groups.isEmpty && none.destroyed.isEmpty)
    }

    @Test("The number of the last own action changes nothing in an answer but its address")
    func seen() throws {
        let members = try MemberCatalog()
        let routes = try members.routes()
        for target in ["recommendations?session=s", "changes?session=s"] {
            let answers = try ["", "&seen=1", "&seen=9007199254740991"].map { number in
                try routes.answer(.direct, "/v1/users/ann/" + target + number)
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
            for wrong in ["-1", "x", "9007199254740992"] {
                #expect(try routes.answer(.direct, "/v1/users/ann/\(target)&seen=\(wrong)").status == 400)
            }
        }
    }

    @Test("A state that no program wrote is refused with its own problem", arguments: ["x", "a*", "aAAAA", "b0"])
    func badState(_ state: String) throws {
        let members = try MemberCatalog()
        let routes = try members.routes()
        let answer = try routes.answer(.direct, "/v1/users/ann/changes?since=\(state)")
        #expect(answer.status == 410, "\(answer.text)")
        #expect(answer.text.contains(#""type":"urn:coterie:problem:cannot-calculate-changes""#))
        #expect(try routes.answer(.direct, "/v1/users/ann/changes?since=").status == 400)
    }

    @Test("Changes in any portions lead from any view to any other", arguments: 0..<40)
    func portions(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func view() -> MemberView {
            func some(_ part: Int) -> [String] {
                (0..<12).filter { _ in Int.random(in: 0..<10, using: &random) < part }.map { "é\($0)" }
            }
            return MemberView(recommended: some(4).shuffled(using: &random), joined: some(2), dismissed: some(1))
        }
        let (old, new) = (view(), view())
        let expected =
            new.groups.filter { new.state(of: $0) != old.state(of: $0) }.count
            + old.groups.filter { new.state(of: $0) == nil }.count
        var (between, count) = (old, 0)
        while true {
            let limit = Int.random(in: 1...4, using: &random)
            guard case .whole(let start)? = ViewState(ViewState(between).text) else { throw NoView() }
            let changes = ViewChanges(from: start, to: new, limit: limit)
            let changed = changes.created + changes.updated + changes.destroyed
            #expect(Set(changed).count == changed.count && changed.count <= limit)
            count += changed.count
            between = changes.view
            #expect(ViewState(between).text == ViewState(changes.view).text)
            if !changes.hasMore { break }
        }
        #expect(count == expected && between == new)
    }

    private struct NoView: Error {}

    @Test("A view with too many groups has a short state, which tells only whether anything has changed")
    func manyGroups() throws {
        let ids = (0..<1000).map { "group-\($0)" }
        let state = ViewState(MemberView(recommended: [], joined: ids, dismissed: []))
        #expect(state.text.utf8.count < 40 && ViewState(state.text) == state)
        #expect(ViewState(MemberView(recommended: [], joined: Array(ids.dropLast()), dismissed: [])) != state)
    }

    @Test("No text is taken for a state by mistake, or stops the program", arguments: 0..<40)
    func damagedStates(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let view = MemberView(recommended: ["alps", "élan"], joined: ["cats 🐈"], dismissed: ["d"])
        // The order of the groups is not in the text.
        guard case .whole(let read)? = ViewState(ViewState(view).text), read.states == view.states else {
            Issue.record("\(ViewState(view).text) is not the view")
            return
        }
        for _ in 0..<50 {
            var bytes = Array(ViewState(view).text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 32...126, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 32...126, using: &random), at: place)
                }
            }
            // What is read as a view is written and read again as the same one.
            guard case .whole(let read)? = ViewState(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(ViewState(ViewState(read).text) == .whole(read))
        }
    }

    @Test("The module is small, has a tag, and may be read by pages of a site that is allowed")
    func module() throws {
        var routes = Routes(store: FakeStore())
        routes.crossOrigin = .init(origins: ["https://photos.example"])
        let origin = "Origin: https://photos.example"
        let path = "/components/coterie-groups.js"
        let answer = try routes.answer(.socket, path, headers: ["Accept-Encoding: gzip", origin])
        #expect(answer.status == 200 && answer.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(answer.headers["content-encoding"] == "gzip" && answer.body.count < 16_384)
        // Only lines that are nothing but comment are left out.
        #expect(try routes.answer(.direct, path).text.hasSuffix("define('coterie-groups', CoterieGroups);"))
        #expect(answer.headers["access-control-allow-origin"] == "https://photos.example")
        let tag = try #require(answer.headers["etag"])
        #expect(try routes.answer(.socket, path, headers: ["If-None-Match: \(tag)"]).status == 304)
        for language in ["ar", "de", "es", "fr", "ja", "pt"] {
            let path = "/components/coterie-groups.\(language).js"
            let texts = try routes.answer(.socket, path, headers: ["Accept-Encoding: gzip", origin])
            #expect(texts.status == 200 && texts.body.count <= 2048)
            #expect(texts.headers["access-control-allow-origin"] == "https://photos.example")
            #expect(try routes.answer(.direct, path).text.hasPrefix("export default {"))
        }
    }

    private struct List: Decodable {
        struct Row: Decodable {
            struct Photo: Decodable, Equatable {
                var photoId: String
                var url: String?
            }

            var groupId: String
            var url: String?
            var photos: [Photo]?
        }

        var recommendations: [Row]
    }

    @Test("A list has public photos of public groups and the site's addresses, as far as they are wanted")
    func photos() throws {
        let members = try MemberCatalog()
        try members.execute(
            """
            INSERT INTO photos (photo_key, photo_id, visibility) VALUES (1, '1/a', 0), (2, '2', 1), (3, '3', 0), (4, '4', 2);
            INSERT INTO pools (group_key, photo_key) VALUES (2, 1), (2, 2), (2, 3), (2, 4), (5, 2);
            """)
        var routes = try members.routes()
        func birds(_ query: String) throws -> List.Row? {
            let list: List = try decode(routes.answer(.direct, "/v1/users/ann/recommendations?\(query)"))
            return list.recommendations.first { $0.groupId == "birds" }
        }
        #expect(try birds("limit=5")?.photos == nil)
        #expect(try birds("photos=5")?.photos == [.init(photoId: "3"), .init(photoId: "1/a")])
        #expect(try birds("photos=1")?.photos == [.init(photoId: "3")])
        routes.addresses = SiteAddresses(
            groups: AddressTemplate("https://photos.example/groups/{id}?from=list", hasSize: false),
            photos: AddressTemplate("https://p.example/{id}_{size}.jpg", hasSize: true))
        #expect(try birds("photos=5")?.url == "https://photos.example/groups/birds?from=list")
        #expect(try birds("photos=5")?.photos?.last?.url == "https://p.example/1%2Fa_{size}.jpg")
        let list: List = try decode(routes.answer(.direct, "/v1/users/ann/recommendations?photos=5"))
        #expect(list.recommendations.first { $0.groupId == "élan" }?.photos == [])
        try members.execute("UPDATE photos SET visibility = 1 WHERE photo_id = '3'")
        #expect(try birds("photos=5")?.photos?.map(\.photoId) == ["1/a"])
    }

    @Test(
        "A template must be an address of http with one id",
        arguments: [
            "", "{id}", "https://photos.example/", "javascript:alert({id})", "https://{id}", "https://x/{id}{id}",
            "https://x/{id}_{size}", "https://x/{id}{", "https://x/{id}?q={name}", "https://x/ {id}", "https://x/é{id}",
        ])
    func templates(_ text: String) {
        #expect(AddressTemplate(text, hasSize: false) == nil)
        #expect(AddressTemplate(text, hasSize: true) == nil || text.contains("{size}"))
    }

    @Test(
        "Phones learn which apps open the addresses of groups",
        arguments: [
            ("https://photos.example/groups/{id}", #"{"/":"/groups/*"}"#),
            ("https://photos.example/group?id={id}&from=app#top", ##"{"/":"/group","?":{"id":"*","from":"app"}}"##),
            ("https://photos.example?g={id}", #"{"/":"/","?":{"g":"*"}}"#),
        ])
    func apps(address: String, component: String) throws {
        var routes = Routes(store: FakeStore())
        let (apple, android) = ("/.well-known/apple-app-site-association", "/.well-known/assetlinks.json")
        for path in [apple, android] { #expect(try routes.answer(.direct, path).status == 404) }
        routes.addresses.groups = AddressTemplate(address, hasSize: false)
        let fingerprint = Array(repeating: "ab", count: 32).joined(separator: ":")
        let added = [
            routes.apps.add(appleApp: "ABCDE12345.com.example.photos"),
            routes.apps.add(androidApp: "com.example.photos=\(fingerprint)"),
            routes.apps.add(androidApp: "com.example.photos=\(fingerprint.uppercased())"),
        ]
        #expect(added == [true, true, true])
        let answer = try routes.answer(.direct, apple)
        #expect(answer.headers["content-type"] == "application/json" && answer.headers["etag"] != nil)
        #expect(
            answer.text
                == #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.photos"],"components":[\#(component)]}]}}"#
        )
        let links = try routes.answer(.direct, android)
        #expect(
            links.text == #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"#
                + #""android_app","package_name":"com.example.photos","sha256_cert_fingerprints":"#
                + #"["\#(fingerprint.uppercased())"]}}]"#)
    }

    @Test(
        "What is no app's id is refused",
        arguments: ["", "com.example", "abcde12345.com.example", "ABCDE12345.", "ABCDE12345.a b", "a.b=12", "a.b"])
    func badApps(_ text: String) {
        var apps = AppLinks()
        let added = [apps.add(appleApp: text), apps.add(androidApp: text)]
        #expect(added == [false, false] && apps == AppLinks())
    }

    private struct Feed: Decodable {
        struct Item: Decodable, Equatable {
            var identifier, title: String
            var keywords: [String]
            var url, thumbnail: String?
        }

        var items: [Item]
        var next: String?
    }

    @Test("A member's groups come with their canonical addresses and a public photo, page by page")
    func feed() throws {
        let members = try MemberCatalog()
        try members.execute(
            """
            INSERT INTO memberships (group_key, user_key) VALUES (2, 1);
            INSERT INTO photos (photo_key, photo_id, visibility) VALUES (1, 'p', 0), (2, 'q', 1);
            INSERT INTO pools (group_key, photo_key) VALUES (1, 1), (1, 2), (2, 2);
            """)
        var routes = try members.routes()
        routes.addresses = SiteAddresses(
            groups: AddressTemplate("https://photos.example/groups/{id}", hasSize: false),
            photos: AddressTemplate("https://p.example/{id}_{size}.jpg", hasSize: true))
        let answer = try routes.answer(.direct, "/v1/users/ann/groups?limit=1&size=q")
        #expect(answer.headers["link"] == "</v1/users/ann/groups>; rel=\"canonical\"")
        let first: Feed = try decode(answer)
        #expect(
            first.items == [
                .init(
                    identifier: "group:alps", title: "Alps", keywords: [], url: "https://photos.example/groups/alps",
                    thumbnail: "https://p.example/p_q.jpg")
            ])
        #expect(first.next == "alps")
        let second: Feed = try decode(routes.answer(.direct, "/v1/users/ann/groups?limit=1&after=alps"))
        #expect(second.items.map(\.identifier) == ["group:birds"] && second.items[0].thumbnail == nil)
        #expect(second.next == nil)
    }
}
