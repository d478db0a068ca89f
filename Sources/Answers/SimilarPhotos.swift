package import Model
package import Recommendation

/// Public photos that look like a photo: `coterie similar-photos`.
package struct SimilarPhotos: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var photoId: String
    package var photos: [Row]

    /// Creates an answer from photos, which must be best first.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of photos in the answer.
    ///   - withDuplicates: whether near-duplicates of the photo are in the answer, and all photos of one look.
    package init(
        _ version: ServedVersion, photoId: String, _ lookalikes: [Lookalike], limit: Int, withDuplicates: Bool,
        in model: VisibleModel
    ) {
        self.version = version
        self.photoId = photoId
        photos = []
        var lastLook: Int?
        for photo in lookalikes where photos.count < limit {
            // A photo that is only in hidden groups is not shown.
            let groups = photo.groups.filter(model.shows)
            guard !groups.isEmpty else { continue }
            if !withDuplicates {
                if photo.isDuplicate || photo.look != nil && photo.look == lastLook { continue }
                lastLook = photo.look
            }
            photos.append(
                Row(
                    photoId: photo.id, similarity: photo.similarity, duplicate: photo.isDuplicate,
                    groupIds: groups.map { model.id(of: Int($0)) }))
        }
    }

    package static let schemaName: String? = "SimilarPhotos"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("photoId", \.photoId, "The photo")
        fields.always("photos", \.photos, "Photos that look like it, the most similar first")
    }

    /// A photo that looks like another one.
    package struct Row: Answer, Equatable {
        package var photoId: String
        package var similarity: Double
        package var duplicate: Bool
        package var groupIds: [String]

        package static let schemaName: String? = "SimilarPhoto"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("photoId", \.photoId, "The photo's id", column: .id("photo"))
            fields.always(
                "similarity", \.similarity, "The cosine of the two vectors", column: .fixed("similarity", 4))
            fields.always(
                "duplicate", \.duplicate, "Whether the two are nearly the same photo",
                column: .yes("duplicate", no: ""))
            fields.always(
                "groupIds", \.groupIds, "The public groups whose pools have it",
                column: Column("groups", upTo: 80) { $0.joined(separator: ", ") })
        }
    }
}
