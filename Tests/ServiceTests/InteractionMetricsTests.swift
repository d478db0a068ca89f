import Answers
import CatalogStore
import Changes
import Model
import Recommendation
import TestSupport
import Testing

@testable import Service

@Suite("Metrics of what members do")
struct InteractionMetricsTests {
    private func samples(_ metrics: InteractionMetrics) -> [String] {
        var text = MetricsText()
        metrics.write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { String($0).replacing("coterie_interactions_total", with: "") }
    }

    @Test("have a label for each origin of a member's list")
    func origins() {
        #expect(PlanItem.Origin.allCases.allSatisfy { ShownOrigin(rawValue: $0.rawValue) != nil })
    }

    private func record(_ kind: String, list: String? = nil, position: Int? = nil) throws -> InteractionRecord {
        InteractionRecord(
            id: "x", try #require(.init(rawValue: kind)), groupID: "alps", atMilliseconds: 1, recommendationID: list,
            position: position)
    }

    @Test("tell what was done, whether from a list, and at which position")
    func labels() throws {
        let metrics = InteractionMetrics()
        #expect(samples(metrics).isEmpty)
        let batch = [
            try record("join", list: "l", position: 1), try record("join", list: "l", position: 10),
            try record("join", list: "l", position: 4), try record("click", list: "l", position: 10_000),
            try record("dismiss"), try record("click", position: 50),
        ]
        metrics.count(batch, origins: [.personal, nil, nil, .trending, nil, .similar], new: 6)
        #expect(
            samples(metrics) == [
                #"{kind="join",origin="personal",position="1"} 1"#,
                #"{kind="join",origin="list",position="4-10"} 2"#,
                #"{kind="dismiss",origin="elsewhere",position="none"} 1"#,
                #"{kind="click",origin="trending",position="51+"} 1"#,
                #"{kind="click",origin="similar",position="21-50"} 1"#,
            ])
        // Sent again, it counts nothing; sent again with more, nobody knows which are new.
        let origins = [ShownOrigin?](repeating: nil, count: batch.count)
        metrics.count(batch, origins: origins, new: 0)
        metrics.count(batch, origins: origins, new: 2)
        #expect(samples(metrics).last == #"{kind="mixed",origin="mixed",position="mixed"} 2"#)
        #expect(samples(metrics).count == 6)
    }
}
