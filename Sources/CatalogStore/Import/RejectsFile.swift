import Glibc
import RecordReading

/// The file of rejected lines: tab-separated, created at the first one, readable for its owner only.
///
/// Columns: source, line (from 1, where the record begins), reason, and the beginning of the record.
final class RejectsFile {
    private let path: String
    private var descriptor: Int32 = -1
    private(set) var count = 0

    init(path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func add(source: String, line: Int, reason: String, excerpt: String) throws(CatalogError) {
        if descriptor < 0 {
            descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure() }
            try write("source\tline\treason\trecord\n")
        }
        try write("\(Self.flat(source))\t\(line)\t\(Self.flat(reason))\t\(Self.flat(excerpt))\n")
        count += 1
    }

    private static func flat(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
    }

    private func write(_ text: String) throws(CatalogError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw failure() }
            rest = rest.dropFirst(written)
        }
    }

    private func failure() -> CatalogError {
        CatalogError(
            .fileFailed,
            "cannot write rejected lines to \(path): \(unsafe String(cString: strerror(errno))); name another file with --rejects"
        )
    }
}
