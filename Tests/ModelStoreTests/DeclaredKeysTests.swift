import Changes
import Foundation
import Model
import Redis
import TestSupport
import Testing

@testable import ModelStore

/// A server that refuses what is not declared or allowed.
@Suite("A store under strict rules", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct DeclaredKeysTests {
    /// Runs every script of a store: versions, pins, experiments, the board, streams, sessions and pruning.
    private func useEverything(_ store: RedisStore) throws {
        let model = try SampleModel.model(groupCount: 20)
        for number in 1...3 {
            let manifest = try store.publish(
                model, manifest: SampleModel.manifest(number, groupCount: 20),
                members: SampleMembers(userCount: 50, groupCount: 20)
            ) { _, _ in }
            try store.makeCurrent(manifest.version)
            if number == 1 { try store.pin(manifest.version, true) }
            let state = Manifest.MembersState(atMilliseconds: 1, taken: .none, memberChanges: 1)
            try store.replaceMembers(
                of: manifest.version, by: SampleMembers(userCount: 3, groupCount: 20)
            ) { $0.renewed(state, without: "m") }
            #expect(try store.eraseMembers(of: manifest.version, mark: "n", at: 1) { _ in true } == 3)
        }
        let board = try #require(store.board)
        for id in ["a", "b"] { try board.post(Array(id.utf8), ofDaemon: id) }
        #expect(try board.reports().count == 2)
        try board.withdraw("a")
        #expect(try store.setExperiments(Array("x".utf8), replacing: nil))
        var streams = try store.channel.journals()
        for origin in ["one", "two"] {
            let change = JournaledChange(
                origin: origin, sequence: 1, stampMilliseconds: 1,
                change: .site(SiteChange(ofGroup: "g", .hide, atMilliseconds: 1)))
            #expect(try streams.add([change], to: origin, expecting: nil, isRemade: true))
        }
        #expect(try streams.survey().keys.sorted() == ["one", "two"])
        try streams.trim(through: AppliedChanges(["one": 1]))
        #expect(try streams.survey().keys.sorted() == ["two"])
        let (ann, now) = ("ann", Int64(1000))
        _ = try store.channel.keep(
            [1], ofUser: ann, session: "s", at: now, lastUse: 900...1100, lifetime: .seconds(1000))
        try store.channel.touch(ofUser: ann, session: "s", at: now, lifetime: .seconds(1000))
        try store.channel.remove([1], ofUser: ann, session: "s")
        #expect(try store.prune(keeping: 1).count == 1)
    }

    @Test("Everything works for a user who may tell nobody anything, and nothing outside of the keys of the store")
    func noChannels() throws {
        let directory = try TemporaryDirectory()
        let server = try TemporaryRedis(
            "--user", "coterie", "on", ">secret", "~coterie:*", "resetchannels", "+@all", "-@dangerous", "-@admin")
        let address = try RedisAddress(server.url).loggingIn(user: "coterie", password: "secret")
        try useEverything(RedisStore(address, cacheDirectory: directory.path))
    }

    @Test("Scripts use only the keys that they declare", .enabled(if: cli != nil, "redis-cli is not installed"))
    func declaredKeys() async throws {
        let directory = try TemporaryDirectory()
        let server = try TemporaryRedis()
        let monitor = try Monitor(server, log: directory.path + "/monitor")
        try await monitor.wait(for: "OK")
        try useEverything(RedisStore(RedisAddress(server.url), cacheDirectory: directory.path))
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("ECHO", "the end of it")
        try await monitor.wait(for: "the end of it")
        var (declared, scripts): (Set<String>, Int) = ([], 0)
        for words in monitor.commands {
            if words.name == "EVAL", let count = Int(words.arguments[1]) {
                (declared, scripts) = (Set(words.arguments[2..<(2 + count)]), scripts + 1)
            } else if words.isOfScript {
                var question = RedisCommand("COMMAND", "GETKEYS", words.name)
                for argument in words.arguments { question.append(argument) }
                // Commands without keys are an error here.
                guard case .array(let keys)? = try? connection.command(question) else { continue }
                for key in keys.compactMap(\.text) {
                    #expect(declared.contains(key), "\(words.name) uses \(key), which its script does not declare")
                }
            }
        }
        #expect(scripts > 20)
    }

    private static let cli = ["/usr/bin", "/usr/local/bin", "/bin"].map { $0 + "/redis-cli" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The commands that a server executes, as it tells them.
    private final class Monitor {
        private let process = Process()
        private let log: String

        init(_ server: TemporaryRedis, log: String) throws {
            self.log = log
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            process.executableURL = URL(fileURLWithPath: try #require(DeclaredKeysTests.cli))
            process.arguments = ["-p", "\(server.port)", "MONITOR"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle(forWritingAtPath: log)
            try process.run()
            try ChildWatch.begin(process)
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        private var text: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

        func wait(for word: String) async throws {
            let deadline = ContinuousClock.now + .seconds(60)
            while !text.contains(word), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
            try #require(text.contains(word))
        }

        /// The words are as the server writes them, with escapes; names of keys have none.
        var commands: [(isOfScript: Bool, name: String, arguments: [String])] {
            text.split(separator: "\n").compactMap { line in
                let words = line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.output.1) }
                guard let name = words.first else { return nil }
                return (line.contains(" lua] "), name.uppercased(), Array(words.dropFirst()))
            }
        }
    }
}
