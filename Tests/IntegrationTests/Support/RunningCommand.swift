import Foundation

/// A command that runs.
///
/// Its output goes to files, because full pipes would stop it.
final class RunningCommand {
    /// A command that runs longer is killed, so that its test fails.
    private static let patience = DispatchTimeInterval.seconds(240)

    let process = Process()
    private let arguments: [String]
    private let outputPath: String
    private let errorPath: String
    /// Ends with the process.
    private let life: AsyncStream<Never>

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - program: the path of an executable file.
    ///   - input: a file that becomes standard input; nothing if nil.
    ///   - folder: where its output is kept, and its working directory.
    init(_ program: String, _ arguments: [String], environment: [String: String], input: String?, in folder: String)
        throws
    {
        let (life, end) = AsyncStream.makeStream(of: Never.self)
        self.life = life
        self.arguments = arguments
        let name = UUID().uuidString
        outputPath = "\(folder)/\(name).out"
        errorPath = "\(folder)/\(name).err"
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput =
            try input.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? FileHandle.nullDevice
        process.standardOutput = try Self.file(outputPath)
        process.standardError = try Self.file(errorPath)
        process.terminationHandler = { _ in end.finish() }
        try Self.withoutBlockedSignals { try process.run() }
    }

    /// Threads of tests may block most signals, and a child is born with the mask of its parent's thread.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    var isRunning: Bool { process.isRunning }

    /// What it has written to standard error so far.
    var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

    /// Sends a signal, unless the command has ended already: its number may be another process's by now.
    func send(_ signal: Int32) {
        if isRunning { kill(process.processIdentifier, signal) }
    }

    /// Waits for the end, while other tests run.
    func wait() async -> CommandRun {
        let hung = DispatchWorkItem { [identifier = process.processIdentifier] in kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: hung)
        for await _ in life {}
        process.waitUntilExit()
        hung.cancel()
        let output = (try? Data(contentsOf: URL(fileURLWithPath: outputPath))) ?? Data()
        return CommandRun(
            arguments: arguments,
            ending: process.terminationReason == .exit
                ? .exited(code: process.terminationStatus) : .killed(signal: process.terminationStatus),
            output: output, errors: errors)
    }
}
