import Foundation
import TestSupport
import Testing

/// `Documentation.docc/Developing.md` says how blocks are written and marked.
@Suite("The documents", .aFewAtATime)
struct DocumentationTests {
    /// The requests before the first version; all others come after them.
    private static let fromNothing = ["README.md", "\(MarkdownDocument.catalog)/GettingYourDataIn.md"]

    private func workspace(for document: MarkdownDocument) async throws -> Workspace {
        let needsRedis =
            document.blocks.contains { $0.neededProgram == "redis-server" } && TemporaryRedis.isInstalled
        let workspace = try Workspace(needsRedis ? .redis : .folder)
        if !Self.fromNothing.contains(document.name) {
            try await SamplePublication.shared.putWithUsualNames(into: workspace)
        }
        return workspace
    }

    @Test("Commands work, and write what is shown", arguments: MarkdownDocument.all)
    func commands(document: MarkdownDocument) async throws {
        let workspace = try await workspace(for: document)
        let problems = try await DocumentRun(document, in: workspace).problems()
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test(
        "A command that is wrong would be noticed",
        arguments: [
            "```sh\ncoterie models --no-such-option\n```", "```sh\ncoterie recomput\ntrue\n```",
            "```console\n$ echo one\ntwo\n```", "```console\n$ echo one two three\none … four\n```",
            "```console\n$ coterie trending\ncoterie: there is …\n$ coterie why a b\nthey are alike\n```",
            "```console\n$ coterie --version >&2\ncoterie: …\n```",
        ])
    func wrongCommand(text: String) async throws {
        let document = MarkdownDocument(name: "wrong.md", text: text)
        #expect(document.blocks.count == 1)
        let problems = try await DocumentRun(document, in: try Workspace()).problems()
        #expect(!problems.isEmpty)
    }

    @Test("Blocks name their language, and those that are not run say why", arguments: MarkdownDocument.all)
    func blocks(document: MarkdownDocument) {
        for block in document.blocks {
            let line = "line \(block.line)"
            #expect(["sh", "console", "text", "html", "css"].contains(block.language), "\(line)")
            #expect(block.lines.contains { !$0.isEmpty }, "\(line)")
            #expect(block.mark == nil || !(block.neededProgram ?? block.reasonNotToRun ?? "").isEmpty, "\(line)")
            #expect(block.language != "console" || block.lines[0].hasPrefix("$ "), "\(line)")
        }
        // Indented code would not be found; list items continue with two or three spaces.
        #expect(!document.prose.contains { $0.hasPrefix("    ") || $0.hasPrefix("\t") })
    }

    @Test("Links and paths exist", arguments: MarkdownDocument.all)
    func links(document: MarkdownDocument) {
        let folder = URL(fileURLWithPath: "\(Checkout.root)/\(document.name)").deletingLastPathComponent().path
        for link in document.relativeLinks {
            #expect(FileManager.default.fileExists(atPath: "\(folder)/\(link)"), "\(link)")
        }
        for path in document.codeSpans where path.wholeMatch(of: /(Sources|Tests|Jobs|Data)\/[^ …]+/) != nil {
            #expect(FileManager.default.fileExists(atPath: "\(Checkout.root)/\(path)"), "\(path)")
        }
    }

    @Test("Lines have at most 120 columns, but for tables; the first page is short", arguments: MarkdownDocument.all)
    func lines(document: MarkdownDocument) {
        for line in document.lines where !line.hasPrefix("|") { #expect(line.count <= 120, "\(line)") }
        #expect(document.name != "README.md" || document.lines.count <= 150)
    }

    /// The help of the program and of all of its commands, by their names.
    private func help(of program: String) async throws -> [String: String] {
        let workspace = try Workspace()
        let path = Checkout.programs + "/" + program
        func help(_ arguments: String...) async throws -> String {
            try await RunningCommand(
                path, arguments + ["--help"], environment: workspace.environment, input: nil, in: workspace.folder
            ).wait().text
        }
        let overview = try await help()
        var pages: [String: String] = [:]
        for command in overview.matches(of: /\n  ([a-z]+) +[A-Z]/).map({ String($0.output.1) }) {
            pages[command] = try await help(command)
        }
        return pages
    }

    @Test("All commands and routes are documented, and only options that exist")
    func completeness() async throws {
        let (commands, benchmarks) = (try await help(of: "coterie"), try await help(of: "coterie-bench"))
        #expect(commands.count > 10 && benchmarks.count > 3)
        let readme = try MarkdownDocument("README.md").codeSpans.map { $0.prefix { $0 != " " } }
        for command in commands.keys { #expect(readme.contains(command[...]), "\(command)") }
        let pages = Array(commands.values) + Array(benchmarks.values)
        let options = Set(pages.flatMap { page in page.matches(of: /--[a-z][a-z-]*/).map { String($0.output) } })
        for document in MarkdownDocument.all {
            let notRun = document.blocks.filter { $0.reasonNotToRun != nil }.flatMap(\.lines)
                .filter { $0.hasPrefix("coterie") }
            for text in document.codeSpans + notRun {
                for option in text.matches(of: /--[a-z][a-z-]*/).map({ String($0.output) }) {
                    #expect(options.contains(option), "\(document.name): \(text)")
                }
            }
        }
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { _ in true }
        let description = try daemon.get("/openapi.json").text
        let patterns = Set(description.matches(of: /"(\/[^" ]*)":\{"/).map { String($0.output.1) })
        #expect(patterns.count > 10)
        let routes = try MarkdownDocument("\(MarkdownDocument.catalog)/HTTP.md").codeSpans
            .compactMap { $0.split(separator: " ").last?.prefix { $0 != "?" } }
        for pattern in patterns { #expect(routes.contains(pattern[...]), "\(pattern)") }
        let metrics = try MarkdownDocument("\(MarkdownDocument.catalog)/OperatingIt.md").codeSpans
            .map { $0.prefix { $0 != "{" } }
        for metric in try daemon.get("/metrics").text.matches(of: /# TYPE ([a-z_]+)/).map(\.output.1) {
            #expect(metrics.contains(metric), "\(metric)")
        }
        _ = await daemon.end()
    }

    @Test("Every module is in the table of modules")
    func modules() throws {
        let named = try MarkdownDocument("\(MarkdownDocument.catalog)/Developing.md").codeSpans
        for module in try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/Sources") {
            let isSystemLibrary = FileManager.default.fileExists(
                atPath: "\(Checkout.root)/Sources/\(module)/module.modulemap")
            #expect(isSystemLibrary || named.contains(module), "\(module)")
        }
    }

    @Test(
        "DocC builds the articles, as they are, without a warning",
        .enabled(if: Checkout.tool("docc") != nil, "docc is not installed"))
    func articles() async throws {
        let workspace = try Workspace()
        let run = try await RunningCommand(
            try #require(Checkout.tool("docc")),
            [
                "convert", "\(Checkout.root)/\(MarkdownDocument.catalog)", "--output-path", workspace.path("site"),
                "--warnings-as-errors",
            ], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        #expect(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
        #expect(!run.text.contains("warning") && !run.errors.contains("warning"), "\(run.testDescription)")
    }
}
