import CZlib
import TestSupport
import Testing

@testable import Basics

@Suite("Gzip")
struct GzipCompressorTests {
    /// Decompresses gzip data with zlib itself; nil if it is invalid or incomplete.
    private func inflated(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { unsafe inflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: limit)
        let (outcome, rest) = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                return unsafe (inflate(&stream, Z_FINISH), Int(stream.avail_out))
            }
        }
        return outcome == Z_STREAM_END ? Array(output.prefix(limit - rest)) : nil
    }

    @Test("Compressed data decompresses to the same bytes, several times", arguments: [1, 6, 9])
    func roundTrip(level: Int) throws {
        let compressor = try #require(GzipCompressor(level: level))
        var generator = SeededGenerator(seed: 3)
        for count in [60, 1000, 70_000, 1_000_000] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 97...104, using: &generator) }
            let compressed = try #require(compressor.compressed(bytes))
            #expect(compressed.count < bytes.count)
            #expect(inflated(compressed, limit: count + 1) == bytes)
        }
    }

    @Test("Data that would not become shorter is not compressed", arguments: [0, 1, 10, 5000])
    func incompressible(count: Int) throws {
        let compressor = try #require(GzipCompressor(level: 6))
        var generator = SeededGenerator(seed: 4)
        #expect(compressor.compressed((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }) == nil)
        // The next piece is compressed as usual.
        let bytes = [UInt8](repeating: 7, count: 300)
        #expect(try inflated(#require(compressor.compressed(bytes)), limit: 301) == bytes)
    }
}
