import Foundation
import TestSupport
import Testing

@Suite("Answers of commands and of the daemon", .aFewAtATime)
struct AnswerTests {
    /// A member of `macro-mondays`.
    private static let user = "laura-100"

    /// A command, and the request that asks the same; `{}` in the pattern are ids.
    private struct Question {
        var command: [String]
        var pattern: String
        var target: String

        init(_ command: [String], _ pattern: String, _ target: String) {
            (self.command, self.pattern, self.target) = (command, pattern, target)
        }
    }

    private static let questions: [Question] =
        ["both", "photos", "members"].map { by in
            Question(
                ["similar", "macro-mondays", "--by", by, "--limit", "15"], "/v1/groups/{id}/similar",
                "/v1/groups/macro-mondays/similar?by=\(by)&limit=15")
        }
        // Joined, hidden, not reached, and one of each end of the list; before there is a session.
        + ["macro-mondays", "beach-days", "after-dark", "polaroid-week", "birds-in-flight", "layers-and-haze"].map {
            Question(
                ["explain", user, $0], "/v1/users/{id}/recommendations/{group}/why",
                "/v1/users/\(user)/recommendations/\($0)/why")
        }
        + [8, 200].map { limit in
            Question(
                ["recommend", user, "--limit", "\(limit)"], "/v1/users/{id}/recommendations",
                "/v1/users/\(user)/recommendations?limit=\(limit)")
        }
        + [
            Question(
                ["recommend", user, "--boost", "topic:macro^5", "--boost", "group:layers-and-haze^0.1"],
                "/v1/users/{id}/recommendations",
                "/v1/users/\(user)/recommendations?boost=topic:macro%5E5&boost=group:layers-and-haze%5E0.1")
        ]
        + ["51788458157", "52654435770"].map {
            Question(["photo", $0, "--limit", "30"], "/v1/photos/{id}/groups", "/v1/photos/\($0)/groups?limit=30")
        }
        + ["photos", "contacts"].map {
            Question([$0, user, "--limit", "12"], "/v1/users/{id}/\($0)", "/v1/users/\(user)/\($0)?limit=12")
        }
        + [
            Question(["trending", "--limit", "5"], "/v1/trending", "/v1/trending?limit=5"),
            Question(["hide", "--list"], "/v1/admin/hidden", "/v1/admin/hidden"),
            Question(["curate", "list"], "/v1/admin/curation", "/v1/admin/curation"),
        ]

    @Test("No command writes an answer's JSON by itself: its fields are declared")
    func declaredAnswers() throws {
        let folder = Checkout.root + "/Sources/coterie"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        #expect(files.contains("Coterie.swift"))
        for file in files {
            let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            let undeclared = source.matches(of: /struct (?:Answer|Document|Row)\b|struct \w+: [^{]*\bEncodable\b/)
            #expect(undeclared.isEmpty, "\(file): make it an Answer: \(undeclared.map { $0.output })")
        }
    }

    @Test("A command writes the fields and values that the daemon answers with, as described")
    func sameAnswers() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        try await workspace.succeed("hide", "beach-days")
        try await workspace.succeed("curate", "add", "polaroid-week", "--expires", "2099-01-01")
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { !$0.degraded }
        let checker = try SchemaChecker(daemon.get("/openapi.json").body)
        for question in Self.questions {
            let comment: Comment = "\(question.target)"
            var (said, served) = (Data(), Data())
            // Again if a new bucket began in between.
            for _ in 0..<2 where said.isEmpty || said != served {
                served = try Self.sorted(Data(daemon.get(question.target).body))
                said = try Self.sorted(try await workspace.succeed(question.command + ["--json"]).output)
            }
            #expect(
                said == served, "\(String(decoding: said, as: UTF8.self)) \(String(decoding: served, as: UTF8.self))")
            let schema = try #require(
                checker.schema("GET", question.pattern, status: 200, type: "application/json"), comment)
            #expect(checker.complaints(try JSONSerialization.jsonObject(with: said), schema) == [], comment)
        }
        try await tracing(workspace)
    }

    /// What a command adds on request stands in one field of its own.
    private func tracing(_ workspace: Workspace) async throws {
        func answer(_ more: String...) async throws -> [String: Any] {
            let run = try await workspace.succeed(["recommend", Self.user, "--json"] + more)
            return try #require(JSONSerialization.jsonObject(with: run.output) as? [String: Any])
        }
        let (plain, traced) = (try await answer(), try await answer("--trace"))
        #expect(Set(traced.keys).subtracting(plain.keys) == ["trace"])
        let trace = try #require(traced["trace"] as? [String: Any])
        #expect(Set(trace.keys) == ["joined", "candidates", "stages"])
        let stages = try #require(trace["stages"] as? [[String: Any]])
        #expect(stages.count == 9)
        #expect(stages.allSatisfy { Set($0.keys) == ["stage", "taken", "passed", "microseconds", "note"] })
    }

    /// The same without the place where a list goes on: a command has no pages, and names the last group.
    private static func sorted(_ json: Data) throws -> Data {
        let object = try JSONSerialization.jsonObject(with: json)
        guard var list = object as? [String: Any], list["recommendationId"] != nil else { return try sorted(object) }
        list["next"] = nil
        return try sorted(list)
    }

    /// JSON with sorted keys, so that equal objects have equal texts.
    private static func sorted(_ value: Any) throws -> Data {
        try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
    }
}
