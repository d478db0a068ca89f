import Basics
import TestSupport
import Testing

@Suite("Unpacking gzip")
struct GzipDecompressorTests {
    /// Unpacks in pieces of a size, with as much room; nil if it is cut off.
    private func unpacked(_ bytes: [UInt8], pieces: Int) throws -> [UInt8]? {
        let unpacker = try #require(GzipDecompressor())
        var (rest, result, isAtEnd) = (bytes[...], [UInt8](), false)
        var room = [UInt8](repeating: 0, count: pieces)
        while true {
            let progress = try unsafe room.withUnsafeMutableBytes {
                try unsafe unpacker.unpack(rest.prefix(pieces), into: $0)
            }
            result += room.prefix(progress.produced)
            rest = rest.dropFirst(progress.consumed)
            isAtEnd = progress.isAtEndOfMember || (isAtEnd && progress.consumed == 0)
            if rest.isEmpty, progress.produced == 0 { return isAtEnd ? result : nil }
        }
    }

    private func packed(_ bytes: [UInt8]) throws -> [UInt8] {
        let compressor = try #require(GzipCompressor(level: 6))
        return try #require(compressor.compressed(bytes))
    }

    @Test("What was compressed comes back, in pieces of any size", arguments: [1, 7, 100, 1 << 16])
    func pieces(size: Int) throws {
        var random = SeededGenerator(seed: 3)
        let bytes = (0..<20_000).map { _ in UInt8.random(in: 97...104, using: &random) }
        #expect(try unpacked(packed(bytes), pieces: size) == bytes)
        let text = Array(String(repeating: "two members ", count: 20).utf8)
        #expect(try unpacked(packed(bytes) + packed(text), pieces: size) == bytes + text)
    }

    @Test("A stream that is cut off does not end at the end of a member, and a changed one is damaged")
    func broken() throws {
        let bytes = Array(String(repeating: "groups and members ", count: 50).utf8)
        let stream = try packed(bytes)
        for count in stride(from: 1, to: stream.count, by: 7) {
            #expect(try unpacked(Array(stream.prefix(count)), pieces: 50) == nil)
        }
        var changed = stream
        changed[stream.count - 6] ^= 1
        #expect(throws: GzipDecompressor.Failure.damaged) { try unpacked(changed, pieces: 1000) }
        #expect(throws: GzipDecompressor.Failure.damaged) { try unpacked(Array("plain".utf8), pieces: 10) }
        #expect(GzipDecompressor.isGzip(stream) && !GzipDecompressor.isGzip(bytes) && !GzipDecompressor.isGzip([0x1F]))
    }

    @Test("A cut or changed member does not harm the next one")
    func membersBehindDamage() throws {
        let bytes = Array(String(repeating: "groups and members ", count: 50).utf8)
        let stream = try packed(bytes)
        let decompressor = try #require(GzipDecompressor())
        for count in stride(from: 1, to: stream.count, by: 3) {
            var cut = stream.prefix(count)
            #expect(decompressor.member(of: &cut) == nil && cut.count == count)
            var changed = stream
            changed[count] ^= 0x55
            var rest = changed[...]
            // Some bytes of the header mean nothing.
            if let member = decompressor.member(of: &rest) { #expect(member == bytes && count < 10) }
            var whole = stream[...]
            #expect(decompressor.member(of: &whole) == bytes && whole.isEmpty)
        }
    }
}
