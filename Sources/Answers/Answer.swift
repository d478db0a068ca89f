/// An answer, or a part of one: an object whose fields are declared once, in one table.
///
/// The JSON that is written and the schema that describes it both follow from the table, so that they cannot differ.
/// HTTP and the command line answer with the same types.
public protocol Answer: JSONValue {
    /// The name of the schema among the components of the description; nil where the schema stands where it is used.
    static var schemaName: String? { get }
    /// The fields, in the order in which they are written.
    static var fields: [Field<Self>] { get }
}

extension Answer {
    /// None: most parts of answers are described where they stand.
    public static var schemaName: String? { nil }

    /// The answer as one JSON document, in one line.
    public var json: [UInt8] {
        JSONWriter.object { json in
            for field in Self.fields { field.write(self, &json) }
        }
    }

    /// Writes the object.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            for field in Self.fields { field.write(self, &json) }
        }
    }

    /// The schema of the object as it is over HTTP.
    public static var schema: Schema {
        let object = Schema.object(properties)
        return schemaName.map { .component($0, object) } ?? object
    }

    /// The members of the object as it is over HTTP.
    public static var properties: [Schema.Property] { fields.flatMap(\.properties) }
}

/// A field of an answer: its name, what it means, its schema, and how its value is written.
public struct Field<Owner>: Sendable {
    /// As the schema has them: one, none for a field that only commands write, several for a part.
    let properties: [Schema.Property]
    let write: @Sendable (Owner, inout JSONWriter) -> Void

    /// A field that is always there.
    ///
    /// - Parameter schema: narrower than that of the value's type, if given.
    static func always<Value: JSONValue>(
        _ name: String, _ value: @escaping @Sendable (Owner) -> Value, as schema: Schema = Value.schema, _ help: String
    ) -> Field {
        let key = JSONWriter.Key(name)
        return Field(properties: [.always(name, schema, help)]) { owner, json in
            json.write(key)
            value(owner).write(to: &json)
        }
    }

    /// A field that is left out where there is no value.
    static func sometimes<Value: JSONValue>(
        _ name: String, _ value: @escaping @Sendable (Owner) -> Value?, as schema: Schema = Value.schema, _ help: String
    ) -> Field {
        let key = JSONWriter.Key(name)
        return Field(properties: [.sometimes(name, schema, help)]) { owner, json in
            guard let value = value(owner) else { return }
            json.write(key)
            value.write(to: &json)
        }
    }

    /// A field that commands may write and HTTP never does, so that no schema has it.
    static func commandLineOnly<Value: JSONValue>(
        _ name: String, _ value: @escaping @Sendable (Owner) -> Value?
    ) -> Field {
        Field(properties: [], write: sometimes(name, value, "").write)
    }

    /// The fields of a part, which stand among those of its owner.
    static func part<Part: Answer>(_ part: @escaping @Sendable (Owner) -> Part) -> Field {
        Field(properties: Part.properties) { owner, json in
            let part = part(owner)
            for field in Part.fields { field.write(part, &json) }
        }
    }
}

/// A value that a field can have.
public protocol JSONValue: Sendable {
    /// What it looks like.
    static var schema: Schema { get }
    /// Writes it.
    func write(to json: inout JSONWriter)
}

extension String: JSONValue {
    /// Any text.
    public static var schema: Schema { .string() }
    /// Writes the text.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: JSONValue {
    /// True or false.
    public static var schema: Schema { .boolean }
    /// Writes `true` or `false`.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension JSONValue where Self: FixedWidthInteger {
    /// Any whole number.
    public static var schema: Schema { .integer() }
    /// Writes the digits.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension Int: JSONValue {}
extension Int64: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

extension JSONValue where Self: BinaryFloatingPoint & CustomStringConvertible {
    /// Any number.
    public static var schema: Schema { .number }
    /// Writes the fewest digits that read back as the same number.
    public func write(to json: inout JSONWriter) { json.write(self) }
}

extension Float: JSONValue {}
extension Double: JSONValue {}

extension Array: JSONValue where Element: JSONValue {
    /// A list.
    public static var schema: Schema { .array(Element.schema) }
    /// Writes the elements in their order.
    public func write(to json: inout JSONWriter) {
        json.array { json in
            for element in self { element.write(to: &json) }
        }
    }
}

extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    /// An object with any names.
    public static var schema: Schema { .map(Value.schema) }
    /// Writes the members in the order of their names.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            for (name, value) in sorted(by: { $0.key < $1.key }) {
                json.write(JSONWriter.Key(name))
                value.write(to: &json)
            }
        }
    }
}
