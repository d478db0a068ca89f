/// Collects lines of tab-separated fields, which are written in chunks.
struct LineBuffer {
    /// A chunk is written once it has this many bytes.
    static let chunkBytes = 1 << 18

    private(set) var bytes: [UInt8] = []
    /// The number of lines so far, written ones included.
    private(set) var lineCount = 0

    init() { bytes.reserveCapacity(Self.chunkBytes + 4096) }

    /// Whether the chunk is large enough to be written.
    var isFull: Bool { bytes.count >= Self.chunkBytes }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func appendTab() { bytes.append(UInt8(ascii: "\t")) }

    /// Ends the line: the tab after its last field becomes a line feed.
    mutating func endLine() {
        bytes[bytes.count - 1] = UInt8(ascii: "\n")
        lineCount += 1
    }

    /// Appends a field and the tab after it.
    mutating func appendField(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        appendTab()
    }

    /// Appends a field and the tab after it.
    mutating func appendField(_ field: [UInt8]) {
        append(field[...])
        appendTab()
    }

    /// Appends a number as a field and the tab after it.
    mutating func appendField(_ number: Int) {
        append(number)
        appendTab()
    }

    /// Appends an instant as a field and the tab after it.
    mutating func appendField(_ instant: Int, _ timeline: Timeline) {
        timeline.append(instant, to: &self)
        appendTab()
    }

    mutating func append(_ text: ArraySlice<UInt8>) { bytes.append(contentsOf: text) }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends degrees with five decimals (about a metre), given in units of 0.00001 degree.
    mutating func append(hundredThousandths degrees: Int) {
        if degrees < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, decimals) = Int(degrees.magnitude).quotientAndRemainder(dividingBy: 100_000)
        append(whole)
        // The digit in front keeps the zeros, and gives way to the point.
        let point = bytes.count
        append(100_000 + decimals)
        bytes[point] = UInt8(ascii: ".")
    }

    /// Appends THH:MM:SSZ for a second of the day.
    mutating func append(time second: Int) {
        append("T", twoDigits: second / 3600)
        append(":", twoDigits: second / 60 % 60)
        append(":", twoDigits: second % 60)
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func append(_ mark: Unicode.Scalar, twoDigits number: Int) {
        bytes.append(UInt8(ascii: mark))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
