import Answers
import Basics
import HTTP
import Model
import Recommendation

extension Endpoint {
    static let mapPages = [
        Endpoint(page: "map-page", "/admin/map", handler: Responder.mapPage),
        Endpoint(
            "map-groups", .get, groupsPath, .page(.look), summary: "The groups of the map, for its page",
            // An admin may send some 20 requests at once, and a large site has 100,000 groups.
            parameters: mapParameters(limit: 10_000, standard: 10_000), content: .page, caching: .never, threads: .batch
        ) { call throws(Problem) in .content("application/json", try Responder.map(call).json) },
    ]

    /// The path from which the page takes the groups.
    fileprivate static let groupsPath = "/admin/map/groups"
}

extension Responder {
    /// Shows a map of all groups that are shown, and a table of its regions.
    @Sendable
    fileprivate static func mapPage(_ call: Call) throws(Problem) -> Page {
        let snapshot = try call.snapshot
        guard snapshot.model.hasMap else {
            return Page(
                "Map", in: .map,
                "<p class=\"nothing\">This version has no map: it was made with --no-map or by an earlier program.</p>")
        }
        let regions = snapshot.mapRegions
        var rows = regions.regions.enumerated().filter { $1.groupCount > 0 }.map { number, region -> [HTML] in
            let largest = region.largest.map { group -> HTML in
                let id = snapshot.model.id(of: Int(group))
                return "<li>\(HTML.name(of: id, snapshot.model.title(of: Int(group))))</li>"
            }
            return [
                "<a href=\"/admin/groups?region=\(number)\"><bdi>\(region.name)</bdi></a>",
                "\(region.groupCount.grouped)",
                "<ul class=\"words\">\(largest)</ul>",
            ]
        }
        if regions.besideCount > 0 {
            rows.append([
                "<a href=\"/admin/groups?region=\(GroupTable.beside)\">Beside the map: without neighbours</a>",
                "\(regions.besideCount.grouped)", "",
            ])
        }
        return Page(
            "Map", in: .map,
            subtitle: "Groups lie near their neighbours. Larger dots have more members, and a colour is a region.",
            """
            <figure class="map" data-map="\(Endpoint.groupsPath)" hidden></figure>
            \(HTML.table("Regions of the map", ["Region", "#Groups", "Its largest groups"], rows))
            """)
    }
}
