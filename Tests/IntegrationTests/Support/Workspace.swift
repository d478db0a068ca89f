import Foundation
import SQLite
import TestSupport
import Testing

/// Where a community's versions are published.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case folder, redis

    /// Those that this machine can run.
    static let available = TemporaryRedis.isInstalled ? allCases : [.folder]

    var testDescription: String { rawValue }
}

/// A folder with a catalog and a store of its own, in which commands run; all of it goes with this value.
final class Workspace: Sendable {
    private let directory: TemporaryDirectory
    /// The server of a store in Redis.
    let server: TemporaryRedis?

    init(_ kind: StoreKind = .folder) throws {
        directory = try TemporaryDirectory()
        server = kind == .redis ? try TemporaryRedis() : nil
    }

    var folder: String { directory.path }
    var catalog: String { path("catalog.sqlite") }
    var store: String { server?.url ?? path("models") }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The environment of commands, without the machine's own settings, but with those of sanitizers and `Jobs/break`.
    var environment: [String: String] {
        let outside = ProcessInfo.processInfo.environment
        return [
            "PATH": outside["PATH"] ?? "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8",
            "COTERIE_CATALOG": catalog, "COTERIE_STORE": store,
        ].merging(outside.filter { ["ASAN_OPTIONS", "TSAN_OPTIONS", "BREAK_NUMBER"].contains($0.key) }) { $1 }
    }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String { try write(Data(text.utf8), to: name) }

    /// Writes a file and returns its path.
    func write(_ content: Data, to name: String) throws -> String {
        try content.write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// The text of a file, if it is there.
    func content(of name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    /// Opens the catalog, or another file, for looking into it.
    func database(_ path: String? = nil) throws -> Database { try Database(path: path ?? catalog, mode: .readOnly) }
}

extension Workspace {
    /// Starts `coterie`.
    func start(_ arguments: [String], input: String? = nil, settings: [String: String] = [:]) throws -> RunningCommand {
        try RunningCommand(
            Checkout.program, arguments, environment: environment.merging(settings) { $1 }, input: input, in: folder)
    }

    /// Runs `coterie` to its end, however it ends.
    func run(_ arguments: String..., input: String? = nil, settings: [String: String] = [:]) async throws
        -> CommandRun
    {
        try await start(arguments, input: input, settings: settings).wait()
    }

    /// Runs `coterie`, which must succeed.
    @discardableResult
    func succeed(
        _ arguments: [String], input: String? = nil, settings: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandRun {
        let run = try await start(arguments, input: input, settings: settings).wait()
        try #require(
            run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)", sourceLocation: sourceLocation)
        return run
    }

    /// Runs `coterie`, which must succeed.
    @discardableResult
    func succeed(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> CommandRun
    {
        try await succeed(arguments, sourceLocation: sourceLocation)
    }

    /// Writes the files of a community into the folder `folder`, with the options of `coterie-bench generate`.
    func generate(_ folder: String, _ options: [String]) async throws {
        let run = try await RunningCommand(
            Checkout.programs + "/coterie-bench", ["generate", "--output", path(folder)] + options,
            environment: environment, input: nil, in: self.folder
        ).wait()
        try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
    }

    /// Copies the catalog of the sample community, which is imported once for all tests.
    func importSample() async throws {
        _ = try write(try await SampleCatalog.shared.content(), to: "catalog.sqlite")
    }

    /// Copies the catalog of the sample community and a version of it, which is published once for all tests.
    func publishSample() async throws {
        try await SamplePublication.shared.put(into: self, server: server?.url)
    }

    /// Copies the catalog of the sample community, and a version of it into a server that is not the workspace's own.
    func publishSample(to url: String) async throws {
        try await SamplePublication.shared.put(into: self, server: url)
    }

    /// The name of the current version.
    func currentVersion() async throws -> String {
        let models: Answers.Models = try await succeed("models", "--json").json()
        return try #require(models.current)
    }

    /// All neighbours of the current version.
    func export(by relation: String, _ more: String...) async throws -> String {
        try await succeed(["export", "neighbours", "--by", relation] + more).text
    }
}
