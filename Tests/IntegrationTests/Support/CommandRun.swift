import Foundation
import Testing

/// How a command ended and what it wrote.
struct CommandRun: CustomTestStringConvertible {
    /// How a process ends.
    enum Ending: Equatable {
        /// By itself.
        case exited(code: Int32)
        /// By a signal that it did not handle.
        case killed(signal: Int32)
    }

    /// The exit codes that the program promises: 0, 1 and those of sysexits.h.
    enum ExitCode {
        static let success: Int32 = 0
        static let general: Int32 = 1
        static let usage: Int32 = 64
        static let badData: Int32 = 65
        static let tryLater: Int32 = 75
    }

    let arguments: [String]
    let ending: Ending
    let output: Data
    let errors: String

    /// The exit code; nil if a signal ended the command.
    var exitCode: Int32? {
        if case .exited(let code) = ending { code } else { nil }
    }

    /// Standard output as text.
    var text: String { String(decoding: output, as: UTF8.self) }

    /// The lines of standard output.
    var lines: [Substring] { text.split(separator: "\n") }

    /// Standard output, which `--json` makes a JSON document.
    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: output)
        } catch {
            Issue.record("\(testDescription) did not write JSON of \(type): \(error)")
            throw error
        }
    }

    var testDescription: String {
        "coterie \(arguments.joined(separator: " ")) (\(ending)): \(text.prefix(400))\(errors.prefix(800))"
    }
}
