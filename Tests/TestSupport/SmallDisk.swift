import Foundation

/// A file system of its own in memory, of a fixed size: it really gets full, and really can only be read.
///
/// To mount it takes root.
package final class SmallDisk {
    /// The folder in which it is mounted.
    package let path: String
    private let directory: TemporaryDirectory

    /// Whether one can be made here.
    package static let isAvailable = (try? SmallDisk(kibibytes: 64)) != nil

    /// Mounts one.
    package init(kibibytes: Int) throws {
        directory = try TemporaryDirectory()
        path = directory.path
        try run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path)
    }

    deinit { try? run("umount", "--lazy", path) }

    /// Takes all the room that is left.
    package func fill() throws {
        let path = path + "/ballast"
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        while (try? file.write(contentsOf: Data(count: 4096))) != nil {}
    }

    /// Gives the room back that `fill` took.
    package func makeRoom() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }

    /// Makes it read-only, or writable again; nothing on it may be open for writing.
    package func mount(readOnly: Bool) throws {
        try run("mount", "-o", readOnly ? "remount,ro" : "remount,rw", path)
    }

    private struct Failed: Error {}

    private func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }
}
