import Model
import Similarity
import TestSupport
import Testing

@testable import Recompute

@Suite("The evidence for weights of relations")
struct RelationEvidenceTests {
    /// The weights beside memberships of 300 members, each in six of ten groups about one thing.
    private func weights(photoWeight: Double, areTherePosts: Bool) throws -> [Relation: Double] {
        var generator = SeededGenerator(seed: 11)
        let pairs = (0..<300).flatMap { member in
            Set((0..<6).map { _ in UInt32(10 * (member % 20) + Int.random(in: 0..<10, using: &generator)) })
                .map { (row: $0, column: UInt32(member)) }
        }
        let matrix = try BinaryMatrix(rowCount: 200, columnCount: 300, pairs: pairs)
        var photos = RelationDescription.photos
        photos.weight = photoWeight
        let parameters = RecomputeParameters(
            relations: RelationTable([photos, .members, .conversation]), threads: 2)
        let table = NeighbourSearch(parameters: parameters[.members], threads: 2).run(on: matrix)
        let sizes = (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) }
        let posts = areTherePosts ? table : .empty(groupCount: 200)
        return RelationEvidence(
            parameters, [.photos: table, .members: table, RelationDescription.conversation.relation: posts],
            [.members: sizes], LeaveOneOutSample(matrix, threads: 2)
        ).weights()
    }

    @Test("weighs relations that have neighbours and count at all, and without two of them says nothing")
    func weighed() throws {
        let conversation = RelationDescription.conversation.relation
        #expect(try Set(weights(photoWeight: 1, areTherePosts: true).keys) == [.photos, .members, conversation])
        #expect(try Set(weights(photoWeight: 1, areTherePosts: false).keys) == [.photos, .members])
        #expect(try Set(weights(photoWeight: 0, areTherePosts: true).keys) == [.members, conversation])
        #expect(try weights(photoWeight: 0, areTherePosts: false).isEmpty)
    }
}
