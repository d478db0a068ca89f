import CYAML
import Basics

/// A reader of configuration in YAML.
///
/// The reader accepts only the parts that configuration needs: one document of mappings, lists and scalars. Anchors,
/// aliases and tags are refused. A key that occurs twice in a mapping is refused too, because one of its values would
/// be ignored.
package enum YAMLFile {
    /// The longest file, in bytes, inclusive.
    package static let maximumByteCount = 1 << 20
    /// The deepest nesting of mappings and lists, inclusive.
    package static let maximumDepth = 32

    /// Reads a file.
    ///
    /// - Returns: its value; an empty node (`isNull`) if the file has only comments.
    /// - Throws: `YAMLError` with the place of the first mistake.
    package static func read(_ path: String) throws(YAMLError) -> YAMLNode {
        try parse(try bytes(of: path), file: path)
    }

    /// Reads UTF-8 bytes; error messages name them `file`.
    package static func parse(_ bytes: [UInt8], file: String) throws(YAMLError) -> YAMLNode {
        guard bytes.count <= maximumByteCount else {
            throw YAMLError(
                at: YAMLPlace(file: file, line: 1, column: 1),
                "the file is longer than \(maximumByteCount) bytes")
        }
        var reader = try TreeReader(bytes, file: file)
        return try reader.document()
    }

    private static func bytes(of path: String) throws(YAMLError) -> [UInt8] {
        do { return try RegularFile.read(path, limitBytes: maximumByteCount).bytes } catch {
            throw YAMLError(at: nil, "the file \(error.message)")
        }
    }
}

/// The events of a file, one after the other, as libyaml reports them.
@safe
struct EventReader: ~Copyable {
    // The parser and the input are on the heap, because libyaml keeps pointers to them.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let file: String

    init(_ bytes: [UInt8], file: String) throws(YAMLError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            unsafe parser.deallocate()
            throw YAMLError(at: nil, "\(file) cannot be read: out of memory")
        }
        unsafe self.parser = parser
        unsafe input = .allocate(capacity: bytes.count)
        _ = unsafe input.initialize(from: bytes)
        self.file = file
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    mutating func next() throws(YAMLError) -> PlacedEvent {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { unsafe yaml_event_delete(&event) }
        return unsafe try read(event)
    }

    private func read(_ event: yaml_event_t) throws(YAMLError) -> PlacedEvent {
        let (found, anchor, tag): (Event, UnsafeMutablePointer<yaml_char_t>?, UnsafeMutablePointer<yaml_char_t>?) =
            switch unsafe event.type {
            case YAML_STREAM_START_EVENT: (.streamStart, nil, nil)
            case YAML_DOCUMENT_START_EVENT: (.documentStart, nil, nil)
            case YAML_DOCUMENT_END_EVENT: (.documentEnd, nil, nil)
            case YAML_ALIAS_EVENT: (.alias, nil, nil)
            case YAML_SCALAR_EVENT:
                unsafe (Self.scalar(event.data.scalar), event.data.scalar.anchor, event.data.scalar.tag)
            case YAML_SEQUENCE_START_EVENT:
                unsafe (.sequenceStart, event.data.sequence_start.anchor, event.data.sequence_start.tag)
            case YAML_SEQUENCE_END_EVENT: (.sequenceEnd, nil, nil)
            case YAML_MAPPING_START_EVENT:
                unsafe (.mappingStart, event.data.mapping_start.anchor, event.data.mapping_start.tag)
            case YAML_MAPPING_END_EVENT: (.mappingEnd, nil, nil)
            // libyaml also reports no event after the end.
            default: (.streamEnd, nil, nil)
            }
        return unsafe PlacedEvent(
            event: found, place: place(event.start_mark), hasAnchor: anchor != nil, hasTag: tag != nil)
    }

    private static func scalar(_ scalar: yaml_event_s.__Unnamed_union_data.__Unnamed_struct_scalar) -> Event {
        let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        return unsafe .scalar(
            String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    }

    /// Returns a place; libyaml counts lines and characters from 0.
    private func place(_ mark: yaml_mark_t) -> YAMLPlace {
        YAMLPlace(file: file, line: mark.line + 1, column: mark.column + 1)
    }

    private func failure() -> YAMLError {
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "it cannot be read"
        switch unsafe parser.pointee.error {
        case YAML_MEMORY_ERROR: return YAMLError(at: nil, "\(file) cannot be read: out of memory")
        case YAML_READER_ERROR:
            // libyaml reports the byte, but not the line.
            let offset = unsafe min(parser.pointee.problem_offset, input.count)
            let before = unsafe input.prefix(offset)
            let line = unsafe before.count { $0 == UInt8(ascii: "\n") } + 1
            let start = unsafe before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let column = unsafe String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
            let place = YAMLPlace(file: file, line: line, column: column)
            return YAMLError(at: place, "this is not YAML in UTF-8: \(problem)")
        default:
            var message = "this is not YAML: \(problem)"
            if let context = unsafe parser.pointee.context {
                let begin = unsafe place(parser.pointee.context_mark)
                message += unsafe ", \(String(cString: context)) that begins on line \(begin.line)"
            }
            return unsafe YAMLError(at: place(parser.pointee.problem_mark), message)
        }
    }
}

/// A reader that builds one tree from the events of a file, and refuses what a configuration does not need.
struct TreeReader: ~Copyable {
    private var events: EventReader

    init(_ bytes: [UInt8], file: String) throws(YAMLError) { events = try EventReader(bytes, file: file) }

    /// Returns the value of the only document, or an empty node if there is none.
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
            throw YAMLError(at: end.place, "a second document begins here: one file holds one document")
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
            throw YAMLError(at: first.place, "a value is missing here")
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
                throw YAMLError(at: next.place, "a key must be a text")
            }
            if let line = lines.updateValue(next.place.line, forKey: key) {
                let message = "the key \"\(key)\" stands here again: it is on line \(line) already"
                throw YAMLError(at: next.place, message)
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
        YAMLError(at: place, "\(what) stands here: write the value itself, or put the text into quotes")
    }

    private static func deeper(_ depth: Int, _ place: YAMLPlace) throws(YAMLError) -> Int {
        guard depth < YAMLFile.maximumDepth else {
            throw YAMLError(at: place, "values are nested more than \(YAMLFile.maximumDepth) deep")
        }
        return depth + 1
    }
}

/// An event of libyaml in a file.
enum Event {
    case streamStart
    case streamEnd
    case documentStart
    case documentEnd
    case alias
    case scalar(String, isPlain: Bool)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
}

/// An event with its place, and whether an anchor or a tag precedes it.
struct PlacedEvent {
    let event: Event
    let place: YAMLPlace
    let hasAnchor: Bool
    let hasTag: Bool
}
