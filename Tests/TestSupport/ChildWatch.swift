package import Foundation

/// Ends a child process at most a second after the tests, even if they are killed.
package enum ChildWatch {
    /// Starts a shell that looks once a second whether the process of the tests is still there, and kills the child
    /// when it is not; it ends with the child.
    ///
    /// A process that was killed and whose parent still reads its output is there, but has no program any more. Child
    /// and watcher must not keep that output open.
    package static func begin(_ child: Process) throws {
        let watcher = Process()
        watcher.executableURL = URL(fileURLWithPath: "/bin/sh")
        watcher.arguments = [
            "-c", "while [ -e /proc/$0/exe ] && kill -0 $1; do sleep 1; done; kill -9 $1", "\(getpid())",
            "\(child.processIdentifier)",
        ]
        watcher.standardInput = FileHandle.nullDevice
        watcher.standardOutput = FileHandle.nullDevice
        watcher.standardError = FileHandle.nullDevice
        try watcher.run()
    }
}
