import Foundation
import TestSupport

/// Runs the commands of a document as a reader would: in order, in one shell, in a folder of their own.
///
/// `sh` blocks are scripts. `console` blocks are sessions: commands behind `$ `, their continuations behind `> `, and
/// the output that they must have. Ports 8080 and 8081 and `redis://localhost` stand for what is free on this machine.
struct DocumentRun {
    /// A command of a session with its output.
    private struct Step {
        var line: Int
        var command: String
        var output: [String]

        /// The program reports an error in such a line, and by its exit code.
        var mustFail: Bool { output.last?.hasPrefix("coterie: ") ?? false }
    }

    private let workspace: Workspace
    private let ports: [Int]
    private let parts: [(script: String, step: Step?)]

    init(_ document: MarkdownDocument, in workspace: Workspace) throws {
        self.workspace = workspace
        let ports = [try TemporaryRedis.freePort(), try TemporaryRedis.freePort()]
        self.ports = ports
        func adapted(_ text: String) -> String {
            text.replacing(/\b8080\b/, with: "\(ports[0])").replacing(/\b8081\b/, with: "\(ports[1])")
                .replacing("redis://localhost", with: workspace.server?.url ?? "redis://localhost")
        }
        parts = document.blocks.filter(Self.isRun).flatMap { block -> [(script: String, step: Step?)] in
            guard block.language == "console" else {
                return [("at=\(block.line)\n\(adapted(block.lines.joined(separator: "\n")))", nil)]
            }
            return Self.steps(of: block).map { step in
                let files = "outputs/\(step.line)"
                let script = """
                    at=\(step.line) code=0
                    {
                    \(adapted(step.command))
                    } >\(files) 2>&1 || code=$?
                    echo $code >\(files).code
                    """
                return (script, step)
            }
        }
    }

    private static func isRun(_ block: MarkdownDocument.Block) -> Bool {
        ["sh", "console"].contains(block.language) && block.reasonNotToRun == nil
            && block.neededProgram.map { Checkout.tool($0) != nil } ?? true
    }

    private static func steps(of block: MarkdownDocument.Block) -> [Step] {
        var steps: [Step] = []
        for (index, line) in block.lines.enumerated() {
            if line.hasPrefix("$ ") {
                steps.append(Step(line: block.line + index + 1, command: String(line.dropFirst(2)), output: []))
            } else if line.hasPrefix("> "), steps.last?.output.isEmpty ?? false {
                steps[steps.count - 1].command += "\n" + line.dropFirst(2)
            } else if !steps.isEmpty {
                steps[steps.count - 1].output.append(line)
            }
        }
        return steps
    }

    /// Runs everything.
    ///
    /// - Returns: what was not as the document says; empty if all was.
    func problems() async throws -> [String] {
        for folder in ["Data", "Jobs", "Sources"] {
            try FileManager.default.createSymbolicLink(
                atPath: workspace.path(folder), withDestinationPath: "\(Checkout.root)/\(folder)")
        }
        try FileManager.default.createDirectory(
            atPath: workspace.path("outputs"), withIntermediateDirectories: false)
        let script = try workspace.write(Self.prologue + parts.map(\.script).joined(separator: "\n"), to: "script")
        var environment = workspace.environment
        environment["PATH"] = "\(Checkout.programs):\(environment["PATH"] ?? "")"
        environment["COTERIE_PORT"] = "\(ports[0])"
        // As somebody has it who follows a document.
        for name in ["COTERIE_CATALOG", "COTERIE_STORE"] { environment[name] = nil }
        let command = try RunningCommand(
            "/usr/bin/setsid", ["--wait", "/bin/bash", script, "\(getpid())"], environment: environment, input: nil,
            in: workspace.folder)
        let run = await command.wait()
        guard run.exitCode == CommandRun.ExitCode.success else { return [run.errors, String(run.text.suffix(800))] }
        return parts.compactMap { $0.step }.compactMap(problem)
    }

    /// Servers that blocks start end with the script, and everything ends with the tests, even if those are killed.
    private static let prologue = """
        set -euo pipefail
        at=0
        (while [ -e /proc/$1/exe ] && kill -0 $$; do sleep 1; done 2>/dev/null; kill -9 -- -$$) 2>/dev/null & disown
        finish() {
            [ $1 = 0 ] || { echo "failed at line $at"; cat ./*.log 2>/dev/null || true; } >&2
            kill $(jobs -p) 2>/dev/null || true
            wait
        }
        trap 'finish $?' EXIT

        """

    private func problem(with step: Step) -> String? {
        let code = workspace.content(of: "outputs/\(step.line).code")?.trimmingCharacters(in: .newlines)
        let actual = workspace.content(of: "outputs/\(step.line)") ?? ""
        guard step.mustFail != (code == "0") else {
            return "line \(step.line): the exit code is \(code ?? "missing"): \(actual)"
        }
        let expected = step.output.joined(separator: "\n")
        let isTimed = expected.contains(" µs ")
        return Self.matches(Self.masked(actual, isTimed: isTimed), Self.masked(expected, isTimed: isTimed))
            ? nil : "line \(step.line) says\n\(expected)\nbut the output is\n\(actual)"
    }

    /// Puts the same word for everything that differs from run to run: names of versions, numbers with a unit of time
    /// or size, and where there is a column of microseconds numbers with one decimal; and one space for several.
    private static func masked(_ text: String, isTimed: Bool) -> String {
        var text = text.replacing(/[0-9]{8}T[0-9]{9}-[0-9a-f]{8}/, with: "VERSION")
            .replacing(/[0-9][0-9.,]* (rows\/s|ms|µs|s|min|h|KiB|MiB|GiB)\b/, with: "MEASURED")
        if isTimed { text.replace(/[0-9]+\.[0-9]\b/, with: "MEASURED") }
        return text.replacing(/\ +/, with: " ").replacing(" \n", with: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether a text is what is expected, where an ellipsis stands for anything.
    private static func matches(_ text: String, _ expected: String) -> Bool {
        let pieces = expected.split(separator: "…", omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else { return text == expected }
        guard text.hasPrefix(first), text.dropFirst(first.count).hasSuffix(last) else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
