import Basics
import Foundation
import Glibc
import Redis

/// A program that runs beside the benchmark on one processor, and ends with it at the latest.
final class Child {
    private let process: Process
    /// The path of the file that receives the program's standard error.
    private let log: String

    /// Starts a program.
    ///
    /// - Parameter processor: the number of the processor on which it runs.
    init(_ words: [String], processor: Int, folder: String) throws {
        log = folder + "/\((words[0] as NSString).lastPathComponent).log"
        process = try Self.process(words, processor: processor)
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    deinit { stop() }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - processor: the number of the processor on which it runs.
    ///   - isQuiet: whether its standard error is discarded.
    /// - Returns: the text of its standard output.
    static func output(of words: [String], processor: Int, isQuiet: Bool = false) throws -> String {
        let process = try process(words, processor: processor)
        if isQuiet { process.standardError = FileHandle.nullDevice }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(.badData, "\(words[0]) failed: \(text)") }
        return text
    }

    /// Returns the path of a program.
    ///
    /// - Parameter package: the Debian package of the program, for the error message.
    static func path(of program: String, package: String) throws -> String {
        let paths = ["/usr/bin/", "/usr/sbin/", "/bin/", "/usr/local/bin/", "/usr/local/sbin/"].map { $0 + program }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
            throw Failure(.badData, "\(program) is not installed: apt-get install \(package)")
        }
        return path
    }

    private static func process(_ words: [String], processor: Int) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try path(of: "taskset", package: "util-linux"))
        // `taskset` and `setpriv` replace themselves by the next program, and the process id stays the same. The signal
        // ends the program if the benchmark is killed.
        process.arguments =
            ["-c", "\(processor)", try path(of: "setpriv", package: "util-linux"), "--pdeathsig", "KILL"] + words
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Starts a Redis server, and waits until it answers.
    ///
    /// - Parameters:
    ///   - words: the options that say where it listens.
    ///   - keepsChanges: whether it writes each change to its folder, and has all of them after a restart.
    static func redis(
        _ words: [String], at address: RedisAddress, folder: String, keepsChanges: Bool = false
    ) throws -> Child {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let program = try path(of: "redis-server", package: "redis-server")
        let storing = ["--save", "", "--appendonly", keepsChanges ? "yes" : "no", "--dir", folder]
        let server = try Child(
            [program] + words + storing, processor: ServersUnderTest.serverProcessor, folder: folder)
        try server.wait { () -> Void? in
            guard var connection = try? RedisConnection(to: address) else { return nil }
            // Redis answers with an error while it loads its data.
            return (try? connection.command("DBSIZE")) == nil ? nil : ()
        }
        return server
    }

    /// Calls `answer` until it returns a value, for about ten seconds at most.
    func wait<Answer>(for answer: () throws -> Answer?) throws -> Answer {
        for _ in 0..<2000 {
            if let answer = try answer() { return answer }
            guard process.isRunning else { break }
            usleep(5000)
        }
        throw Failure(.badData, "\(process.arguments ?? []) did not start: \(errors)")
    }

    /// The text of its standard error so far.
    var errors: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// The processor time of all its threads so far, in seconds.
    var processorSeconds: Double {
        var clock = clockid_t()
        guard unsafe clock_getcpuclockid(process.processIdentifier, &clock) == 0 else { return .nan }
        return Double(SystemClock.nanoseconds(clock)) / 1e9
    }

    /// Returns its anonymous memory in bytes, which does not include mapped versions.
    func anonymousBytes() throws -> Int {
        let path = "/proc/\(process.processIdentifier)/smaps_rollup"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let words = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Anonymous:") }?.split(separator: " ")
        guard let words, words.count == 3, let kibibytes = Int(words[1]) else {
            throw Failure(.badData, "\(path) does not tell how much memory is anonymous")
        }
        return kibibytes * 1024
    }

    /// Returns the number of files and sockets that it has open.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Ends the program and waits until it has ended.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
