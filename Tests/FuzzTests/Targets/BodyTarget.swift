import Answers
import CatalogStore
import Changes
import HTTP
import Model

@testable import Service

/// Bodies of requests: refused with a field that is named, or changes that mean the same once they are written and
/// read.
///
/// The first byte says which body it is.
struct BodyTarget: FuzzTarget {
    private static let now: Int64 = 1_795_000_000_000

    init() {}

    func seeds() -> [[UInt8]] {
        let batch = #"""
            {"interactions":[{"id":"1","kind":"leave","groupId":"é","atMilliseconds":1794000000000,"variant":"b"},
            {"id":"2","kind":"impression","groupId":"g","position":10000,"recommendationId":"r"}]}
            """#
        return [(0, InteractionBatch.example), (0, batch), (1, InterestsBody.example), (2, CurationBody.example)]
            .map { [$0.0] + Array($0.1.utf8) }
    }

    func take(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        let change: Change
        do {
            change = try self.change(kind: first % 3, body: Array(bytes.dropFirst()))
        } catch {
            return try require(error.status.rawValue == 400, "a body is refused with \(error.status)")
        }
        let journaled = JournaledChange(origin: "fuzz", sequence: 1, stampMilliseconds: 0, change: change)
        try require(journaled.change == change, "\(change) is read as something else")
        guard case .member(let member) = change, case .record(let records) = member.action else { return }
        for record in records {
            try require(
                record.atMilliseconds <= Self.now && (1...10_000).contains(record.position ?? 1)
                    && RecordedInteraction.idLengths.contains(record.id.unicodeScalars.count)
                    && !record.id.utf8.contains(0),
                "\(record) is out of bounds")
        }
    }

    private func change(kind: UInt8, body: [UInt8]) throws(Problem) -> Change {
        switch kind {
        case 0:
            .member(MemberChange(ofUser: "u", .record(try InteractionBatch(body: body).records(at: Self.now))))
        case 1: .member(MemberChange(ofUser: "u", .state(interests: try InterestsBody(body: body).interests)))
        default: .site(SiteChange(ofGroup: "g", try CurationBody(body: body).action, atMilliseconds: Self.now))
        }
    }
}
