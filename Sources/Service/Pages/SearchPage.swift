import Basics
import Foundation
import Model

extension Endpoint {
    static let searchPage = Endpoint(
        page: "search-page", "/admin/search", parameters: [Parameter("q", .text(0...200), "The words to look for")],
        handler: Responder.searchPage)
}

extension Responder {
    /// The most groups that a search shows.
    private static let groupLimit = 50

    /// Shows the groups whose id, title or topics have the words, and the member and photo with that id.
    ///
    /// Groups that nobody is shown are found as well.
    @Sendable
    fileprivate static func searchPage(_ call: Call) throws(Problem) -> Page {
        let words = (call.parameters.text("q") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !words.isEmpty else { return Page("Search", "<p>Give a part of an id, a title or a topic.</p>") }
        let (snapshot, groups) = (try call.snapshot, try OperatorGroups(call))
        let rows = try groups.matching(words, limit: groupLimit).map { group -> [HTML] in
            let size = group.index.map { Int(snapshot.relations.membersOf(UInt32($0), in: groups.all)).grouped }
            return [.group(group.id, title: group.title), "\(size ?? "")", group.state]
        }
        return Page(
            "Search: \(words)",
            """
            \(try people(words, call, snapshot))
            \(HTML.table("Groups with these words (\(groupLimit) at most)", ["Group", "#Members", "State"], rows))
            """)
    }

    private static func people(_ id: String, _ call: Call, _ snapshot: VisibleSnapshot) throws(Problem) -> HTML {
        guard let community = try? call.community(with: .memberships) else { return "" }
        let mayKnow = call.allows(.members)
        let profile = try call.reading { () throws(Failure) in
            mayKnow
                ? try community.profile(ofUser: id, in: snapshot, atMilliseconds: call.responder.now()) : nil
        }
        let knowsPhotos = community.knows(.photos, in: call.state.snapshot)
        let photo = try call.reading { () throws(Failure) in
            knowsPhotos ? try community.context(ofPhoto: id, in: snapshot.model) : nil
        }
        let segment = HTML.segment(id)
        return """
            \(if: profile != nil, "<p>A member: <a href=\"/admin/members/\(segment)\"><bdi>\(id)</bdi></a></p>")
            \(if: photo != nil, "<p>A photo: <a href=\"/admin/photos/\(segment)\"><bdi>\(id)</bdi></a></p>")
            """
    }
}
