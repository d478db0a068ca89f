/// Makes one tree of the events of a file, and refuses what a configuration does not need.
struct TreeReader: ~Copyable {
    private var events: EventReader

    init(_ bytes: [UInt8], file: String) throws(YAMLError) { events = try EventReader(bytes, file: file) }

    /// The value of the only document; an empty node if there is none.
    mutating func document() throws(YAMLError) -> YAMLNode {
        _ = try events.next()
        let start = try events.next()
        guard case .documentStart = start.event else {
            return YAMLNode(.scalar("", isPlain: true), at: start.place)
        }
        let root = try node(try events.next(), depth: 0)
        _ = try events.next()
        let end = try events.next()
        guard case .streamEnd = end.event else {
            throw YAMLError(.unsupported, at: end.place, "a second document begins here: one file holds one document")
        }
        return root
    }

    private mutating func node(_ first: PlacedEvent, depth: Int) throws(YAMLError) -> YAMLNode {
        try Self.check(first)
        switch first.event {
        case .scalar(let text, let isPlain):
            return YAMLNode(.scalar(text, isPlain: isPlain), at: first.place)
        case .sequenceStart:
            return YAMLNode(.sequence(try sequence(depth: try Self.deeper(depth, first.place))), at: first.place)
        case .mappingStart:
            return YAMLNode(.mapping(try mapping(depth: try Self.deeper(depth, first.place))), at: first.place)
        default:
            throw YAMLError(.malformed, at: first.place, "a value is missing here")
        }
    }

    private mutating func sequence(depth: Int) throws(YAMLError) -> [YAMLNode] {
        var elements: [YAMLNode] = []
        while true {
            let next = try events.next()
            if case .sequenceEnd = next.event { return elements }
            elements.append(try node(next, depth: depth))
        }
    }

    private mutating func mapping(depth: Int) throws(YAMLError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var lines: [String: Int] = [:]
        while true {
            let next = try events.next()
            if case .mappingEnd = next.event { return entries }
            try Self.check(next)
            guard case .scalar(let key, _) = next.event else {
                throw YAMLError(.unsupported, at: next.place, "a key must be a text")
            }
            if let line = lines.updateValue(next.place.line, forKey: key) {
                let message = "the key \"\(key)\" stands here again: it is on line \(line) already"
                throw YAMLError(.duplicateKey, at: next.place, message)
            }
            let value = try node(try events.next(), depth: depth)
            entries.append(YAMLNode.Entry(key: key, place: next.place, value: value))
        }
    }

    private static func check(_ event: PlacedEvent) throws(YAMLError) {
        if case .alias = event.event { throw unsupported("an alias (*name)", event.place) }
        if event.hasAnchor { throw unsupported("an anchor (&name)", event.place) }
        if event.hasTag { throw unsupported("a tag (!name)", event.place) }
    }

    private static func unsupported(_ what: String, _ place: YAMLPlace) -> YAMLError {
        YAMLError(.unsupported, at: place, "\(what) stands here: write the value itself, or put the text into quotes")
    }

    private static func deeper(_ depth: Int, _ place: YAMLPlace) throws(YAMLError) -> Int {
        guard depth < YAMLFile.maximumDepth else {
            throw YAMLError(.tooLarge, at: place, "values are nested more than \(YAMLFile.maximumDepth) deep")
        }
        return depth + 1
    }
}
