package import Foundation

/// Ends a child process at most a second after the tests, even if they are killed.
package enum ChildWatch {
    /// Starts a shell that looks once a second whether the process of the tests is still there, and kills the child
    /// when it is not; it ends with the child.
    package static func begin(_ child: Process) throws {
        let watcher = Process()
        watcher.executableURL = URL(fileURLWithPath: "/bin/sh")
        watcher.arguments = [
            "-c", "while kill -0 $0 && kill -0 $1; do sleep 1; done 2>/dev/null; kill -9 $1 2>/dev/null", "\(getpid())",
            "\(child.processIdentifier)",
        ]
        watcher.standardInput = FileHandle.nullDevice
        try watcher.run()
    }
}
