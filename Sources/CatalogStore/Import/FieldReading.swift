import CivilTime
import RecordReading

/// A field as it is bound to a statement.
enum FieldValue {
    case null
    case integer(Int64)
    case number(Double)
    case text(String)

    var isNull: Bool { if case .null = self { true } else { false } }
}

/// Why a record is rejected; the reason goes to the rejects file.
struct RecordProblem: Error {
    let reason: String
}

extension ImportKind.Column {
    /// Reads a field of the current record.
    ///
    /// - Returns: nil if the record does not have the field: then the catalog keeps its value.
    func value(of column: Int, in reader: borrowing RecordReader) throws(RecordProblem) -> FieldValue? {
        guard reader.isPresent(column) else { return nil }
        switch type {
        case .id:
            try checkID(column, in: reader)
            return .text(reader.text(column))
        case .owner:
            if reader.isEmpty(column) { return .null }
            try checkID(column, in: reader)
            return .text(reader.text(column))
        case .text:
            let text = reader.text(column)
            return text.isEmpty ? .null : .text(text)
        case .list:
            let items = reader.text(column).split(separator: ";").map(Self.withoutOuterBlanks)
            let joined = items.filter { !$0.isEmpty }.joined(separator: ";")
            return joined.isEmpty ? .null : .text(joined)
        case .time:
            if reader.isEmpty(column) { return .null }
            return .integer(try time(column, in: reader))
        case .visibility:
            return try code(column, in: reader, Visibility.self)
        case .joinPolicy:
            return try code(column, in: reader, GroupJoinPolicy.self)
        case .degrees(let bound):
            if reader.isEmpty(column) { return .null }
            return .number(try degrees(column, in: reader, bound: bound))
        }
    }

    private static func withoutOuterBlanks(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Checks that an external id has 1 to 255 bytes; the reader of records checks that it is UTF-8 without NUL.
    func checkID(_ column: Int, in reader: borrowing RecordReader) throws(RecordProblem) {
        let count = reader.withField(column) { $0.count }
        guard count > 0 else { throw RecordProblem(reason: "\(name) is empty") }
        guard count <= 255 else { throw RecordProblem(reason: "\(name) has \(count) bytes: at most 255 are allowed") }
    }

    func time(_ column: Int, in reader: borrowing RecordReader) throws(RecordProblem) -> Int64 {
        guard let time = reader.withField(column, { UnixTime($0)?.seconds }) else {
            throw RecordProblem(
                reason: "\(name) \"\(reader.text(column).prefix(40))\" is neither ISO 8601 UTC nor Unix seconds")
        }
        return time
    }

    private func degrees(_ column: Int, in reader: borrowing RecordReader, bound: Double) throws(RecordProblem)
        -> Double
    {
        guard let number = Double(reader.text(column)), abs(number) <= bound else {
            throw RecordProblem(
                reason:
                    "\(name) \"\(reader.text(column).prefix(40))\" is not a number of degrees from −\(Int(bound)) to \(Int(bound))"
            )
        }
        return number
    }

    private func code<Name: RawRepresentable<String> & CaseIterable & Coded>(
        _ column: Int, in reader: borrowing RecordReader, _ type: Name.Type
    ) throws(RecordProblem) -> FieldValue? {
        if reader.isEmpty(column) { return nil }
        let text = reader.text(column).lowercased()
        guard let value = Name(rawValue: text) else {
            let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw RecordProblem(reason: "\(name) \"\(text.prefix(40))\" is none of \(names)")
        }
        return .integer(value.code)
    }
}

/// A value that the catalog stores as a small integer.
protocol Coded {
    var code: Int64 { get }
}

extension Visibility: Coded {}
extension GroupJoinPolicy: Coded {}
