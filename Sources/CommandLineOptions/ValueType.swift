/// What the value of an option must be.
public enum ValueType: Sendable, Equatable {
    /// Any text.
    case text
    /// A whole number; bounds are inclusive.
    case integer(ClosedRange<Int>)
    /// A number; bounds are inclusive.
    case number(ClosedRange<Double>)
    /// Digits and s, m, h or d, such as `15m`; bounds are inclusive, in seconds.
    case duration(ClosedRange<Int>)

    /// What a text must be, to be read after "must be"; nil if it is that.
    func fault(in text: String) -> String? {
        switch self {
        case .text: nil
        case .integer(let bounds): Self.integer(text, in: bounds) == nil ? description : nil
        case .number(let bounds): Self.number(text, in: bounds) == nil ? description : nil
        case .duration(let bounds): Self.seconds(text, in: bounds) == nil ? description : nil
        }
    }

    /// A whole number within bounds; nil for other texts.
    static func integer(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// A number within bounds; nil for other texts.
    static func number(_ text: String, in bounds: ClosedRange<Double>) -> Double? {
        // "nan" is a Double too, and lies in no range.
        Double(text).flatMap { bounds.contains($0) ? $0 : nil }
    }

    /// A duration within bounds, in seconds; nil for other texts.
    static func seconds(_ text: String, in bounds: ClosedRange<Int>) -> Int? {
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...bounds.upperBound / unit).contains(count), bounds.contains(count * unit)
        else { return nil }
        return count * unit
    }

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
}

extension ValueType: CustomStringConvertible {
    /// What a value must be, such as "a whole number from 0 to 65535".
    public var description: String {
        switch self {
        case .text: "a text"
        case .integer(let bounds):
            bounds.upperBound == .max
                ? "a whole number, at least \(bounds.lowerBound)"
                : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .number(let bounds): "a number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .duration(let bounds):
            "a duration such as 90s, 15m, 1h or 7d, from \(bounds.lowerBound)s to \(bounds.upperBound / 86400)d"
        }
    }
}
