import Basics
import Testing

@Suite("The layout of binary files")
struct ByteLayoutTests {
    private static var written: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.append(UInt8(7))
        writer.append(Int64(-2))
        writer.append("é")
        writer.append([UInt16(1), 0x0203]) { $0.append($1) }
        return writer.bytes
    }

    @Test("Numbers have their lowest byte first, and counts come before texts and lists")
    func bytes() {
        let number: [UInt8] = [0xFE] + [UInt8](repeating: 0xFF, count: 7)
        #expect(Self.written == [7] + number + [2, 0, 0, 0, 0xC3, 0xA9, 2, 0, 0, 0, 1, 0, 3, 2])
        var bytes: [UInt8] = [9]
        bytes.append(littleEndian: 0x0102_0304 as UInt32)
        #expect(bytes == [9, 4, 3, 2, 1])
    }

    private static func read(_ bytes: [UInt8]) throws(ByteReader.Failure) -> (UInt8, Int64, String, [UInt16], Bool) {
        var reader = ByteReader(bytes)
        let (byte, number) = (try reader.integer(UInt8.self), try reader.integer(Int64.self))
        let text = try reader.text()
        let list = try reader.list { reader throws(ByteReader.Failure) in try reader.integer(UInt16.self) }
        return (byte, number, text, list, reader.isAtEnd)
    }

    @Test("What was written is read, and bytes that end too early are damaged")
    func reading() throws {
        let read = try Self.read(Self.written)
        #expect(read == (7, -2, "é", [1, 0x0203], true))
        for count in 0..<Self.written.count {
            #expect(throws: ByteReader.Failure.damaged) { try Self.read(Array(Self.written.prefix(count))) }
        }
    }

    @Test("Wrong counts reserve no memory, and other bytes are no text")
    func damage() throws {
        let many = [UInt8](repeating: 0xFF, count: 16)
        var reader = ByteReader(many)
        #expect(throws: ByteReader.Failure.damaged) { try reader.count() }
        reader = ByteReader([1, 0, 0, 0, 0xC3])
        #expect(throws: ByteReader.Failure.damaged) { try reader.text() }
        reader = ByteReader([0, 1, 0, 2, 0], at: 1)
        for count in [-1, 3, Int.max] {
            #expect(throws: ByteReader.Failure.damaged) { try reader.integers(count, UInt16.self) }
        }
        let numbers = try reader.integers(2, UInt16.self)
        #expect(numbers == [1, 2] && reader.isAtEnd)
    }
}
