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

private func executable(of shell: Shell) -> String? {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + shell.rawValue }.first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
}

@Suite struct Completions {
    /// What bash offers for the last of these words.
    private func offered(_ words: [String], in folder: String = "/") throws -> [String] {
        let path = try #require(executable(of: .bash))
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            cd '\(folder)' || exit 1
            \(sample.completion(.bash))
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
            _sample
            (( ${#COMPREPLY[@]} )) && printf '%s\\n' "${COMPREPLY[@]}"
            true
            """
        let (text, code) = try output(path, ["--norc", "--noprofile", "-c", script])
        #expect(code == 0)
        return text.split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: executable(of: .bash) != nil, "bash is not installed"))
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

    @Test(.enabled(if: executable(of: .bash) != nil, "bash is not installed"))
    func bashOffersFilesAndFolders() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "sub folder"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder.appending(path: "sub file"))
        #expect(try offered(["sample", "import", "sub"], in: folder.path()).sorted() == ["sub file", "sub folder"])
        #expect(try offered(["sample", "import", "-s", ""], in: folder.path()) == ["sub folder"])
    }

    @Test(arguments: Shell.allCases)
    func scriptsNameEveryCommandAndOption(shell: Shell) {
        let script = sample.completion(shell)
        for command in sample.commands {
            #expect(script.contains(command.name))
            for option in command.options { #expect(script.contains(option.name)) }
        }
    }

    @Test(.enabled(if: executable(of: .bash) != nil, "bash is not installed"))
    func bashUnderstandsTheScript() throws { try checkSyntax(.bash) }

    @Test(.enabled(if: executable(of: .zsh) != nil, "zsh is not installed"))
    func zshUnderstandsTheScript() throws { try checkSyntax(.zsh) }

    @Test(.enabled(if: executable(of: .fish) != nil, "fish is not installed"))
    func fishUnderstandsTheScript() throws { try checkSyntax(.fish) }

    private func checkSyntax(_ shell: Shell) throws {
        let path = try #require(executable(of: shell))
        let file = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(sample.completion(shell).utf8).write(to: file)
        let (text, code) = try output(path, ["-n", file.path()])
        #expect(code == 0 && text.isEmpty, "\(text)")
    }
}
