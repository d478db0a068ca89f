package import Answers
package import Basics
import CatalogStore
import Looks
import Model
package import Recommendation

/// An example of what photos should look like, or should not.
package struct LookExample {
    /// The photo or the vector.
    package enum Content {
        /// The external id of a public photo that has a vector.
        case photo(String)
        /// A vector of the model of the site's vectors, of any length.
        case vector([Float])
    }

    let content: Content
    /// The parameter or option that has the example.
    let place: String

    package init(_ content: Content, at place: String) { (self.content, self.place) = (content, place) }
}

/// The reason why a question has no answer.
package enum AnswerError: Error {
    /// Members or photos cannot be read.
    case reading(Failure)
    /// No public photo has this id.
    case unknownPhoto(String)
    /// No shown group has this id.
    case unknownGroup(String)
    /// The version, or a photo, has no vectors.
    case noVectors(String)
    /// A parameter or option has a senseless value.
    case badValue(of: String, String)
}

/// The answers that a route and a command share.
///
/// The route gets its questions from the parameters of a request, the command from its options.
package struct CommunityAnswers {
    private let snapshot: VisibleSnapshot
    private let community: any CommunityReader

    package init(_ snapshot: VisibleSnapshot, _ community: any CommunityReader) {
        (self.snapshot, self.community) = (snapshot, community)
    }

    /// Returns groups for a public photo, best first.
    ///
    /// - Parameters:
    ///   - basis: the evidence to use; with both kinds, a photo without a vector has only the other one.
    ///   - limit: the most groups.
    ///   - reasonLimit: the most reasons that a row gives.
    ///   - usesOwner: whether the answer may depend on the photo's owner.
    package func groups(
        forPhoto id: String, by basis: PhotoBasis, limit: Int, reasonLimit: Int = SuggestedGroup.reasonLimit,
        usesOwner: Bool = true
    ) throws(AnswerError) -> GroupsForPhoto {
        var photo = try publicPhoto(id)
        if !usesOwner { photo.forgetOwner() }
        if basis != .pools {
            let looks = try looks
            if let vector = try vector(ofPhoto: id, looks) {
                photo.lookalikes = try lookalikes(of: vector, without: [id], looks)
            } else if basis == .look {
                throw .noVector(ofPhoto: id, looks)
            }
        }
        return groups(forPhoto: id, photo, by: basis, limit: limit, reasonLimit: reasonLimit)
    }

    /// Returns groups of photos that look like some examples, and not like others, best first.
    ///
    /// - Parameters:
    ///   - like: one example or more.
    ///   - unlike: examples of what the photos should not look like.
    ///   - limit: the most groups.
    ///   - reasonLimit: the most reasons that a row gives.
    package func groups(
        like: [LookExample], unlike: [LookExample], limit: Int, reasonLimit: Int = SuggestedGroup.reasonLimit
    ) throws(AnswerError) -> GroupsForPhoto {
        let looks = try looks
        let wanted = try like.map { example throws(AnswerError) in try vector(of: example, looks) }
        let unwanted = try unlike.map { example throws(AnswerError) in try vector(of: example, looks) }
        guard let query = LookExamples.query(like: wanted, unlike: unwanted) else {
            throw .badValue(of: "unlike", "cancels the other examples out: nothing is left to look for")
        }
        let examples = (like + unlike).compactMap { if case .photo(let id) = $0.content { id } else { nil } }
        var photo = PhotoContext()
        photo.lookalikes = try lookalikes(of: query, without: examples, looks)
        return groups(forPhoto: nil, photo, by: .look, limit: limit, reasonLimit: reasonLimit)
    }

    /// Returns groups for a photo as of the version's creation, so that the same photo always has the same answer.
    private func groups(
        forPhoto id: String?, _ photo: PhotoContext, by basis: PhotoBasis, limit: Int, reasonLimit: Int
    ) -> GroupsForPhoto {
        let recommender = PhotoRecommender(
            model: snapshot.model, popular: snapshot.popularPools, relations: snapshot.relations,
            weights: PhotoWeights(snapshot.manifest), snapshot.ceiling,
            at: snapshot.manifest.createdAtMilliseconds / 1000)
        return GroupsForPhoto(
            snapshot.served, photoId: id, recommender.suggestions(for: photo, limit: limit, by: basis),
            snapshot.relations, reasonLimit: reasonLimit, in: snapshot.model)
    }

    /// Returns at most `limit` public photos that look like a public photo, the most similar first.
    package func similarPhotos(to id: String, withDuplicates: Bool, limit: Int) throws(AnswerError) -> SimilarPhotos {
        _ = try publicPhoto(id)
        let looks = try looks
        guard let vector = try vector(ofPhoto: id, looks) else { throw .noVector(ofPhoto: id, looks) }
        // Some are left out of the answer.
        let found = try lookalikes(
            of: vector, without: [id], looks, limit: 2 * limit + 50,
            copies: withDuplicates ? 2 * limit + 50 : Lookalike.copies)
        return SimilarPhotos(
            snapshot.served, photoId: id, found, limit: limit, withDuplicates: withDuplicates, in: snapshot.model)
    }

    /// Returns at most `limit` public photos that a member may like, varied over interests and owners.
    package func photos(for member: MemberContext, limit: Int) throws(AnswerError) -> PhotosForMember {
        let taste = MemberTaste(member)
        let found = try reading { () throws(Failure) in try community.photos(for: taste) }
        let (planner, profile) = (member.planner, member.request.profile)
        return PhotosForMember(
            member.snapshot.served, planner.varied(found, taste.request, taste.plan, limit: limit), taste.plan,
            for: profile, isKnown: member.isKnown, planner)
    }

    /// Returns at most `limit` members whom a member may want to know, best first.
    package func contacts(for member: MemberContext, limit: Int) throws(AnswerError) -> ContactsForMember {
        let taste = MemberTaste(member)
        let found = try reading { () throws(Failure) in try community.contacts(for: taste, limit: limit) }
        return ContactsForMember(
            member.snapshot.served, found, userId: member.request.profile.userID, isKnown: member.isKnown, limit: limit,
            in: member.snapshot.model)
    }

    /// Returns the reason why a group is in a list that is made now, or why it is not.
    package func explanation(of group: String, for member: MemberContext) throws(AnswerError) -> Explanation {
        try explanation(of: group, for: member, inSession: nil)
    }

    /// Returns the reason why a group is in a session's list, or why it is not; without one, a list is made for it.
    func explanation(of id: String, for member: MemberContext, inSession list: SessionList?) throws(AnswerError)
        -> Explanation
    {
        let model = member.snapshot.model
        let concealment = try reading { () throws(Failure) in try community.concealment(ofGroup: id, in: model) }
        if let concealment {
            return Explanation(
                member.snapshot.served, userId: member.request.profile.userID, unshownGroup: id,
                concealment: concealment)
        }
        guard let group = model.index(ofID: id).map(UInt32.init) else { throw .unknownGroup(id) }
        guard let list else { return member.explanation(of: group) }
        return Explanation(
            member.snapshot.served, of: group, inSession: list.items, list.interests, member.planner, member.request)
    }

    private func reading<Result>(_ body: () throws(Failure) -> Result) throws(AnswerError) -> Result {
        do throws(Failure) { return try body() } catch { throw .reading(error) }
    }

    private func publicPhoto(_ id: String) throws(AnswerError) -> PhotoContext {
        let photo = try reading { () throws(Failure) in try community.context(ofPhoto: id, in: snapshot.model) }
        guard let photo else { throw .unknownPhoto(id) }
        return photo
    }

    private var looks: LookSearch {
        get throws(AnswerError) {
            guard let looks = snapshot.looks else {
                throw .noVectors(
                    "version \(snapshot.version) has no photos with vectors: import some, and recompute")
            }
            return looks
        }
    }

    /// Returns the vector of a public photo, or nil if it has none of the version's model.
    private func vector(ofPhoto id: String, _ looks: LookSearch) throws(AnswerError) -> [Float]? {
        let vector = try reading { () throws(Failure) in
            try community.vector(ofPhoto: id, model: looks.modelName)
        }
        return vector?.count == looks.dimension ? vector : nil
    }

    /// Returns the vector of an example, of length 1.
    private func vector(of example: LookExample, _ looks: LookSearch) throws(AnswerError) -> [Float] {
        switch example.content {
        case .photo(let id):
            _ = try publicPhoto(id)
            guard let vector = try vector(ofPhoto: id, looks) else { throw .noVector(ofPhoto: id, looks) }
            return vector
        case .vector(let numbers):
            guard numbers.count == looks.dimension else {
                throw .badValue(
                    of: example.place,
                    "has \(numbers.count) numbers: the vectors of the model \(looks.modelName) have \(looks.dimension)")
            }
            guard let unit = UnitVector.of(numbers) else {
                throw .badValue(
                    of: example.place, "is zero, or has a number beyond those of 32 bits: it has no direction")
            }
            return unit
        }
    }

    /// Returns the public photos whose vectors are most similar to a vector, best first.
    private func lookalikes(
        of vector: [Float], without ids: [String], _ looks: LookSearch, limit: Int = Lookalike.voters,
        copies: Int = Lookalike.copies
    ) throws(AnswerError) -> [Lookalike] {
        let found = looks.lookalikes(of: vector, limit: limit, copies: copies, without: ids)
        return try reading { () throws(Failure) in
            try community.current(found, looks: looks.modelName, in: snapshot.model)
        }
    }
}

extension AnswerError {
    fileprivate static func noVector(ofPhoto id: String, _ looks: LookSearch) -> AnswerError {
        .noVectors(
            """
            photo "\(id)" has no vector of the version's model, \(looks.modelName): import one, or recompute if the \
            vectors are of another model
            """)
    }
}
