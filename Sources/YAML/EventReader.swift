import CYAML

/// The events of a file, one after the other, as libyaml finds them.
@safe
struct EventReader: ~Copyable {
    // Both on the heap, because libyaml keeps pointers to them.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let file: String

    init(_ bytes: [UInt8], file: String) throws(YAMLError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            unsafe parser.deallocate()
            throw YAMLError(.unreadable, at: nil, "\(file) cannot be read: out of memory")
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

    /// The next event.
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
            // Also after the end, where libyaml has no event.
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

    /// libyaml counts lines and characters from 0.
    private func place(_ mark: yaml_mark_t) -> YAMLPlace {
        YAMLPlace(file: file, line: mark.line + 1, column: mark.column + 1)
    }

    private func failure() -> YAMLError {
        let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "it cannot be read"
        switch unsafe parser.pointee.error {
        case YAML_MEMORY_ERROR: return YAMLError(.tooLarge, at: nil, "\(file) cannot be read: out of memory")
        case YAML_READER_ERROR:
            // libyaml says at which byte, but not on which line.
            let offset = unsafe min(parser.pointee.problem_offset, input.count)
            let before = unsafe input.prefix(offset)
            let line = unsafe before.count { $0 == UInt8(ascii: "\n") } + 1
            let start = unsafe before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let column = unsafe String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
            let place = YAMLPlace(file: file, line: line, column: column)
            return YAMLError(.malformed, at: place, "this is not YAML in UTF-8: \(problem)")
        default:
            var message = "this is not YAML: \(problem)"
            if let context = unsafe parser.pointee.context {
                let begin = unsafe place(parser.pointee.context_mark)
                message += unsafe ", \(String(cString: context)) that begins on line \(begin.line)"
            }
            return unsafe YAMLError(.malformed, at: place(parser.pointee.problem_mark), message)
        }
    }
}
