import Answers
import Basics
import CatalogStore
import HTTP
import Model
import Recommendation

/// The apps that open a site's addresses of groups, as phones ask for them.
package struct AppLinks: Sendable, Equatable {
    /// The apps for iOS: a team's id of ten characters, a dot and the bundle's id.
    package var appleApps: [String]
    /// The apps for Android with the SHA-256 fingerprints of their certificates.
    package var androidApps: [AndroidApp]

    /// An app for Android.
    package struct AndroidApp: Sendable, Equatable {
        package var package: String
        /// The fingerprints: 32 bytes each, in hexadecimal, separated by colons.
        package var fingerprints: [String]
    }

    package init() { (appleApps, androidApps) = ([], []) }

    /// Adds an app for iOS, such as `ABCDE12345.com.example.photos`.
    ///
    /// - Returns: false if the text is none.
    package mutating func add(appleApp text: String) -> Bool {
        guard text.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)*/) != nil else { return false }
        if !appleApps.contains(text) { appleApps.append(text) }
        return true
    }

    /// Adds an app for Android, such as `com.example.photos=14:6D:…`.
    ///
    /// A package with several certificates is given several times.
    ///
    /// - Returns: false if the text is none.
    package mutating func add(androidApp text: String) -> Bool {
        let form = /([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+)=([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31})/
        guard let match = text.wholeMatch(of: form) else { return false }
        let (package, fingerprint) = (String(match.output.1), match.output.2.uppercased())
        guard let index = androidApps.firstIndex(where: { $0.package == package }) else {
            androidApps.append(AndroidApp(package: package, fingerprints: [fingerprint]))
            return true
        }
        if !androidApps[index].fingerprints.contains(fingerprint) {
            androidApps[index].fingerprints.append(fingerprint)
        }
        return true
    }

    /// Returns the body of `apple-app-site-association`: the apps open the addresses of groups, and no others.
    func appleBody(_ groups: AddressTemplate) -> [UInt8] {
        JSONWriter.object { json in
            json.object("applinks") { json in
                json.objects("details", [appleApps]) { json, apps in
                    json.member("appIDs", apps)
                    json.objects("components", [groups.component]) { json, component in
                        json.member("/", component.path)
                        if !component.query.isEmpty {
                            json.object("?") { json in
                                for (name, value) in component.query { json.member(name, value) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The body of `assetlinks.json`.
    var androidBody: [UInt8] {
        let statements = androidApps.map { app in
            JSONWriter.object { json in
                json.member("relation", ["delegate_permission/common.handle_all_urls"])
                json.object("target") { json in
                    json.member("namespace", "android_app")
                    json.member("package_name", app.package)
                    json.member("sha256_cert_fingerprints", app.fingerprints)
                }
            }
        }
        return [UInt8(ascii: "[")] + Array(statements.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }
}

extension AddressTemplate {
    /// The path and the parameters of all its addresses, with `*` for the id.
    fileprivate var component: (path: String, query: [(name: String, value: String)]) {
        let address = text.replacing("{id}", with: "*").prefix { $0 != "#" }
        let parts = address.split(separator: "?", maxSplits: 1)
        let path = parts[0].dropFirst(parts[0].hasPrefix("https") ? 8 : 7).drop { $0 != "/" }
        let query = parts.count < 2 ? [] : parts[1].split(separator: "&")
        return (
            path.isEmpty ? "/" : String(path),
            query.map { pair in
                let pair = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (pair[0], pair.count > 1 ? pair[1] : "")
            }
        )
    }
}

extension Endpoint {
    static let apps = [
        Endpoint(
            "appleAppSiteAssociation", .get, "/.well-known/apple-app-site-association", .open,
            summary: "The apps for iOS that open the site's addresses of groups",
            content: .json({ _ in .component("AppleAppSiteAssociation", .anyObject) }), caching: .shared,
            problems: [.notFound]
        ) { call throws(Problem) in
            let settings = call.responder.settings
            guard !settings.apps.appleApps.isEmpty, let groups = settings.addresses.groups else {
                throw .noApps("--apple-app")
            }
            return .content("application/json", settings.apps.appleBody(groups))
        },
        Endpoint(
            "assetLinks", .get, "/.well-known/assetlinks.json", .open,
            summary: "The apps for Android that open the site's addresses",
            content: .json({ _ in .array(.component("AssetLink", .anyObject)) }), caching: .shared,
            problems: [.notFound]
        ) { call throws(Problem) in
            let apps = call.responder.settings.apps
            guard !apps.androidApps.isEmpty else { throw .noApps("--android-app") }
            return .content("application/json", apps.androidBody)
        },
        Endpoint(
            "groupsOfMember", .get, "/v1/users/{id}/groups", .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "The groups that a member has joined, for the search index of an app", path: [.member],
            parameters: [
                .limit, Parameter("after", .text(1...Parameter.identifierLimit), "Begin after this group"),
                Parameter("size", .text(1...16), "The size of the thumbnails, which takes the place of {size}"),
            ],
            content: .json(GroupFeed.schema(of:)), caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsOfMember),
    ]
}

extension Responder {
    /// Answers `GET /v1/users/{id}/groups`: the joined groups, in ascending order of the bytes of their ids.
    @Sendable
    fileprivate static func groupsOfMember(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshotWithMembers
        let (request, _) = try call.planRequest(ofUser: call.id, at: call.responder.now(), in: snapshot)
        let model = snapshot.model
        let after = call.parameters.text("after")
        let all = request.profile.joined.map { Int($0.group) }.map { (id: model.id(of: $0), index: $0) }
            .filter { group in after.map { $0.utf8.lexicographicallyPrecedes(group.id.utf8) } ?? true }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        let page = all.prefix(call.parameters.limit)
        let addresses = call.responder.settings.addresses
        let ids = page.map(\.id)
        let photos = try call.reading { () throws(Failure) in
            try call.responder.community?.photos(ofGroups: ids, limit: 1) ?? []
        }
        let items = page.enumerated().map { position, group in
            var thumbnail = photos.indices.contains(position) ? photos[position].first : nil
            thumbnail = addresses.photos == nil ? nil : thumbnail
            let picture = thumbnail.flatMap { addresses.photos?.address(of: $0.id) }
            let size = call.parameters.text("size").map(HTML.segment)
            return GroupFeed.Item(
                groupId: group.id, title: model.title(of: group.index), keywords: model.topics(of: group.index),
                url: addresses.groups?.address(of: group.id),
                thumbnail: picture.map { picture in size.map { picture.replacing("{size}", with: $0) } ?? picture })
        }
        let feed = GroupFeed(
            userId: call.id, items: items, next: page.count < all.count ? page.last?.id : nil)
        var response = HTTPResponse.content("application/json", feed.json)
        // Whatever the size of thumbnails, it is the same feed.
        response.headers.append(name: "Link", value: "</v1/users/\(HTML.segment(call.id))/groups>; rel=\"canonical\"")
        return response
    }
}

extension Problem {
    /// No app was named when the daemon was started.
    fileprivate static func noApps(_ option: String) -> Problem {
        Problem(
            status: .notFound, title: "Not Found",
            detail: "no app is known: start the daemon with \(option) and --group-url")
    }
}

/// The groups that a member has joined, for the search index of an app: `GET /v1/users/{id}/groups`.
struct GroupFeed: Answer, Equatable {
    var userId: String
    var items: [Item]
    var next: String?

    static let schemaName: String? = "GroupFeed"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("items", \.items, "The groups that the member has joined, by their ids")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }

    /// A group in the index.
    struct Item: Answer, Equatable {
        var groupId: String
        /// The group's title, which may be empty.
        var title: String
        var keywords: [String]
        var url: String?
        var thumbnail: String?

        static let schemaName: String? = "IndexedGroup"
        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("identifier", { "group:\($0.groupId)" }, "Its type and id: the key in the index")
            fields.always("groupId", \.groupId, "The group")
            fields.always("title", \.title, "Its title")
            fields.always("keywords", \.keywords, "Its topics")
            fields.sometimes("url", \.url, "Its canonical address; if the daemon knows the addresses of groups")
            fields.sometimes("thumbnail", \.thumbnail, "A public photo of it; if one and its address are known")
        }
    }
}
