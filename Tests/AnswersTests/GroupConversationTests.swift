import Model
import TestSupport
import Testing

@testable import Answers

@Suite("The conversation in a group")
struct GroupConversationTests {
    private static let speakers = RelationDescription.conversation.relation

    /// A group with four members and three speakers, one without members, and one without either.
    private func model(_ relations: [Relation]) throws -> VisibleModel {
        let sizes: [Relation: [UInt32]] = [.members: [4, 0, 0], Self.speakers: [3, 2, 0]]
        let groups = ["a", "b", "c"].map { GroupFacts(id: $0, title: $0) }
        return VisibleModel(
            try ModelVersion(
                EncodedModel(
                    groups: groups, relations: relations, sizes: sizes.filter { relations.contains($0.key) },
                    tables: [:])))
    }

    private func shares(_ relations: RelationTable, in model: VisibleModel) -> [Double]? {
        let columns = GroupConversation.Columns(relations, in: model)
        return columns.map { columns in (0..<3).map { columns.conversation(of: $0, in: model).speakingShare } }
    }

    @Test("has the share of members who speak; none without members, and nothing without posts")
    func speakingShare() throws {
        let model = try model([.members, Self.speakers])
        #expect(shares(.standard, in: model) == [0.75, 0, 0])
        #expect(shares(RelationTable([.conversation]), in: model) == [0, 0, 0])
        #expect(try shares(.standard, in: self.model([.members])) == nil)
    }
}
