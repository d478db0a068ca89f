import CommandLine
import Foundation
import Testing

/// Runs a program of this machine; its standard output and exit code.
private func output(_ path: String, _ arguments: [String]) throws -> (text: String, code: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
}

private let bash = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

@Suite struct Completions {
    /// What bash offers for the last of these words.
    private func offered(_ words: [String], in folder: String = "/") throws -> [String] {
        let path = try #require(bash)
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            cd '\(folder)' || exit 1
            \(sample.bashCompletion)
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
            _sample
            (( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
            true
            """
        let (text, code) = try output(path, ["--norc", "--noprofile", "-c", script])
        #expect(code == 0)
        return text.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: bash != nil, "bash is not installed"))
    func bashOffersMatchingWords() throws {
        #expect(try offered(["sample", ""]) == ["import", "neighbours", "check", "help", "--help", "--version"])
        #expect(try offered(["sample", "ne"]) == ["neighbours"])
        #expect(try offered(["sample", "help", "c"]) == ["check"])
        #expect(try offered(["sample", "import", "--format", ""]) == ["csv", "tsv", "jsonl"])
        #expect(try offered(["sample", "import", "--format", "=", "t"]) == ["tsv"])
        #expect(try offered(["sample", "import", "--format", "="]) == ["csv", "tsv", "jsonl"])
        #expect(try offered(["sample", "import", "--d"]) == ["--dry-run"])
        #expect(try offered(["sample", "neighbours", "--limit", ""]) == [])
        #expect(try offered(["sample", "check", "-"]) == ["--help"])
        #expect(try offered(["sample", "nonsense", ""]) == [])
    }

    @Test(.enabled(if: bash != nil, "bash is not installed"))
    func bashOffersFilesAndFolders() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "sub folder"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder.appending(path: "sub file"))
        #expect(try offered(["sample", "import", "sub"], in: folder.path()).sorted() == ["sub file", "sub folder"])
        #expect(try offered(["sample", "import", "-s", ""], in: folder.path()) == ["sub folder"])
    }

    @Test func theScriptNamesEveryCommandAndOption() {
        let script = sample.bashCompletion
        for command in sample.commands {
            #expect(script.contains(command.name))
            for option in command.options { #expect(script.contains(option.name)) }
        }
    }
}
