import Answers
import CommandLine
import Basics
import FoundationEssentials

extension Output {
    /// Writes an answer as JSON, with its fields in their order, and a line feed.
    ///
    /// - Parameter isIndented: whether each field has a line of its own.
    mutating func json(_ answer: some Answer, isIndented: Bool = true) throws(Failure) {
        try write((isIndented ? Self.indented(answer.json) : answer.json) + [UInt8(ascii: "\n")])
    }

    /// Writes a value as indented JSON, with its keys in alphabetical order, and a line feed.
    ///
    /// It is for values that are not the answer of any route.
    mutating func json(document value: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document: Data
        do { document = try encoder.encode(value) } catch {
            throw Failure(.general, "cannot write JSON: \(SystemWords.sentence(error))")
        }
        try write(document + [UInt8(ascii: "\n")])
    }

    /// Returns compact JSON in the layout of `JSONEncoder`, with a line for each member or element.
    private static func indented(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var depth = 0
        var isText = false
        var isEscaped = false
        func newLine() -> [UInt8] { Array("\n".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth) }
        for (index, byte) in json.enumerated() {
            if isText {
                result.append(byte)
                if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                result.append(byte)
                let isEmpty = json[index + 1] == UInt8(ascii: "}") || json[index + 1] == UInt8(ascii: "]")
                if !isEmpty { result += newLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                let isEmpty = json[index - 1] == UInt8(ascii: "{") || json[index - 1] == UInt8(ascii: "[")
                if !isEmpty { result += newLine() }
                result.append(byte)
            case UInt8(ascii: ","): result += [byte] + newLine()
            case UInt8(ascii: ":"): result += Array(" : ".utf8)
            default:
                result.append(byte)
                isText = byte == UInt8(ascii: "\"")
            }
        }
        return result
    }
}
