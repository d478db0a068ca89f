import CZlib

/// Compresses pieces of data, one at a time, with about 256 KiB of memory that is allocated once.
///
/// Two threads must not use it at the same time.
@safe
public final class GzipCompressor {
    // On the heap, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Makes a compressor.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    /// - Returns: nil if there is no memory.
    public init?(level: Int) {
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

    /// Compresses bytes to the gzip format (RFC 1952); nil if the result would not be shorter.
    public func compressed(_ bytes: [UInt8]) -> [UInt8]? { compressed(bytes, toAtMost: bytes.count) }

    /// Compresses bytes to a member of the gzip format, however long it gets; nil if there is no memory.
    public func member(of bytes: [UInt8]) -> [UInt8]? {
        compressed(bytes, toAtMost: unsafe Int(deflateBound(stream, UInt(bytes.count))))
    }

    /// - Returns: nil if the result would be longer than `limit`.
    private func compressed(_ bytes: [UInt8], toAtMost limit: Int) -> [UInt8]? {
        guard max(bytes.count, limit) <= Int(UInt32.max), unsafe deflateReset(stream) == Z_OK else { return nil }
        let output = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                // zlib only reads the input, though its interface asks for a mutable pointer.
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

/// Unpacks a stream in the gzip format (RFC 1952), which may have several members, piece by piece.
///
/// Two threads must not use it at the same time.
@safe
public final class GzipDecompressor {
    /// Why a stream cannot be unpacked.
    public enum Failure: Error, Equatable {
        /// It is not gzip, or was changed since it was compressed.
        case damaged
        /// There is no memory.
        case outOfMemory
    }

    /// What became of a piece.
    public struct Progress: Sendable, Equatable {
        /// Bytes of the input that were used.
        public var consumed: Int
        /// Bytes of the output that were written.
        public var produced: Int
        /// Whether a member ended with the last byte that was used: the stream may end here, or go on with another
        /// member.
        public var isAtEndOfMember: Bool
    }

    // On the heap, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Makes a decompressor at the beginning of a stream; nil if there is no memory.
    public init?() {
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

    /// Whether bytes begin as gzip does.
    public static func isGzip(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Unpacks as much of the input as fits into the output; checks each member's checksum at its end.
    public func unpack(_ input: ArraySlice<UInt8>, into output: UnsafeMutableRawBufferPointer) throws(Failure)
        -> Progress
    {
        let room = min(output.count, Int(UInt32.max))
        let given = min(input.count, Int(UInt32.max))
        let code = unsafe input.withUnsafeBufferPointer { input in
            // zlib only reads the input, though its interface asks for a mutable pointer.
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

    /// Unpacks the next member of a stream as a whole.
    ///
    /// - Parameters:
    ///   - stream: loses the member if it is whole; the decompressor must be at the beginning of one.
    ///   - limit: about how long its text may be, in bytes.
    /// - Returns: nil if it is cut off or damaged, or its text is much longer.
    public func member(of stream: inout ArraySlice<UInt8>, limit: Int = .max) -> [UInt8]? {
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
