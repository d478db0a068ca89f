import Glibc

/// System calls on file descriptors, which are repeated if a signal interrupts them.
package enum Descriptor {
    /// Repeats a system call that a signal interrupted.
    package static func retrying<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    /// Reads at most as many bytes as the buffer has room for.
    ///
    /// - Returns: the number of bytes, 0 at the end of the file, or -1 if reading failed, with the reason in `errno`.
    package static func read(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        retrying { unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Writes all bytes to a file or a pipe.
    ///
    /// - Returns: whether all were written; if not, `errno` has the reason.
    package static func write(_ bytes: some Collection<UInt8>, to descriptor: CInt) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { bytes in
                retrying { unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
            }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
