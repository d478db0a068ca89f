import CZlib

/// A compressor for separate pieces of data, with about 256 KiB of memory that is allocated once.
///
/// Only one thread may use it at a time.
@safe
package final class GzipCompressor {
    // The stream is on the heap, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates a compressor, or nil if there is no memory.
    ///
    /// - Parameter level: the compression level, from 1 (fast) to 9 (small).
    package init?(level: Int) {
        precondition((1...9).contains(level), "\(level) is not a compression level")
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe shim_begin_gzip(stream, Int32(level)) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Returns bytes in the gzip format (RFC 1952), or nil if the result would be longer than the input.
    package func compressed(_ bytes: [UInt8]) -> [UInt8]? { compressed(bytes, toAtMost: bytes.count) }

    /// Returns bytes as a gzip member of any length, or nil if there is no memory.
    package func member(of bytes: [UInt8]) -> [UInt8]? {
        // After a member, zlib's bound would leave out the header until the stream is reset.
        guard unsafe deflateReset(stream) == Z_OK else { return nil }
        return compressed(bytes, toAtMost: unsafe Int(deflateBound(stream, UInt(bytes.count))))
    }

    /// Returns compressed bytes, or nil if the result would be longer than `limit`.
    private func compressed(_ bytes: [UInt8], toAtMost limit: Int) -> [UInt8]? {
        guard max(bytes.count, limit) <= Int(UInt32.max), unsafe deflateReset(stream) == Z_OK else { return nil }
        let output = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                // zlib only reads the input, although its interface requires a mutable pointer.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(limit)
                let isWhole = unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
                count = isWhole ? limit - Int(unsafe stream.pointee.avail_out) : 0
            }
        }
        return output.isEmpty ? nil : output
    }
}

/// A decompressor for streams in the gzip format (RFC 1952), piece by piece; a stream may have several members.
///
/// Only one thread may use it at a time.
@safe
package final class GzipDecompressor {
    /// The reasons why a stream cannot be decompressed.
    package enum Failure: Error, Equatable {
        /// The stream is not gzip, or was changed since it was compressed.
        case damaged
        /// There is no memory.
        case outOfMemory
    }

    /// The result of decompressing a piece.
    package struct Progress: Sendable, Equatable {
        /// The number of input bytes that were used.
        package var consumed: Int
        /// The number of output bytes that were written.
        package var produced: Int
        /// Whether a member ended with the last byte used; the stream may end here or continue with another member.
        package var isAtEndOfMember: Bool
    }

    // The stream is on the heap, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates a decompressor at the beginning of a stream, or nil if there is no memory.
    package init?() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe shim_begin_gunzip(stream) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Whether bytes begin like gzip.
    package static func isGzip(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Decompresses as much of the input as fits into the output.
    ///
    /// The checksum of each member is checked at its end.
    ///
    /// - Throws: `Failure` if the stream is damaged or there is no memory.
    package func unpack(_ input: ArraySlice<UInt8>, into output: UnsafeMutableRawBufferPointer) throws(Failure)
        -> Progress
    {
        let room = min(output.count, Int(UInt32.max))
        let given = min(input.count, Int(UInt32.max))
        let code = unsafe input.withUnsafeBufferPointer { input in
            // zlib only reads the input, although its interface requires a mutable pointer.
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(given)
            unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = UInt32(room)
            return unsafe inflate(stream, Z_NO_FLUSH)
        }
        let progress = unsafe Progress(
            consumed: given - Int(stream.pointee.avail_in), produced: room - Int(stream.pointee.avail_out),
            isAtEndOfMember: code == Z_STREAM_END)
        switch code {
        case Z_OK, Z_BUF_ERROR: return progress
        case Z_STREAM_END:
            unsafe inflateReset(stream)
            return progress
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .damaged
        }
    }

    /// Returns the whole content of the next member of a stream.
    ///
    /// A damaged or cut member that was unpacked before does not matter.
    ///
    /// - Parameters:
    ///   - stream: the stream, at the beginning of a member; a complete member is removed from it.
    ///   - limit: the approximate limit of the decompressed length, in bytes.
    /// - Returns: nil if the member is truncated or damaged, or its content is much longer than the limit.
    package func member(of stream: inout ArraySlice<UInt8>, limit: Int = .max) -> [UInt8]? {
        // What was damaged or cut before must not count as the beginning of this member.
        guard unsafe inflateReset(self.stream) == Z_OK else { return nil }
        var input = stream
        var text: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let progress = try? unsafe portion.withUnsafeMutableBytes { try unsafe unpack(input, into: $0) }
            guard let progress else { return nil }
            input = input.dropFirst(progress.consumed)
            text += portion.prefix(progress.produced)
            if progress.isAtEndOfMember {
                stream = input
                return text
            }
            guard text.count <= limit, progress.produced > 0 || progress.consumed > 0 else { return nil }
        }
    }
}
