package import Model

/// An answer, or a part of one: an object whose fields are declared once.
///
/// Both the JSON and its schema follow from the declaration, and therefore cannot differ. HTTP and the command line use
/// the same types.
package protocol Answer: JSONValue {
    /// The name of the schema among the components of the API description; nil for a schema that is written inline.
    static var schemaName: String? { get }
    /// Declares the fields, in the order in which they are written.
    static func declare(_ fields: inout some FieldList<Self>)
}

extension Answer {
    /// No name: the schemas of most parts are written inline.
    package static var schemaName: String? { nil }

    /// Writes the object.
    package func write(to json: inout JSONWriter) {
        json.object { json in writeFields(to: &json) }
    }

    fileprivate func writeFields(to json: inout JSONWriter) {
        // The owner is passed by its address and the writer is swapped. Copies would count references to every text and
        // copy the bytes.
        unsafe withUnsafePointer(to: self) { owner in
            var fields = unsafe FieldWriter(owner: owner)
            swap(&json, &fields.json)
            Self.declare(&fields)
            swap(&json, &fields.json)
        }
    }

    /// Returns the schema of the object as HTTP answers with it.
    package static func schema(of relations: RelationTable) -> Schema {
        let object = Schema.object(properties(of: relations))
        return schemaName.map { .component($0, object) } ?? object
    }

    /// Returns the properties of the object as HTTP answers with it.
    package static func properties(of relations: RelationTable) -> [Schema.Property] {
        var fields = PropertyCollector<Self>(relations: relations)
        declare(&fields)
        return fields.properties
    }
}

/// A receiver for the field declarations of an answer: one writes the fields, others collect schemas and read columns.
///
/// The protocol is generic instead of a table of closures. The compiler then turns a declaration into code as fast as
/// code written by hand.
package protocol FieldList<Owner> {
    /// The type that has the fields.
    associatedtype Owner: Answer

    /// Receives a field that is always present; see `always`.
    mutating func required<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?)

    /// Receives a field that is left out if there is no value; see `sometimes`.
    mutating func optional<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?)

    /// Declares a field that only commands write; HTTP never does, and no schema has it.
    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?)

    /// Declares the fields of a part, which appear among those of its owner.
    mutating func part<Part: Answer>(_ part: (Owner) -> Part)

    /// Declares the sizes of a group, whose fields are named after the relations in the table.
    mutating func sizes(_ sizes: (Owner) -> RelationCounts, as properties: (RelationTable) -> [Schema.Property])

    /// Declares columns of several fields or of none, given the relations of the table.
    mutating func columns(_ columns: ([RelationDescription]) -> [Column<Owner>])
}

extension FieldList {
    /// Declares a field that is always present.
    ///
    /// - Parameters:
    ///   - schema: a schema narrower than that of the value's type, or nil for the type's own.
    ///   - help: the description of the field.
    ///   - column: the column of the field in tables for people, or nil for none.
    package mutating func always<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema? = nil,
        _ help: StaticString, column: @autoclosure () -> Column<Value>? = nil
    ) {
        required(name, value, as: schema(), help, column: column())
    }

    /// Declares a field that is left out if there is no value.
    package mutating func sometimes<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema? = nil,
        _ help: StaticString, column: @autoclosure () -> Column<Value>? = nil
    ) {
        optional(name, value, as: schema(), help, column: column())
    }

    /// Declares a column that is no field, or one of several fields.
    package mutating func column(_ column: @autoclosure () -> Column<Owner>) { columns { _ in [column()] } }
}

/// A receiver that writes the fields of an answer.
@safe private struct FieldWriter<Owner: Answer>: FieldList {
    private let owner: UnsafePointer<Owner>
    var json = JSONWriter()

    /// Creates a writer; the owner's address must stay valid as long as the writer is used.
    init(owner: UnsafePointer<Owner>) { unsafe self.owner = owner }

    mutating func required<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?
    ) {
        json.key(name)
        value(unsafe owner.pointee).write(to: &json)
    }

    mutating func optional<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?
    ) {
        commandLineOnly(name, value)
    }

    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?) {
        guard let value = value(unsafe owner.pointee) else { return }
        json.key(name)
        value.write(to: &json)
    }

    mutating func part<Part: Answer>(_ part: (Owner) -> Part) { part(unsafe owner.pointee).writeFields(to: &json) }

    mutating func sizes(_ sizes: (Owner) -> RelationCounts, as properties: (RelationTable) -> [Schema.Property]) {
        let sizes = sizes(unsafe owner.pointee)
        for (field, count) in zip(sizes.fields, sizes.counts) { json.member(field, count) }
    }

    mutating func columns(_ columns: ([RelationDescription]) -> [Column<Owner>]) {}
}

/// A receiver that collects the schemas of the fields that HTTP answers with.
private struct PropertyCollector<Owner: Answer>: FieldList {
    let relations: RelationTable
    var properties: [Schema.Property] = []

    mutating func required<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?
    ) {
        properties.append(.always("\(name)", schema() ?? Value.schema(of: relations), "\(help)"))
    }

    mutating func optional<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?
    ) {
        properties.append(.sometimes("\(name)", schema() ?? Value.schema(of: relations), "\(help)"))
    }

    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?) {}

    mutating func part<Part: Answer>(_ part: (Owner) -> Part) { properties += Part.properties(of: relations) }

    mutating func sizes(_ sizes: (Owner) -> RelationCounts, as properties: (RelationTable) -> [Schema.Property]) {
        self.properties += properties(relations)
    }

    mutating func columns(_ columns: ([RelationDescription]) -> [Column<Owner>]) {}
}

/// A value that a field can have.
package protocol JSONValue: Sendable {
    /// Returns the schema of the value, given the relations.
    static func schema(of relations: RelationTable) -> Schema
    func write(to json: inout JSONWriter)
}

extension JSONValue {
    /// The value as one JSON document, on one line.
    package var json: [UInt8] { JSONWriter.document(self) }
}

extension String: JSONValue {
    /// Returns the schema of any text.
    package static func schema(of relations: RelationTable) -> Schema { .string() }
    package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: JSONValue {
    /// Returns the schema of true or false.
    package static func schema(of relations: RelationTable) -> Schema { .boolean }
    /// Writes `true` or `false`.
    package func write(to json: inout JSONWriter) { json.write(self) }
}

extension JSONValue where Self: FixedWidthInteger {
    /// Returns the schema of any whole number.
    package static func schema(of relations: RelationTable) -> Schema { .integer() }
    package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Int: JSONValue {}
extension Int64: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

extension JSONValue where Self: BinaryFloatingPoint & CustomStringConvertible {
    /// Returns the schema of any number.
    package static func schema(of relations: RelationTable) -> Schema { .number }
    /// Writes the fewest digits that read back as the same number.
    package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Float: JSONValue {}
extension Double: JSONValue {}

extension Array: JSONValue where Element: JSONValue {
    package static func schema(of relations: RelationTable) -> Schema { .array(Element.schema(of: relations)) }
    /// Writes the elements in their order.
    package func write(to json: inout JSONWriter) {
        json.array { json in
            for element in self { element.write(to: &json) }
        }
    }
}

extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    /// Returns the schema of an object with any names.
    package static func schema(of relations: RelationTable) -> Schema { .map(Value.schema(of: relations)) }
    /// Writes the members in the order of their names.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            for (name, value) in sorted(by: { $0.key < $1.key }) {
                json.member(name, value)
            }
        }
    }
}

/// A problem with a request, or one that prevents an answer (RFC 9457).
package struct ProblemDetails: Answer, Equatable {
    package var type: String
    package var title: String
    package var status: Int
    /// An explanation of this problem and its remedy.
    package var detail: String
    package var instance: String?
    package var parameter: String?
    package var field: String?
    package var allowed: [String]?
    /// The bounds of allowed numbers, both inclusive.
    package var minimum, maximum: Int?
    package var near: [String]?
    package var missing: [String]?
    package var storeUnreachableSinceMilliseconds: Int64?

    package init(type: String, title: String, status: Int, detail: String) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
    }

    package static let schemaName: String? = "Problem"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("type", \.type, "What kind of problem it is: about:blank, or urn:coterie:problem:KIND")
        fields.always("title", \.title, "The kind, for people")
        fields.always("status", \.status, as: .integer(400...599), "The status of the answer")
        fields.always("detail", \.detail, "What is wrong here, and what to do")
        fields.sometimes("instance", \.instance, "The path of the request")
        fields.sometimes("parameter", \.parameter, "The parameter that is wrong")
        fields.sometimes("field", \.field, "The member of the body that is wrong, such as interactions[3].kind")
        fields.sometimes("allowed", \.allowed, "What is allowed instead")
        fields.sometimes("minimum", \.minimum, "The least number allowed")
        fields.sometimes("maximum", \.maximum, "The greatest number allowed")
        fields.sometimes("near", \.near, "Ids near one that does not exist")
        fields.sometimes("missing", \.missing, "What the daemon lacks")
        fields.sometimes(
            "storeUnreachableSinceMilliseconds", \.storeUnreachableSinceMilliseconds,
            "When the store was first found unreachable, in Unix milliseconds")
    }
}
