import Model
import Testing

@testable import Answers

@Suite("Declared fields")
struct AnswerTests {
    private struct Inner: Answer {
        var count: Int

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("count", \.count, as: .count, "How many")
        }
    }

    private struct Named: Answer {
        static let schemaName: String? = "Named"
        var word: String

        static func declare(_ fields: inout some FieldList<Self>) { fields.always("word", \.word, "A word") }
    }

    private struct Outer: Answer {
        var part = Inner(count: 1)
        var text: String?
        var rows: [Named] = []
        var weights: [String: Double] = [:]
        var aside: String?

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.part)
            fields.sometimes("text", \.text, "A text")
            fields.always("rows", \.rows, "Rows")
            fields.always("weights", \.weights, "Weights")
            fields.commandLineOnly("aside", \.aside)
        }
    }

    private func text(_ answer: some Answer) -> String { String(decoding: answer.json, as: UTF8.self) }

    @Test("are written in order; those without a value are left out, and those of a part are written inline")
    func writing() {
        #expect(text(Outer()) == #"{"count":1,"rows":[],"weights":{}}"#)
        let full = Outer(
            text: "t", rows: [Named(word: "a"), Named(word: "b")], weights: ["q": 0.5, "p": 1], aside: "x")
        #expect(
            text(full)
                == #"{"count":1,"text":"t","rows":[{"word":"a"},{"word":"b"}],"weights":{"p":1.0,"q":0.5},"aside":"x"}"#
        )
    }

    @Test("are described with the required ones; fields that only commands write are not described")
    func describing() {
        let schema = JSONWriter.object { Outer.schema(of: .standard).write(to: &$0) }
        #expect(
            String(decoding: schema, as: UTF8.self) == """
                {"type":"object","required":["count","rows","weights"],"properties":{\
                "count":{"type":"integer","minimum":0,"description":"How many"},\
                "text":{"type":"string","description":"A text"},\
                "rows":{"type":"array","items":{"$ref":"#/components/schemas/Named"},"description":"Rows"},\
                "weights":{"type":"object","additionalProperties":{"type":"number"},"description":"Weights"}}}
                """)
        #expect(
            Schema.components(of: [Outer.schema(of: .standard), Named.schema(of: .standard)]).map(\.name) == ["Named"])
    }
}
