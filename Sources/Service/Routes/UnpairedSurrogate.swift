import Basics

/// Finds half of a surrogate pair in a JSON document, such as `"\ud83d"`.
///
/// Such a half is not text, and decoders do not say where it is.
enum UnpairedSurrogate {
    /// A list or an object around the current place.
    private enum Level {
        case object(key: String)
        case list(index: Int)
    }

    /// Returns the place of the first half in the usual notation, `interactions[3].id`, or nil if there is none.
    ///
    /// The document may be invalid in other ways.
    static func place(in json: [UInt8]) -> String? {
        var levels: [Level] = []
        var awaitsKey = false
        var index = 0
        while index < json.count {
            defer { index += 1 }
            switch json[index] {
            case UInt8(ascii: "{"):
                levels.append(.object(key: ""))
                awaitsKey = true
            case UInt8(ascii: "["):
                levels.append(.list(index: 0))
                awaitsKey = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = levels.popLast()
                awaitsKey = false
            case UInt8(ascii: ","):
                if case .list(let number) = levels.last {
                    levels[levels.count - 1] = .list(index: number + 1)
                } else {
                    awaitsKey = true
                }
            case UInt8(ascii: "\""):
                let start = index
                guard JSONText.skip(json, at: &index, before: json.count) else { return nil }
                var (text, place): ([UInt8], Int) = ([], start)
                let outcome = JSONText.read(json, at: &place, before: index, into: &text)
                if awaitsKey, !levels.isEmpty {
                    levels[levels.count - 1] = .object(
                        key: String(decoding: json[start + 1..<index - 1], as: UTF8.self))
                    awaitsKey = false
                }
                if outcome == .halfSurrogate { return name(levels) }
                index -= 1
            default: break
            }
        }
        return nil
    }

    private static func name(_ levels: [Level]) -> String {
        levels.reduce("") { name, level in
            switch level {
            case .list(let index): "\(name)[\(index)]"
            case .object(let key): name.isEmpty ? key : "\(name).\(key)"
            }
        }
    }
}
