public import Model

/// An answer, or a part of one: an object whose fields are declared once.
///
/// The JSON that is written and the schema that describes it both follow from the declaration, so that they cannot
/// differ. HTTP and the command line answer with the same types.
public protocol Answer: JSONValue {
    /// The name of the schema among the components of the description; nil where the schema stands where it is used.
    static var schemaName: String? { get }
    /// Declares the fields, in the order in which they are written.
    static func declare(_ fields: inout some FieldList<Self>)
}

extension Answer {
    /// None: most parts of answers are described where they stand.
    public static var schemaName: String? { nil }

    /// The answer as one JSON document, in one line.
    public var json: [UInt8] { JSONWriter.document(self) }

    /// Writes the object.
    public func write(to json: inout JSONWriter) {
        json.object { json in writeFields(to: &json) }
    }

    fileprivate func writeFields(to json: inout JSONWriter) {
        // By its address, and the writer swapped: a copy would count the references of every text, and copy the bytes.
        unsafe withUnsafePointer(to: self) { owner in
            var fields = unsafe FieldWriter(owner: owner)
            swap(&json, &fields.json)
            Self.declare(&fields)
            swap(&json, &fields.json)
        }
    }

    /// The schema of the object as it is over HTTP.
    public static func schema(of relations: RelationTable) -> Schema {
        let object = Schema.object(properties(of: relations))
        return schemaName.map { .component($0, object) } ?? object
    }

    /// The members of the object as it is over HTTP.
    public static func properties(of relations: RelationTable) -> [Schema.Property] {
        var fields = PropertyCollector<Self>(relations: relations)
        declare(&fields)
        return fields.properties
    }
}

/// What becomes of the fields of an answer when it declares them: they are written, or their schemas are collected.
///
/// Generic, not a table of closures: this way the compiler makes of a declaration what one would write by hand.
public protocol FieldList<Owner> {
    /// The type that has the fields.
    associatedtype Owner: Answer

    /// A field that is always there.
    ///
    /// - Parameter schema: a narrower one than that of the value's type; nil for that one.
    mutating func always<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString)

    /// A field that is left out where there is no value.
    mutating func sometimes<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString)

    /// A field that commands may write and HTTP never does, so that no schema has it.
    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?)

    /// The fields of a part, which stand among those of its owner.
    mutating func part<Part: Answer>(_ part: (Owner) -> Part)

    /// The sizes of a group, whose fields are named after the relations that there are.
    mutating func sizes(_ sizes: (Owner) -> GroupSizes, as properties: (RelationTable) -> [Schema.Property])
}

extension FieldList {
    /// A field that is always there.
    mutating func always<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value, _ help: StaticString) {
        always(name, value, as: nil, help)
    }

    /// A field that is left out where there is no value.
    mutating func sometimes<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?, _ help: StaticString) {
        sometimes(name, value, as: nil, help)
    }
}

/// Writes the fields of an answer.
@safe private struct FieldWriter<Owner: Answer>: FieldList {
    private let owner: UnsafePointer<Owner>
    var json = JSONWriter()

    /// - Parameter owner: stays where it is for as long as this is used.
    init(owner: UnsafePointer<Owner>) { unsafe self.owner = owner }

    mutating func always<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString
    ) {
        json.key(name)
        value(unsafe owner.pointee).write(to: &json)
    }

    mutating func sometimes<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString
    ) {
        commandLineOnly(name, value)
    }

    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?) {
        guard let value = value(unsafe owner.pointee) else { return }
        json.key(name)
        value.write(to: &json)
    }

    mutating func part<Part: Answer>(_ part: (Owner) -> Part) { part(unsafe owner.pointee).writeFields(to: &json) }

    mutating func sizes(_ sizes: (Owner) -> GroupSizes, as properties: (RelationTable) -> [Schema.Property]) {
        let sizes = sizes(unsafe owner.pointee)
        for (field, count) in zip(sizes.fields, sizes.counts) { json.member(field, count) }
    }
}

/// Collects the schemas of the fields that HTTP answers with.
private struct PropertyCollector<Owner: Answer>: FieldList {
    let relations: RelationTable
    var properties: [Schema.Property] = []

    mutating func always<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString
    ) {
        properties.append(.always("\(name)", schema() ?? Value.schema(of: relations), "\(help)"))
    }

    mutating func sometimes<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString
    ) {
        properties.append(.sometimes("\(name)", schema() ?? Value.schema(of: relations), "\(help)"))
    }

    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?) {}

    mutating func part<Part: Answer>(_ part: (Owner) -> Part) { properties += Part.properties(of: relations) }

    mutating func sizes(_ sizes: (Owner) -> GroupSizes, as properties: (RelationTable) -> [Schema.Property]) {
        self.properties += properties(relations)
    }
}

/// A value that a field can have.
public protocol JSONValue: Sendable {
    /// What it looks like, with the relations that there are.
    static func schema(of relations: RelationTable) -> Schema
    /// Writes it.
    func write(to json: inout JSONWriter)
}

extension String: JSONValue {
    /// Any text.
    public static func schema(of relations: RelationTable) -> Schema { .string() }
    /// Writes the text.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: JSONValue {
    /// True or false.
    public static func schema(of relations: RelationTable) -> Schema { .boolean }
    /// Writes `true` or `false`.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension JSONValue where Self: FixedWidthInteger {
    /// Any whole number.
    public static func schema(of relations: RelationTable) -> Schema { .integer() }
    /// Writes the digits.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension Int: JSONValue {}
extension Int64: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

extension JSONValue where Self: BinaryFloatingPoint & CustomStringConvertible {
    /// Any number.
    public static func schema(of relations: RelationTable) -> Schema { .number }
    /// Writes the fewest digits that read back as the same number.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension Float: JSONValue {}
extension Double: JSONValue {}

extension Array: JSONValue where Element: JSONValue {
    /// A list.
    public static func schema(of relations: RelationTable) -> Schema { .array(Element.schema(of: relations)) }
    /// Writes the elements in their order.
    public func write(to json: inout JSONWriter) {
        json.array { json in
            for element in self { element.write(to: &json) }
        }
    }
}

extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    /// An object with any names.
    public static func schema(of relations: RelationTable) -> Schema { .map(Value.schema(of: relations)) }
    /// Writes the members in the order of their names.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            for (name, value) in sorted(by: { $0.key < $1.key }) {
                json.member(name, value)
            }
        }
    }
}

/// What is wrong with a request, or keeps it from being answered (RFC 9457).
public struct ProblemDetails: Answer, Equatable {
    /// What kind of problem it is: `about:blank`, or `urn:coterie:problem:KIND`.
    public var type: String
    /// The kind, for people.
    public var title: String
    /// The status of the answer.
    public var status: Int
    /// What is wrong here, and what to do.
    public var detail: String
    /// The path of the request as it came; nil if it could not be understood.
    public var instance: String?
    /// The parameter that is wrong.
    public var parameter: String?
    /// The member of the body that is wrong.
    public var field: String?
    /// What is allowed instead.
    public var allowed: [String]?
    /// The numbers allowed, both inclusive.
    public var minimum, maximum: Int?
    /// Ids near one that does not exist.
    public var near: [String]?
    /// What the daemon lacks.
    public var missing: [String]?
    /// When the store was first found unreachable, in Unix milliseconds.
    public var storeUnreachableSinceMilliseconds: Int64?

    /// A problem, with the members that every one has.
    public init(type: String, title: String, status: Int, detail: String) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
    }

    /// The name of the schema.
    public static let schemaName: String? = "Problem"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
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
