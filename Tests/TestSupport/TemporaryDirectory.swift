import Foundation

/// A directory that exists as long as this value.
package final class TemporaryDirectory: Sendable {
    /// Its path.
    package let path: String

    /// Makes a directory of a new name.
    package init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("coterie-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
