import CXXHash

extension [UInt8] {
    /// Appends a number, its lowest byte first, as all binary files have it.
    @inlinable @inline(__always)
    package mutating func append(littleEndian number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

/// Writes numbers, texts and lists one after another.
///
/// Numbers are little-endian, and texts are UTF-8. A length precedes each text, and a count each list (32 bits). Its
/// functions are always inlined: without that, other modules call them by tables, which takes ten times as long.
package struct ByteWriter {
    package var bytes: [UInt8] = []

    /// - Parameter capacity: the number of bytes to reserve memory for.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    @inlinable @inline(__always)
    package mutating func append(_ number: some FixedWidthInteger) { bytes.append(littleEndian: number) }

    @inlinable @inline(__always)
    package mutating func append(_ text: String) { append(text: text.utf8) }

    @inlinable @inline(__always)
    package mutating func append(text: some Collection<UInt8>) {
        append(UInt32(text.count))
        bytes.append(contentsOf: text)
    }

    @inlinable @inline(__always)
    package mutating func append<Element>(_ list: [Element], _ write: (inout ByteWriter, Element) -> Void) {
        append(UInt32(list.count))
        for element in list { write(&self, element) }
    }
}

/// Reads what a `ByteWriter` wrote from bytes that may be damaged.
package struct ByteReader {
    package enum Failure: Error {
        /// The bytes end too early, or are no text.
        case damaged
    }

    @usableFromInline let bytes: [UInt8]
    @usableFromInline var position: Int

    /// - Parameter position: the index of the first byte that is read.
    package init(_ bytes: [UInt8], at position: Int = 0) { (self.bytes, self.position) = (bytes, position) }

    package var isAtEnd: Bool { position == bytes.count }

    @inlinable
    package mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws(Failure) -> Number {
        let size = Number.bitWidth / 8
        guard bytes.count - position >= size else { throw .damaged }
        var number: Number = 0
        for offset in 0..<size { number |= Number(truncatingIfNeeded: bytes[position + offset]) << (8 * offset) }
        position += size
        return number
    }

    /// Reads numbers without their count.
    @inlinable
    package mutating func integers<Number: FixedWidthInteger>(
        _ count: Int, _ type: Number.Type
    ) throws(Failure) -> [Number] {
        guard count >= 0, count <= (bytes.count - position) / (Number.bitWidth / 8) else { throw .damaged }
        var numbers: [Number] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count { numbers.append(try integer(type)) }
        return numbers
    }

    package mutating func text() throws(Failure) -> String { String(decoding: try textBytes(), as: UTF8.self) }

    /// Reads the bytes of a text, which must be UTF-8.
    package mutating func textBytes() throws(Failure) -> ArraySlice<UInt8> {
        let count = Int(try integer(UInt32.self))
        guard bytes.count - position >= count else { throw .damaged }
        let range = position..<position + count
        do { _ = try UTF8Span(validating: bytes.span.extracting(range)) } catch { throw .damaged }
        position = range.upperBound
        return bytes[range]
    }

    /// Reads the number of elements of a list.
    @inlinable
    package mutating func count() throws(Failure) -> Int {
        let count = Int(try integer(UInt32.self))
        // Each element has at least one byte, so a damaged count cannot reserve much memory.
        guard count <= bytes.count - position else { throw .damaged }
        return count
    }

    @inlinable
    package mutating func list<Element>(
        _ read: (inout ByteReader) throws(Failure) -> Element
    ) throws(Failure) -> [Element] {
        let count = try count()
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }
}

/// The checksum XXH3, 64 bits, which reveals damage of files, of changes and of sessions' lists.
///
/// It runs at the speed of memory, so everything is verified each time it is written or opened. It does not protect
/// against forged versions.
package enum Checksum {
    package static func number(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe XXH3_64bits(bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of bytes as 16 hexadecimal digits, as in a manifest.
    package static func text(of bytes: UnsafeRawBufferPointer) -> String { text(ofNumber: unsafe number(of: bytes)) }

    /// Returns a number as 16 hexadecimal digits, as in a manifest.
    package static func text(ofNumber number: UInt64) -> String {
        padded(number, to: 16, radix: 16)
    }

    /// Returns the checksum of an array's bytes, as a number.
    package static func number(of bytes: [UInt8]) -> UInt64 { unsafe bytes.withUnsafeBytes { unsafe number(of: $0) } }

    /// Returns the checksum of an array's bytes as 16 hexadecimal digits, as in a manifest.
    package static func text(of bytes: [UInt8]) -> String { unsafe bytes.withUnsafeBytes { unsafe text(of: $0) } }
}
