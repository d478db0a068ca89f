import RecordReading

/// What came of reading: records with all fields, and what was rejected.
enum Outcome: Equatable, CustomStringConvertible {
    case record(line: Int, fields: [String?])
    case rejected(line: Int, reason: RejectionReason, excerpt: String)

    var description: String {
        switch self {
        case .record(let line, let fields): "record \(line) \(fields)"
        case .rejected(let line, let reason, let excerpt): "rejected \(line) \(reason) \(excerpt.debugDescription)"
        }
    }

    static func record(_ line: Int, _ fields: String?...) -> Outcome { .record(line: line, fields: fields) }
    static func rejected(_ line: Int, _ reason: RejectionReason, _ excerpt: String) -> Outcome {
        .rejected(line: line, reason: reason, excerpt: excerpt)
    }
}

/// A source that hands out bytes in chunks of at most `chunk`.
final class ByteSource {
    let bytes: [UInt8]
    let chunk: Int
    var offset = 0

    init(_ bytes: [UInt8], chunk: Int) {
        self.bytes = bytes
        self.chunk = chunk
    }

    func read(_ memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(chunk, memory.count, bytes.count - offset)
        unsafe memory.copyBytes(from: bytes[offset..<offset + count])
        offset += count
        return count
    }
}

func makeReader(
    _ bytes: [UInt8], _ format: RecordFormat?, columns: [String] = ["a", "b"], required: Bool = true,
    limit: Int = 1 << 20,
    chunk: Int = 4096
) throws(RecordError) -> RecordReader {
    let source = ByteSource(bytes, chunk: chunk)
    return unsafe try RecordReader(
        format: format, columns: columns.map { RecordColumn($0, isRequired: required) }, source: "test",
        maximumRecordBytes: limit, read: source.read)
}

/// Reads everything.
func outcomes(
    _ text: String, _ format: RecordFormat?, columns: [String] = ["a", "b"], required: Bool = true,
    limit: Int = 1 << 20,
    chunk: Int = 4096
) throws(RecordError) -> [Outcome] {
    try outcomes(Array(text.utf8), format, columns: columns, required: required, limit: limit, chunk: chunk)
}

/// Reads everything.
func outcomes(
    _ bytes: [UInt8], _ format: RecordFormat?, columns: [String] = ["a", "b"], required: Bool = true,
    limit: Int = 1 << 20,
    chunk: Int = 4096
) throws(RecordError) -> [Outcome] {
    var reader = try makeReader(
        bytes, format, columns: columns, required: required, limit: limit, chunk: chunk)
    var result: [Outcome] = []
    while true {
        switch try reader.next() {
        case .record:
            var fields: [String?] = []
            for column in columns.indices { fields.append(reader.isPresent(column) ? reader.text(column) : nil) }
            result.append(.record(line: reader.line, fields: fields))
        case .rejected(let rejected):
            result.append(.rejected(line: rejected.line, reason: rejected.reason, excerpt: rejected.excerpt))
        case .end: return result
        }
    }
}
