import Glibc

/// Reads configuration in YAML.
///
/// Only what a configuration needs is accepted: one document of mappings, lists and scalars. Anchors, aliases and tags
/// are refused, and so is a key that stands twice in a mapping: whoever wrote it meant something that would not happen.
public enum YAMLFile {
    /// The longest file, in bytes, inclusive.
    public static let maximumByteCount = 1 << 20
    /// How many mappings and lists may contain each other, inclusive.
    public static let maximumDepth = 32

    /// Reads a file.
    ///
    /// - Returns: its value; an empty node (`isNull`) if the file holds nothing but comments.
    /// - Throws: `YAMLError` with the place of the first mistake.
    public static func read(_ path: String) throws(YAMLError) -> YAMLNode {
        try parse(try bytes(of: path), file: path)
    }

    /// Reads bytes in UTF-8; `file` names them in places.
    public static func parse(_ bytes: [UInt8], file: String) throws(YAMLError) -> YAMLNode {
        guard bytes.count <= maximumByteCount else {
            throw YAMLError(
                .tooLarge, at: YAMLPlace(file: file, line: 1, column: 1),
                "the file is longer than \(maximumByteCount) bytes")
        }
        var reader = try TreeReader(bytes, file: file)
        return try reader.document()
    }

    private static func bytes(of path: String) throws(YAMLError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe Glibc.read(descriptor, room.baseAddress.map { unsafe $0 + count }, room.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw unreadable(path) }
            if got == 0 { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    private static func unreadable(_ path: String) -> YAMLError {
        YAMLError(.unreadable, at: nil, "the file \(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
    }
}
