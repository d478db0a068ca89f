import Answers
import Basics
import CatalogStore

/// The addresses of the site's own pages and pictures.
package struct SiteAddresses: Sendable, Equatable {
    /// The pages of groups, or nil if they are not known.
    package var groups: AddressTemplate?
    /// The pictures of photos, or nil if they are not known.
    package var photos: AddressTemplate?
    /// Whether the pages for operators show photos.
    package var arePhotosOnPages = true

    /// The pictures of photos on the pages for operators, or nil for pages without photos.
    var pagePhotos: AddressTemplate? { arePhotosOnPages ? photos : nil }
}

/// An address with places for values, such as `https://photos.example/groups/{id}`.
package struct AddressTemplate: Sendable, Equatable {
    let text: String

    /// Reads a template, or returns nil if it is none.
    ///
    /// It is an address of http or https, written in printable ASCII. It has `{id}` once and, if there may be a size,
    /// `{size}` at most once; no other braces.
    package init?(_ text: String, hasSize: Bool) {
        let places = text.matches(of: /\{[^{}]*\}/).map { String($0.output) }
        let rest = text.replacing(/\{(id|size)\}/, with: "")
        guard text.wholeMatch(of: /https?:\/\/[A-Za-z0-9\[][!-~]*/) != nil,
            places.filter({ $0 == "{id}" }).count == 1,
            places.count == 1 || hasSize && places.count == 2 && places.contains("{size}"),
            !rest.utf8.contains(where: { "{}\"<>\\^`|".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The scheme, the host and the port, or nil if ids are in the host, or it has other characters than a host has.
    var origin: String? { text.prefixMatch(of: /(https?:\/\/[A-Za-z0-9.\-\[\]:]+)[\/?#]/).map { String($0.output.1) } }

    /// Returns the address of an id, which is percent-encoded; a place for a size stays.
    func address(of id: String) -> String { text.replacing("{id}", with: HTML.segment(id)) }
}

extension Call {
    /// Adds addresses and photos to the groups of a list, as far as they are known and wanted.
    func illustrate(_ list: inout Recommendations) throws(Problem) {
        let (addresses, limit) = (responder.settings.addresses, parameters.integer("photos"))
        if let groups = addresses.groups {
            for row in list.recommendations.indices {
                list.recommendations[row].url = groups.address(of: list.recommendations[row].group.group.groupId)
            }
        }
        guard limit > 0, let community = responder.community else { return }
        let ids = list.recommendations.map(\.group.group.groupId)
        let photos = try reading { () throws(Failure) in try community.photos(ofGroups: ids, limit: limit) }
        for (row, photos) in photos.enumerated() {
            list.recommendations[row].photos = photos.map {
                GroupPhoto(
                    photoId: $0.id, url: addresses.photos?.address(of: $0.id), width: $0.width, height: $0.height)
            }
        }
    }
}

extension Parameter {
    /// The number of photos of each group of a list.
    static let photos = Parameter(
        "photos", .integer(0...20, standard: 0), "How many public photos of each group, at most")
}
