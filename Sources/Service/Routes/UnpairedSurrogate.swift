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
                let start = index + 1
                let (end, isWhole) = string(in: json, from: start)
                if awaitsKey, !levels.isEmpty {
                    levels[levels.count - 1] = .object(key: String(decoding: json[start..<end], as: UTF8.self))
                    awaitsKey = false
                }
                if !isWhole { return name(levels) }
                index = end
            default: break
            }
        }
        return nil
    }

    /// Returns the end of a string, and whether all its surrogates are in pairs.
    private static func string(in json: [UInt8], from start: Int) -> (end: Int, isWhole: Bool) {
        var (index, isWhole, awaitsSecond) = (start, true, false)
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            let unit = codeUnit(in: json, at: index)
            let isSecond = unit.map { (0xDC00...0xDFFF).contains($0) } ?? false
            if isSecond != awaitsSecond { isWhole = false }
            awaitsSecond = unit.map { (0xD800...0xDBFF).contains($0) } ?? false
            index += unit != nil ? 6 : json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return (min(index, json.count), isWhole && !awaitsSecond)
    }

    /// Returns the code unit of an escape such as `\ud83d`, or nil if there is no escape.
    private static func codeUnit(in json: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= json.count, json[index] == UInt8(ascii: "\\"), json[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return UInt32(String(decoding: json[index + 2..<index + 6], as: UTF8.self), radix: 16)
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
