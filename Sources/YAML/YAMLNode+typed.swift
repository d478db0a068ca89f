/// The values of nodes as types of YAML 1.2's core schema. Each throws `YAMLError.wrongType` with the place.
extension YAMLNode {
    /// The entries of a mapping; none if the node is empty.
    public func entries() throws(YAMLError) -> [Entry] {
        if isNull { return [] }
        guard case .mapping(let entries) = content else { throw wrongType("keys with values") }
        return entries
    }

    /// The value of a key of a mapping; nil if it has no such key.
    public func value(of key: String) throws(YAMLError) -> YAMLNode? {
        try entries().first { $0.key == key }?.value
    }

    /// The values of a list; none if the node is empty.
    public func elements() throws(YAMLError) -> [YAMLNode] {
        if isNull { return [] }
        guard case .sequence(let elements) = content else { throw wrongType("a list") }
        return elements
    }

    /// A text: any scalar but an empty one, as it is written.
    ///
    /// `""` is an empty text.
    public func text() throws(YAMLError) -> String {
        guard case .scalar(let text, _) = content, !isNull else { throw wrongType("a text") }
        return text
    }

    /// An integer in decimal digits.
    public func integer() throws(YAMLError) -> Int {
        guard case .scalar(let text, isPlain: true) = content, let value = Int(text) else {
            throw wrongType("an integer")
        }
        return value
    }

    /// A finite number, such as `1`, `0.25` or `1e-3`.
    public func number() throws(YAMLError) -> Double {
        // Swift also takes hexadecimal digits, `nan` and `infinity`.
        guard case .scalar(let text, isPlain: true) = content, text.utf8.allSatisfy(Self.mayBeInNumber),
            let value = Double(text), value.isFinite
        else { throw wrongType("a number") }
        return value
    }

    /// `true` or `false`.
    public func boolean() throws(YAMLError) -> Bool {
        switch content {
        case .scalar("true", isPlain: true): return true
        case .scalar("false", isPlain: true): return false
        default: throw wrongType("true or false")
        }
    }

    /// An error that says which type was expected here, and what stands here.
    private func wrongType(_ expected: String) -> YAMLError {
        YAMLError(.wrongType, at: place, "\(expected) must stand here, not \(name)")
    }

    private static func mayBeInNumber(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
    }
}
