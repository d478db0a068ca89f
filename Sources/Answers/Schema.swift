/// A schema of JSON, in the subset of JSON Schema 2020-12 that the answers need.
package indirect enum Schema: Sendable {
    /// A text, optionally restricted to `words`, to a number of Unicode scalars, or to a pattern.
    case string(
        words: [String] = [], standard: String? = nil, lengths: ClosedRange<Int>? = nil, pattern: String? = nil)
    /// A whole number; bounds are inclusive.
    case integer(ClosedRange<Int>? = nil, standard: Int? = nil)
    case number
    /// True or false.
    case boolean
    /// A list, optionally with bounds on the number of elements.
    case array(Schema, ClosedRange<Int>? = nil)
    case object([Property])
    /// An object with any names, and values of one schema.
    case map(Schema)
    /// An object of any kind.
    case anyObject
    /// A schema with a name among the components of the API description.
    case component(String, Schema)

    /// The schema of a whole number that is not negative.
    package static let count = Schema.integer(0...Int.max)
    /// The schema of a rank or another number that counts from 1.
    package static let rank = Schema.integer(1...Int.max)

    package static func words<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type) -> Schema {
        .string(words: type.allCases.map(\.rawValue))
    }

    /// The names of the members of all objects in it.
    package var fieldNames: Set<String> {
        switch self {
        case .array(let element, _), .map(let element), .component(_, let element): element.fieldNames
        case .object(let properties):
            properties.reduce(into: []) { $0.formUnion($1.schema.fieldNames.union([$1.name])) }
        case .string, .integer, .number, .boolean, .anyObject: []
        }
    }

    /// A member of an object.
    package struct Property: Sendable {
        /// The member's name.
        package let name: String
        package let schema: Schema
        let help: String
        let isRequired: Bool

        /// Creates a member that is always present.
        package static func always(_ name: String, _ schema: Schema, _ help: String) -> Property {
            Property(name: name, schema: schema, help: help, isRequired: true)
        }

        /// Creates a member that may be missing.
        package static func sometimes(_ name: String, _ schema: Schema, _ help: String) -> Property {
            Property(name: name, schema: schema, help: help, isRequired: false)
        }
    }
}

extension Schema {
    /// Writes the members of the schema's own object; a component is written as a reference.
    package func write(to json: inout JSONWriter) {
        switch self {
        case .string(let words, let standard, let lengths, let pattern):
            json.member("type", "string")
            if !words.isEmpty { json.member("enum", words) }
            if let standard { json.member("default", standard) }
            if let lengths {
                json.member("minLength", lengths.lowerBound)
                json.member("maxLength", lengths.upperBound)
            }
            if let pattern { json.member("pattern", pattern) }
        case .integer(let bounds, let standard):
            json.member("type", "integer")
            if let bounds {
                json.member("minimum", bounds.lowerBound)
                if bounds.upperBound < .max { json.member("maximum", bounds.upperBound) }
            }
            if let standard { json.member("default", standard) }
        case .number: json.member("type", "number")
        case .boolean: json.member("type", "boolean")
        case .array(let element, let counts):
            json.member("type", "array")
            if let counts {
                json.member("minItems", counts.lowerBound)
                json.member("maxItems", counts.upperBound)
            }
            json.object("items") { element.write(to: &$0) }
        case .object(let properties): Self.write(properties, to: &json)
        case .map(let value):
            json.member("type", "object")
            json.object("additionalProperties") { value.write(to: &$0) }
        case .anyObject: json.member("type", "object")
        case .component(let name, _): json.member("$ref", "#/components/schemas/\(name)")
        }
    }

    private static func write(_ properties: [Property], to json: inout JSONWriter) {
        json.member("type", "object")
        json.member("required", properties.filter(\.isRequired).map(\.name))
        json.object("properties") { json in
            for property in properties {
                json.object(property.name) { json in
                    property.schema.write(to: &json)
                    json.member("description", property.help)
                }
            }
        }
    }

    /// Returns the components that schemas refer to, directly or through others.
    ///
    /// Each component occurs once, in the order of the first reference.
    package static func components(of schemas: some Sequence<Schema>) -> [(name: String, schema: Schema)] {
        var found: [(name: String, schema: Schema)] = []
        for schema in schemas { schema.collectComponents(into: &found) }
        return found
    }

    private func collectComponents(into found: inout [(name: String, schema: Schema)]) {
        switch self {
        case .string, .integer, .number, .boolean, .anyObject: break
        case .array(let element, _): element.collectComponents(into: &found)
        case .map(let value): value.collectComponents(into: &found)
        case .object(let properties):
            for property in properties { property.schema.collectComponents(into: &found) }
        case .component(let name, let schema):
            guard !found.contains(where: { $0.name == name }) else { return }
            found.append((name, schema))
            schema.collectComponents(into: &found)
        }
    }
}
