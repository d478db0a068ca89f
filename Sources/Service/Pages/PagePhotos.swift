import Basics
import CatalogStore

/// The pictures of public photos on pages, as far as their addresses are known.
struct PagePhotos {
    /// A public photo, with what its picture is called for those who do not see it.
    struct Picture {
        var id: String
        var words: HTML = ""
        /// The sides of the picture in pixels; nil if they are not known.
        var width, height: Int64?
    }

    private let template: AddressTemplate
    /// The scheme, the host and the port of all pictures.
    let origin: String

    /// Returns nil if the addresses of pictures are not known, or have no common origin.
    init?(_ template: AddressTemplate?) {
        guard let template, let origin = template.origin else { return nil }
        (self.template, self.origin) = (template, origin)
    }

    func large(_ id: String) -> HTML { "<figure class=\"photo\">\(image(Picture(id: id), size: "b"))</figure>" }

    /// Returns pictures in rows, each a link to the photo's page; nothing without pictures.
    func wall(_ pictures: [Picture], isSmall: Bool = false) -> HTML {
        let items = pictures.map { picture -> HTML in
            "<li><a href=\"/admin/photos/\(HTML.segment(picture.id))\">\(image(picture, size: isSmall ? "m" : "n"))</a></li>"
        }
        return "\(if: !items.isEmpty, "<ul class=\"wall\(if: isSmall, " small")\">\(items)</ul>")"
    }

    private func image(_ picture: Picture, size: String) -> HTML {
        let address = template.address(of: picture.id).replacing("{size}", with: size)
        var sides: HTML?
        if let width = picture.width, let height = picture.height {
            sides = " width=\"\(width)\" height=\"\(height)\""
        }
        return "<img src=\"\(address)\"\(sides) loading=\"lazy\" alt=\"Photo \(picture.id)\(picture.words)\">"
    }
}

extension Call {
    /// The pictures of photos on this daemon's pages; nil for none.
    var photos: PagePhotos? { PagePhotos(responder.settings.addresses.pagePhotos) }

    /// Returns a strip of the last public photos of each group; empty ones where there are none.
    func strips(ofGroups ids: [String], limit: Int, isSmall: Bool = true) throws(Problem) -> [HTML] {
        guard let photos, let community = responder.community else { return ids.map { _ in "" } }
        let found = try reading { () throws(Failure) in try community.photos(ofGroups: ids, limit: limit) }
        return found.map { group in
            photos.wall(group.map { .init(id: $0.id, width: $0.width, height: $0.height) }, isSmall: isSmall)
        }
    }
}
