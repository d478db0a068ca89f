import Basics
import RecordReading

/// Reading of CSV, TSV and JSON Lines: records mean the same however their bytes arrive.
///
/// The first byte says the format, and how many bytes arrive at a time.
struct RecordsTarget: FuzzTarget {
    private static let columns = ["a", "b"]
    /// Short enough for small inputs to exceed it.
    private static let maximumRecordBytes = 64

    func seeds() -> [[UInt8]] {
        [
            (1, "a,b\n1,2\n\"x \"\"y\"\"\nz\",é\n"), (2, "a\tb\r\n1\t\\N\r\n\t\r\n"), (0, "a;b;c\n1;2;3\n"),
            (0, "a|b\n1|2\n"), (3, "{\"a\":\"x\",\"b\":[\"y\",\"z\"]}\n{\"a\":1.5,\"b\":null}\n"),
            (0, "\u{FEFF}B,A\n\"1\",\"2\n"),
        ].map { [$0.0] + Array($0.1.utf8) }
    }

    func take(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        // In a quarter of the inputs the bit that is left says that there are escapes.
        let format = [nil, RecordFormat.csv, first & 4 == 0 ? .tsv : .mysql, .jsonLines][Int(first & 3)]
        let file = Array(bytes.dropFirst())
        let whole = outcome(of: file, format, chunk: 1 << 20)
        let chunk = 1 + Int(first >> 4)
        let pieces = outcome(of: file, format, chunk: chunk)
        try require(pieces == whole, "in pieces of \(chunk): \(pieces), at once: \(whole)")
    }

    /// What is read, line by line, and how it ends.
    private func outcome(of bytes: [UInt8], _ format: RecordFormat?, chunk: Int) -> [String] {
        var rest = bytes[...]
        var found: [String] = []
        do throws(Failure) {
            var reader = unsafe try RecordReader(
                DialectChoice(format: format), columns: Self.columns.map { RecordColumn($0, isRequired: false) },
                source: "fuzz",
                maximumRecordBytes: Self.maximumRecordBytes
            ) { memory in
                let piece = rest.prefix(min(chunk, memory.count))
                unsafe memory.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
            while true {
                switch try reader.next() {
                case .record:
                    let fields = Self.columns.indices.map { reader.isPresent($0) ? reader.text($0) : "absent" }
                    found.append("\(reader.line): \(fields)")
                case .rejected(let rejected): found.append("\(rejected.line): \(rejected.reason) \(rejected.excerpt)")
                case .end: return found
                }
            }
        } catch {
            found.append("\(error)")
            return found
        }
    }
}
