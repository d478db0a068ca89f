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

    private struct Place: Answer {
        var inner = Inner(count: 1)
        var name = "here"
        var visits: Int?
        var share = 0.981

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("name", \.name, "Its name", column: .id("place"))
            fields.part(\.inner)
            fields.sometimes("visits", \.visits, "How many came", column: .count("visits"))
            fields.columns { relations in
                relations.map { facts in Column("by \(facts.name)", isNumber: true) { _ in facts.singular } }
            }
            fields.always("share", \.share, "Its share", column: .percent("share"))
            fields.column(Column("both") { "\($0.name) \($0.inner.count)" })
        }
    }

    @Test("give tables the columns that they declare, in order, with those of relations and without the others")
    func columns() {
        let relations = Array(RelationTable.standard.prefix(1))
        let table = AnswerTable([Place(), Place(name: "there", visits: 118_285)], relations)
        #expect(table.headings.map(\.title) == ["place", "visits", "by \(relations[0].name)", "share", "both"])
        #expect(table.headings.map(\.isNumber) == [false, true, true, true, false])
        #expect(
            table.rows == [
                ["here", "-", relations[0].singular, "98.1%", "here 1"],
                ["there", "118,285", relations[0].singular, "98.1%", "there 1"],
            ])
        #expect(AnswerTable([Place]()).headings.map(\.title) == ["place", "visits", "share", "both"])
        #expect(text(Place()) == #"{"name":"here","count":1,"share":0.981}"#)
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
