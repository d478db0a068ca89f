import CommandLine
import Foundation
import TestSupport
import Testing

@Suite("Layers of settings")
struct LayeringTests {
    /// A value for each layer that has one, the strongest layer first.
    private struct Layers {
        var commandLine: String?
        var environment: String?
        var environmentFile: String?
        var mainFile: String?

        init(using random: inout some RandomNumberGenerator, _ value: (inout SeededGenerator) -> String) {
            var seeded = SeededGenerator(seed: UInt64.random(in: 0...9999, using: &random))
            func maybe(_ generator: inout SeededGenerator) -> String? {
                Bool.random(using: &generator) ? value(&generator) : nil
            }
            commandLine = maybe(&seeded)
            environment = maybe(&seeded)
            environmentFile = maybe(&seeded)
            mainFile = maybe(&seeded)
        }

        /// What must come out, and the beginning of its origin.
        func expected(otherwise standard: String) -> (String, layer: Int) {
            let layers = [commandLine, environment, environmentFile, mainFile]
            guard let index = layers.firstIndex(where: { $0 != nil }), let value = layers[index] else {
                return (standard, 4)
            }
            return (value, index)
        }
    }

    private func layer(of origin: ValueOrigin) -> Int {
        switch origin {
        case .commandLine: 0
        case .environment: 1
        case .file(let place): place.contains("site.test.yaml:") ? 2 : 3
        case .standard: 4
        }
    }

    @Test("The strongest layer that has a value gives it, whatever the others have")
    func strongest() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let ports = Layers(using: &random) { String(Int.random(in: 0...65535, using: &$0)) }
            let ages = Layers(using: &random) { "\(Int.random(in: 1...90, using: &$0))d" }
            let logs = Layers(using: &random) { String(Bool.random(using: &$0)) }
            // A flag on the command line can only be on.
            let isLogged = logs.commandLine == nil ? nil : "true"
            func file(_ port: String?, _ age: String?, _ log: String?) -> String {
                "serve:\n" + (port.map { "  port: \($0)\n" } ?? "") + (age.map { "  staleAfter: \($0)\n" } ?? "")
                    + (log.map { "  logRequests: \($0)\n" } ?? "")
            }
            let configured = try read(
                file(ports.mainFile, ages.mainFile, logs.mainFile),
                over: file(ports.environmentFile, ages.environmentFile, logs.environmentFile))
            var environment: [String: String] = [:]
            environment["SAMPLE_PORT"] = ports.environment
            environment["SAMPLE_SERVE_STALE_AFTER"] = ages.environment
            environment["SAMPLE_SERVE_LOG_REQUESTS"] = logs.environment
            let words =
                ["serve"] + (ports.commandLine.map { ["--port", $0] } ?? [])
                + (ages.commandLine.map { ["--stale-after", $0] } ?? [])
                + (isLogged == nil ? [] : ["--log-requests"])
            guard case .run(let command) = try layered.read(words) else { throw UsageError("no command") }
            let parsed = try command.completed(environment: environment, configured: configured)
            for (name, text, layers) in [
                ("port", parsed.text("port"), ports), ("stale-after", parsed.text("stale-after"), ages),
                ("log-requests", String(parsed.flag("log-requests")), logs),
            ] {
                var layers = layers
                if name == "log-requests" { layers.commandLine = isLogged }
                let standard = ["port": "8080", "stale-after": "14d"][name] ?? "false"
                let expected = layers.expected(otherwise: standard)
                #expect(text == expected.0, "\(name): \(layers)")
                #expect(layer(of: parsed.origin(of: name)) == expected.layer, "\(name): \(layers)")
            }
        }
    }

    @Test("A value of the file of an environment takes the place of a whole list")
    func lists() throws {
        let base = "access:\n  open: [groups, photos]\n"
        #expect(try read(base).values["access.open"]?.texts == ["groups", "photos"])
        #expect(try read(base, over: "access: {open: trending}").values["access.open"]?.texts == ["trending"])
        #expect(try read(base, over: "# nothing\n").values["access.open"]?.texts == ["groups", "photos"])
        #expect(try read("access: {open: []}").values["access.open"]?.texts == [])
    }

    @Test("An environment's file is named like the main one, with its name before the extension")
    func names() {
        #expect(ConfigurationFiles(path: "/etc/a.b/site.yaml", environment: "x").paths.last == "/etc/a.b/site.x.yaml")
        #expect(ConfigurationFiles(path: "/etc/a.b/site", environment: "x").paths.last == "/etc/a.b/site.x")
        #expect(ConfigurationFiles(path: "site.yaml", environment: "x").paths == ["site.yaml", "site.x.yaml"])
        #expect(ConfigurationFiles(path: "", environment: nil).paths.isEmpty)
        #expect(ConfigurationFiles.isEnvironmentName("eu-west_1"))
        for name in ["", "a/b", "..", "a b", "ä"] { #expect(!ConfigurationFiles.isEnvironmentName(name)) }
    }

    @Test("A change of a file changes the stamp, and so does its removal")
    func stamps() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/site.yaml"
        let files = ConfigurationFiles(path: path)
        let missing = files.stamps()
        try "serve: {port: 1}".write(toFile: path, atomically: true, encoding: .utf8)
        let written = files.stamps()
        #expect(written != missing && written == files.stamps())
        try "serve: {port: 2}".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(files.stamps() != written)
        try FileManager.default.removeItem(atPath: path)
        #expect(files.stamps() == missing)
    }
}
