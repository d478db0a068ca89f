import Foundation

/// Checks JSON against the schemas of an OpenAPI document, read from the document itself; strictly: what a schema does
/// not mention is wrong.
package struct SchemaChecker {
    /// The document.
    package let document: [String: Any]

    /// Reads a document.
    package init(_ bytes: [UInt8]) throws {
        document = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
    }

    /// What a reference such as `#/components/schemas/Store` leads to.
    package func target(of reference: String) -> Any? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as Any?) { node, name in
            (node as? [String: Any])?[String(name)]
        }
    }

    /// Every reference in the document.
    package var references: [String] { Self.references(in: document) }

    private static func references(in node: Any) -> [String] {
        if let list = node as? [Any] { return list.flatMap(references) }
        guard let object = node as? [String: Any] else { return [] }
        return (object["$ref"] as? String).map { [$0] } ?? [] + object.values.flatMap(references)
    }

    /// The schema of an answer; nil if the document knows no such answer.
    package func schema(_ method: String, _ pattern: String, status: Int, type: String) -> [String: Any]? {
        let path = (document["paths"] as? [String: Any])?[pattern] as? [String: Any]
        let operation = path?[method.lowercased()] as? [String: Any]
        var response = (operation?["responses"] as? [String: Any])?[String(status)] as? [String: Any]
        if let reference = response?["$ref"] as? String { response = target(of: reference) as? [String: Any] }
        let content = (response?["content"] as? [String: Any])?[type] as? [String: Any]
        return content?["schema"] as? [String: Any]
    }

    /// The differences between a value and its schema, with their paths.
    package func complaints(_ value: Any, _ schema: [String: Any], at path: String = "$") -> [String] {
        if let reference = schema["$ref"] as? String {
            guard let target = target(of: reference) as? [String: Any] else { return ["\(reference) leads nowhere"] }
            return complaints(value, target, at: path)
        }
        switch schema["type"] as? String {
        case "string": return complaints(text: value, schema, at: path)
        case "boolean": return Self.isBoolean(value) ? [] : ["\(path) is not true or false"]
        case "integer", "number": return complaints(number: value, schema, at: path)
        case "array":
            guard let elements = value as? [Any] else { return ["\(path) is no list"] }
            let schema = schema["items"] as? [String: Any] ?? [:]
            return elements.enumerated().flatMap { complaints($1, schema, at: "\(path)[\($0)]") }
        case "object": return complaints(object: value, schema, at: path)
        default: return ["\(path) has a schema without a type"]
        }
    }

    private func complaints(text value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard let text = value as? String else { return ["\(path) is no text"] }
        if let words = schema["enum"] as? [String], !words.contains(text) { return ["\(path) is \(text)"] }
        return []
    }

    private func complaints(number value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard !Self.isBoolean(value), let number = value as? Double else { return ["\(path) is no number"] }
        if schema["type"] as? String == "integer", number != number.rounded() { return ["\(path) is not whole"] }
        if let least = schema["minimum"] as? Double, number < least { return ["\(path) is \(number)"] }
        if let greatest = schema["maximum"] as? Double, number > greatest { return ["\(path) is \(number)"] }
        return []
    }

    private func complaints(object value: Any, _ schema: [String: Any], at path: String) -> [String] {
        guard let object = value as? [String: Any] else { return ["\(path) is no object"] }
        let properties = schema["properties"] as? [String: Any]
        let others = schema["additionalProperties"] as? [String: Any]
        // An object of any kind.
        if properties == nil, others == nil { return [] }
        let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
        return missing.map { "\(path) has no \($0)" }
            + object.flatMap { name, value in
                guard let schema = properties?[name] as? [String: Any] ?? others else {
                    return ["\(path) has \(name), which is not described"]
                }
                return complaints(value, schema, at: "\(path).\(name)")
            }
    }

    private static func isBoolean(_ value: Any) -> Bool {
        // To a cast, true is 1.
        value is Bool && (value as? NSNumber).map { unsafe $0.objCType[0] == CChar(UInt8(ascii: "c")) } ?? true
    }
}
