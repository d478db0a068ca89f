/// Collects the bytes of lines and hands them on in chunks.
struct LineBuffer {
    /// A chunk is handed on once it has this many bytes.
    static let chunkBytes = 1 << 18

    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(Self.chunkBytes + 4096) }

    /// Whether it is time to hand the bytes on.
    var isFull: Bool { bytes.count >= Self.chunkBytes }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ field: ArraySlice<UInt8>) { bytes.append(contentsOf: field) }

    mutating func append(_ field: [UInt8]) { bytes.append(contentsOf: field) }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func appendTab() { bytes.append(UInt8(ascii: "\t")) }

    mutating func appendSemicolon() { bytes.append(UInt8(ascii: ";")) }

    mutating func appendNewline() { bytes.append(UInt8(ascii: "\n")) }

    /// Writes a number, 0 or more, in decimal digits.
    mutating func append(_ number: Int) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // The digits came out from the last to the first.
        bytes[start...].reverse()
    }

    /// Writes degrees with five decimals (about a metre), given in units of 0.00001 degree.
    mutating func append(hundredThousandths degrees: Int) {
        if degrees < 0 { bytes.append(UInt8(ascii: "-")) }
        let magnitude = degrees.magnitude
        append(Int(magnitude / 100_000))
        bytes.append(UInt8(ascii: "."))
        let decimals = Int(magnitude % 100_000)
        for divisor in [10_000, 1000, 100, 10, 1] {
            bytes.append(UInt8(ascii: "0") + UInt8(decimals / divisor % 10))
        }
    }

    /// Writes THH:MM:SSZ for a second of the day.
    mutating func append(time second: Int) {
        bytes.append(UInt8(ascii: "T"))
        appendTwoDigits(second / 3600)
        bytes.append(UInt8(ascii: ":"))
        appendTwoDigits(second / 60 % 60)
        bytes.append(UInt8(ascii: ":"))
        appendTwoDigits(second % 60)
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func appendTwoDigits(_ number: Int) {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
