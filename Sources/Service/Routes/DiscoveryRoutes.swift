import Answers
import HTTP

extension Endpoint {
    /// Endpoints for photos and other members that a member may like.
    static let discoveries = [
        Endpoint(
            "photosForMember", .get, "/v1/users/{id}/photos", .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Public photos that a member may like, varied over interests and owners", path: [.member],
            parameters: [.limit], caching: .personal, threads: .batch,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.photosForMember),
        Endpoint(
            "contactsForMember", .get, "/v1/users/{id}/contacts",
            .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "Members of like taste who agreed to be shown, and the public groups that both are in",
            path: [.member], parameters: [.limit], caching: .personal, threads: .batch,
            problems: [.notFound, .notImplemented, .serviceUnavailable], handler: Responder.contactsForMember),
    ]
}

extension Responder {
    /// Answers `GET /v1/users/{id}/photos?limit=N`: public photos that a member may like.
    @Sendable
    fileprivate static func photosForMember(_ call: Call) throws(Problem) -> PhotosForMember {
        var answer = try call.answer(aboutMemberWith: .photos) { answers, member throws(AnswerError) in
            try answers.photos(for: member, limit: call.parameters.limit)
        }
        if let addresses = call.responder.settings.addresses.photos {
            for row in answer.photos.indices {
                answer.photos[row].photo.url = addresses.address(of: answer.photos[row].photo.photoId)
            }
        }
        return answer
    }

    /// Answers `GET /v1/users/{id}/contacts?limit=N`: members whom a member may want to know.
    @Sendable
    fileprivate static func contactsForMember(_ call: Call) throws(Problem) -> ContactsForMember {
        try call.answer(aboutMemberWith: .contacts) { answers, member throws(AnswerError) in
            try answers.contacts(for: member, limit: call.parameters.limit)
        }
    }
}

extension Call {
    /// Answers with the list of the member in the path, if the daemon knows a subject.
    fileprivate func answer<Answer>(
        aboutMemberWith subject: CommunitySubject,
        _ body: (CommunityAnswers, MemberContext) throws(AnswerError) -> Answer
    ) throws(Problem) -> Answer {
        _ = try community(with: subject)
        let member = try context(ofMember: id, at: responder.now(), in: snapshotWithMembers)
        return try answer(from: member.snapshot, with: subject) { answers throws(AnswerError) in
            try body(answers, member)
        }
    }
}
