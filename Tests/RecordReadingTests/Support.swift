import Basics
import RecordReading

/// The outcome of reading one record: its fields, or its rejection.
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

extension Outcome {
    /// The line where the record begins.
    var line: Int {
        switch self {
        case .record(let line, _), .rejected(let line, _, _): line
        }
    }

    /// The number of lines of the record; 1 for a rejected one.
    var linesCovered: Int {
        guard case .record(_, let fields) = self else { return 1 }
        return 1 + fields.reduce(0) { sum, field in sum + (field ?? "").utf8.count { $0 == UInt8(ascii: "\n") } }
    }
}

/// SplitMix64, a generator of the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A source that hands out bytes in chunks of at most `chunk`.
final class ByteSource {
    let bytes: [UInt8]
    let chunk: Int
    var offset = 0
    /// The largest number of bytes that were requested at once.
    var largestRequest = 0

    init(_ bytes: [UInt8], chunk: Int) {
        self.bytes = bytes
        self.chunk = chunk
    }

    func read(_ memory: UnsafeMutableRawBufferPointer) -> Int {
        largestRequest = max(largestRequest, memory.count)
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
) throws(Failure) -> RecordReader {
    let source = ByteSource(bytes, chunk: chunk)
    return unsafe try RecordReader(
        DialectChoice(format: format), columns: columns.map { RecordColumn($0, isRequired: required, isList: true) },
        source: "test",
        maximumRecordBytes: limit, read: source.read)
}

/// Returns the outcomes of reading a whole text.
func outcomes(
    _ text: String, _ format: RecordFormat?, columns: [String] = ["a", "b"], required: Bool = true,
    limit: Int = 1 << 20,
    chunk: Int = 4096
) throws(Failure) -> [Outcome] {
    try outcomes(Array(text.utf8), format, columns: columns, required: required, limit: limit, chunk: chunk)
}

/// Returns the outcomes of reading all bytes.
func outcomes(
    _ bytes: [UInt8], _ format: RecordFormat?, columns: [String] = ["a", "b"], required: Bool = true,
    limit: Int = 1 << 20,
    chunk: Int = 4096
) throws(Failure) -> [Outcome] {
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
