import CZlib

/// Compresses one piece of data after another; its memory, about a quarter of a MiB, is taken once.
///
/// Not for two threads at a time.
@safe
public final class GzipCompressor {
    // On the heap: zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// A compressor.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    /// - Returns: nil if there is no memory.
    public init?(level: Int) {
        precondition((1...9).contains(level), "\(level) is no level of compression")
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

    /// The bytes as a gzip file (RFC 1952); nil if that would not be shorter.
    public func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= Int(UInt32.max), unsafe deflateReset(stream) == Z_OK else { return nil }
        let limit = bytes.count
        let output = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                // zlib only reads the input; its interface has no word for that.
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
