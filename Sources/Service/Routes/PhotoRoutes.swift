import Answers
import CatalogStore
import HTTP
import Looks
import Model
import Recommendation

/// An example of what a photo should show, or should not: a photo of the catalog, or a vector.
struct PhotoExample: BoundedObject {
    static let schemaName = "PhotoExample"
    static let fields: [BodyField<PhotoExample>] = [
        .text("photoId", \.photoId, .identifier, "A public photo that has a vector, unless a vector is sent"),
        .numbers("vector", \.vector, VectorLimits.dimensions, "A vector of the model of the site's vectors"),
    ]

    var photoId: String?
    var vector: [Double]?
}

/// A request for groups by what photos show.
struct PhotoQuery: RequestBody {
    static let schemaName = "PhotoQuery"
    static let fields: [BodyField<PhotoQuery>] = [
        .numbers(
            "vector", \.vector, VectorLimits.dimensions, "The vector of a photo that is not known yet; one more example"
        ),
        .objects("like", \.like, 0...LookExamples.limit, "Examples of what the groups' photos should show"),
        .objects("unlike", \.unlike, 0...LookExamples.limit, "Examples of what they should not show"),
        .integer("limit", \.limit, 1...200, standard: 20, "How many rows to answer with, at most"),
    ]
    static let example = #"{"like":[{"photoId":"4711"},{"photoId":"4712"}],"unlike":[{"photoId":"4713"}],"limit":5}"#

    var vector: [Double]?
    var like, unlike: [PhotoExample]?
    var limit: Int?
}

extension Endpoint {
    /// Endpoints about photos.
    static let photos = [
        Endpoint(
            "groupsForPhoto", .get, "/v1/photos/{id}/groups", .site(.photos),
            summary: "Groups that a public photo could go to, best first",
            path: [.photo],
            parameters: [
                Parameter(
                    "by", standard: PhotoBasis.pools,
                    "The evidence: pools, tags, place and owner; photos that look like it; or both"),
                .limit,
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForPhoto),
        Endpoint(
            "groupsForExamples", .post, "/v1/photos/groups", .site(.photos),
            summary: "Groups of photos that look like some examples, and not like others, best first",
            body: PhotoQuery.self, caching: .never, threads: .server,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.groupsForExamples),
        Endpoint(
            "similarPhotos", .get, "/v1/photos/{id}/similar", .site(.photos),
            summary: "Public photos that look like a public photo, the most similar first",
            path: [.photo],
            parameters: [
                Parameter("duplicates", standard: DuplicateChoice.keep, "Whether near-duplicates are in the answer"),
                .limit,
            ],
            caching: .personal,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.similarPhotos),
    ]
}

extension Parameter {
    /// The path parameter `{id}` for a photo.
    fileprivate static let photo = Parameter("id", .identifier, "The photo's id", example: "4711")
}

/// The ways to treat near-duplicates of a photo.
private enum DuplicateChoice: String, CaseIterable {
    case keep
    case omit
}

extension Responder {
    /// Answers `GET /v1/photos/{id}/groups?by=BASIS&limit=N`: groups for a public photo, best first.
    ///
    /// The answer for a private photo is the one for an unknown photo, without similar ids, so its existence does not
    /// leak. In an open area the answer uses nothing about the photo's owner.
    @Sendable
    fileprivate static func groupsForPhoto(_ call: Call) throws(Problem) -> GroupsForPhoto {
        try groupsForPhoto(
            call, by: call.parameters.choice("by", of: PhotoBasis.self), limit: call.parameters.limit)
    }

    /// Returns at most `limit` groups for the public photo in the path.
    static func groupsForPhoto(_ call: Call, by basis: PhotoBasis = .pools, limit: Int) throws(Problem)
        -> GroupsForPhoto
    {
        let snapshot = try call.snapshot
        var photo = try call.publicPhoto(call.id, in: snapshot)
        if call.isOpen { photo.forgetOwner() }
        if basis != .pools {
            photo.lookalikes = try call.lookalikes(
                ofPhoto: call.id, in: snapshot, limit: Lookalike.voters, isOptional: basis == .both)
        }
        return snapshot.groups(forPhoto: call.id, photo, by: basis, limit: limit)
    }

    /// Answers `POST /v1/photos/groups`: groups of photos that look like some examples.
    @Sendable
    fileprivate static func groupsForExamples(_ call: Call) throws(Problem) -> GroupsForPhoto {
        let snapshot = try call.snapshot
        let query = try call.body(as: PhotoQuery.self)
        var photo = PhotoContext()
        photo.lookalikes = try call.lookalikes(of: query, in: snapshot)
        return snapshot.groups(forPhoto: nil, photo, by: .look, limit: query.limit ?? 20)
    }

    /// Answers `GET /v1/photos/{id}/similar?duplicates=keep|omit&limit=N`: public photos that look like a public photo.
    @Sendable
    fileprivate static func similarPhotos(_ call: Call) throws(Problem) -> SimilarPhotos {
        try similarPhotos(
            call, limit: call.parameters.limit,
            withDuplicates: call.parameters.choice("duplicates", of: DuplicateChoice.self) == .keep)
    }

    /// Returns at most `limit` photos that look like the public photo in the path.
    static func similarPhotos(_ call: Call, limit: Int, withDuplicates: Bool) throws(Problem) -> SimilarPhotos {
        let snapshot = try call.snapshot
        _ = try call.publicPhoto(call.id, in: snapshot)
        let found = try call.lookalikes(
            ofPhoto: call.id, in: snapshot, limit: VisibleSnapshot.lookalikesWanted(for: limit))
        return snapshot.similarPhotos(to: call.id, found, withDuplicates: withDuplicates, limit: limit)
    }
}

extension Call {
    /// Returns the facts about a public photo.
    ///
    /// - Throws: a `Problem` of status 404 for a private photo, as for one that there is not.
    fileprivate func publicPhoto(_ id: String, in snapshot: VisibleSnapshot) throws(Problem) -> PhotoContext {
        let community = try community(with: .photos)
        let photo = try reading { () throws(ServiceError) in try community.context(ofPhoto: id, in: snapshot.model) }
        guard let photo else { throw .unknown(.unknownPhoto, "photo", id: id, near: []) }
        return photo
    }

    /// Returns the public photos that look most like a public photo, best first.
    ///
    /// - Parameter isOptional: whether a photo without a vector has no such photos, rather than being refused.
    fileprivate func lookalikes(
        ofPhoto id: String, in snapshot: VisibleSnapshot, limit: Int, isOptional: Bool = false
    ) throws(Problem) -> [Lookalike] {
        let looks = try looks(in: snapshot)
        guard let vector = try vector(ofPhoto: id, for: looks) else {
            if isOptional { return [] }
            throw .noVector(ofPhoto: id, looks)
        }
        return try lookalikes(of: vector, without: [id], in: looks, snapshot.model, limit: limit)
    }

    /// Returns the public photos that look most like a query, best first.
    fileprivate func lookalikes(of query: PhotoQuery, in snapshot: VisibleSnapshot) throws(Problem) -> [Lookalike] {
        _ = try community(with: .photos)
        let looks = try looks(in: snapshot)
        let alone = query.vector.map { [PhotoExample(photoId: nil, vector: $0)] } ?? []
        let like =
            try vectors(of: alone, "vector", in: looks, snapshot) + vectors(of: query.like, "like", in: looks, snapshot)
        guard !like.isEmpty else { throw .badField("like", "is missing: send a vector, or an example that is liked") }
        let unlike = try vectors(of: query.unlike, "unlike", in: looks, snapshot)
        guard let vector = LookExamples.query(like: like, unlike: unlike) else {
            throw .badField("unlike", "cancels the other examples out: nothing is left to look for")
        }
        let examples = ((query.like ?? []) + (query.unlike ?? [])).compactMap(\.photoId)
        return try lookalikes(of: vector, without: examples, in: looks, snapshot.model, limit: Lookalike.voters)
    }

    /// Returns the vectors of examples.
    ///
    /// - Parameter field: the field of the body that has them.
    private func vectors(
        of examples: [PhotoExample]?, _ field: String, in looks: LookSearch, _ snapshot: VisibleSnapshot
    ) throws(Problem) -> [[Float]] {
        var vectors: [[Float]] = []
        for (index, example) in (examples ?? []).enumerated() {
            let place = field == "vector" ? "" : "\(field)[\(index)]"
            switch (example.photoId, example.vector) {
            case (let id?, nil):
                _ = try publicPhoto(id, in: snapshot)
                guard let vector = try vector(ofPhoto: id, for: looks) else { throw .noVector(ofPhoto: id, looks) }
                vectors.append(vector)
            case (nil, let numbers?):
                vectors.append(try Self.unit(numbers, looks, at: place.isEmpty ? field : "\(place).vector"))
            default: throw .badField(place, "must have either photoId or vector")
            }
        }
        return vectors
    }

    private static func unit(_ numbers: [Double], _ looks: LookSearch, at place: String) throws(Problem) -> [Float] {
        guard numbers.count == looks.dimension else {
            throw .badField(
                place,
                "has \(numbers.count) numbers: the vectors of the model \(looks.modelName) have \(looks.dimension)")
        }
        guard let unit = UnitVector.of(numbers.map { Float($0) }) else {
            throw .badField(place, "is zero, or has a number beyond those of 32 bits: it has no direction")
        }
        return unit
    }

    private func looks(in snapshot: VisibleSnapshot) throws(Problem) -> LookSearch {
        guard let looks = snapshot.looks else {
            throw .noVectors("the version has no vectors of photos: import some, and recompute")
        }
        return looks
    }

    /// Returns the vector of a public photo, or nil if it has none of the version's model.
    private func vector(ofPhoto id: String, for looks: LookSearch) throws(Problem) -> [Float]? {
        let community = try community(with: .photos)
        let vector = try reading { () throws(ServiceError) in
            try community.vector(ofPhoto: id, model: looks.modelName)
        }
        return vector?.count == looks.dimension ? vector : nil
    }

    private func lookalikes(
        of vector: [Float], without ids: [String], in looks: LookSearch, _ model: VisibleModel, limit: Int
    ) throws(Problem) -> [Lookalike] {
        let community = try community(with: .photos)
        let found = looks.lookalikes(of: vector, limit: limit, without: ids)
        return try reading { () throws(ServiceError) in try community.current(found, looks: looks.modelName, in: model)
        }
    }
}

extension Problem {
    /// The problem of a photo that has no vector of a version's model.
    fileprivate static func noVector(ofPhoto id: String, _ looks: LookSearch) -> Problem {
        .noVectors("the photo \"\(id)\" has no vector of the version's model, \(looks.modelName)")
    }
}
