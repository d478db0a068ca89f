/// A public photo of a group, for a page that shows it.
package struct GroupPhoto: Answer, Equatable {
    package var photoId: String
    package var url: String?
    package var width, height: Int64?

    package init(photoId: String, url: String?, width: Int64?, height: Int64?) {
        self.photoId = photoId
        self.url = url
        self.width = width
        self.height = height
    }

    package static let schemaName: String? = "GroupPhoto"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("photoId", \.photoId, "The photo", column: .id("photo"))
        fields.sometimes(
            "url", \.url, "Its picture, with {size} to be replaced; if the daemon knows the addresses of photos")
        fields.sometimes("width", \.width, as: .count, "The width of the picture in pixels; if it is known")
        fields.sometimes("height", \.height, as: .count, "The height of the picture in pixels; if it is known")
    }
}
