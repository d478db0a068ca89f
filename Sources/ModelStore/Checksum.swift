import CXXHash

/// XXH3, 64 bits: the checksums of sections in manifests and of sessions' lists, which reveal damage.
///
/// It runs at the speed of memory, so everything is checked each time it is written or opened. It does not protect
/// against forged versions.
public enum Checksum {
    /// The checksum of bytes, as a number.
    static func number(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        unsafe XXH3_64bits(bytes.baseAddress, bytes.count)
    }

    /// The checksum of bytes, as a manifest writes it: 16 hexadecimal digits.
    static func text(of bytes: UnsafeRawBufferPointer) -> String { text(ofNumber: unsafe number(of: bytes)) }

    /// A number as a manifest writes it.
    static func text(ofNumber number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The checksum of an array's bytes, as a number.
    public static func number(of bytes: [UInt8]) -> UInt64 { unsafe bytes.withUnsafeBytes { unsafe number(of: $0) } }

    /// The checksum of an array's bytes, as a manifest writes it.
    public static func text(of bytes: [UInt8]) -> String { unsafe bytes.withUnsafeBytes { unsafe text(of: $0) } }
}
