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
