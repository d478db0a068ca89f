import FoundationEssentials
import Glibc

/// A file that holds one secret, so that it stands neither in a configuration nor on a command line.
struct SecretFile {
    /// The longest secret, in bytes, inclusive.
    private static let limitBytes = 4096

    private let path: String

    init(_ path: String) { self.path = path }

    /// The secret, without the line feed behind it.
    ///
    /// - Throws: `Failure` if the file cannot be read, is empty or too long, or everybody can read it.
    func read() throws(Failure) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
            throw Failure(Failure.general, "\(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard status.st_mode & S_IRWXO == 0 else {
            throw Failure(
                Failure.badData, "\(path) can be read by everybody: run chmod 600 on it, and change the secret")
        }
        var bytes = [UInt8](repeating: 0, count: Self.limitBytes + 1)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard (1...Self.limitBytes).contains(count) else {
            throw Failure(Failure.badData, "\(path) must hold a secret of 1 to \(Self.limitBytes) bytes")
        }
        let secret = String(decoding: bytes.prefix(count), as: UTF8.self)
        return String(secret.hasSuffix("\n") ? secret.dropLast() : secret[...])
    }
}
