import Answers
import CommandLine
import Basics
import Model

extension Output {
    /// Writes an answer as JSON, with its fields in their order, and a line feed.
    ///
    /// - Parameter isIndented: whether each field has a line of its own.
    mutating func json(_ answer: some JSONValue, isIndented: Bool = true) throws(Failure) {
        let compact = answer.json
        let json = isIndented ? JSON(compact)?.written(isIndented: true) ?? compact : compact
        try write(json + [UInt8(ascii: "\n")])
    }

    /// Writes the rows of an answer as a table.
    ///
    /// - Parameters:
    ///   - relations: the relations that have columns of their own.
    ///   - absence: a line that follows the header if there is no row.
    mutating func table<Row: Answer>(
        _ rows: [Row], of relations: [RelationDescription] = [], ifNone absence: String? = nil
    ) throws(Failure) {
        for line in TextTable(AnswerTable(rows, relations)).lines { try self.line(line) }
        if rows.isEmpty, let absence { try line(absence) }
    }
}

extension ParsedCommand {
    /// Prints an answer: as JSON if the command line asks for it, otherwise as a function writes it.
    func print(_ answer: some JSONValue, orAs write: (inout Output) throws -> Void) throws {
        var output = try Output()
        if flag("json") { try output.json(answer) } else { try write(&output) }
        try output.flush()
    }
}

/// A document that is stored as JSON, as a field of an answer.
struct StoredDocument<Content: Encodable & Sendable>: JSONValue {
    let content: Content

    /// Returns the schema of any object.
    static func schema(of relations: RelationTable) -> Schema { .anyObject }

    func write(to json: inout JSONWriter) {
        json.literal((try? JSON.encoded(content)).map { String(decoding: $0, as: UTF8.self) } ?? "null")
    }
}
