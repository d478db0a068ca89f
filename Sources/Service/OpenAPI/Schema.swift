/// What JSON may look like, in as much of JSON Schema 2020-12 as the answers of the service need.
indirect enum Schema: Sendable {
    /// Text: one of `words` if there are any, so many Unicode scalars long, matching a pattern.
    case string(
        words: [String] = [], standard: String? = nil, lengths: ClosedRange<Int>? = nil, pattern: String? = nil)
    /// A whole number; bounds are inclusive.
    case integer(ClosedRange<Int>? = nil, standard: Int? = nil)
    case number
    case boolean
    /// A list of so many elements.
    case array(Schema, ClosedRange<Int>? = nil)
    /// An object with these members.
    case object([Property])
    /// An object with any names, and values of one schema.
    case map(Schema)
    /// An object of any kind.
    case anyObject
    /// One of the components, by its name.
    case component(String)

    /// A whole number that is not negative.
    static let count = Schema.integer(0...Int.max)

    /// A member of an object.
    struct Property: Sendable {
        let name: String
        let schema: Schema
        let help: String
        let isRequired: Bool

        /// A member that is always there.
        static func always(_ name: String, _ schema: Schema, _ help: String) -> Property {
            Property(name: name, schema: schema, help: help, isRequired: true)
        }

        /// A member that may be missing.
        static func sometimes(_ name: String, _ schema: Schema, _ help: String) -> Property {
            Property(name: name, schema: schema, help: help, isRequired: false)
        }
    }
}

extension Schema {
    /// Writes the members of the schema's own object.
    func write(to json: inout JSONWriter) {
        switch self {
        case .string(let words, let standard, let lengths, let pattern):
            json.member("type", "string")
            if !words.isEmpty { json.texts("enum", words) }
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
        case .component(let name): json.member("$ref", Self.reference(to: name))
        }
    }

    /// Where a component stands in the document.
    static func reference(to name: String) -> String { "#/components/schemas/\(name)" }

    private static func write(_ properties: [Property], to json: inout JSONWriter) {
        json.member("type", "object")
        json.texts("required", properties.filter(\.isRequired).map(\.name))
        json.object("properties") { json in
            for property in properties {
                json.object(property.name) { json in
                    property.schema.write(to: &json)
                    json.member("description", property.help)
                }
            }
        }
    }
}
