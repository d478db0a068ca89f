import Basics
import CommandLine
import FoundationEssentials
import Glibc
import HTTP
import Operations
import Service

/// `coterie replay TAPE`.
enum ReplayCommand: Subcommand {
    static let command = Command(
        "replay", summary: "Play recorded requests again, and compare the answers",
        discussion: """
            Sends the requests on a tape of "coterie serve --record" again, in their order. The daemon at --to answers \
            them, or one that the command starts itself over copies of --store and --catalog. The clock of this daemon \
            shows the times of the tape. For each route, the command counts the answers that are identical, have the \
            same groups in another order, or have other groups. It also shows the 20 that differ most. Requests that \
            write are played with --all only.

            If a limit is exceeded, the exit code is 65, for example to stop a deployment.

            With --serve it answers requests from the tape alone, so that the tests of a client need no daemon. The \
            article RecordAndReplay explains every number.
            """,
        arguments: [Argument("TAPE", help: "The folder of a tape, or one file of it")],
        options: [
            Option("to", "URL", help: "The address of the daemon to ask, such as http://127.0.0.1:8080"),
            Option("token-file", "FILE", help: "The file with the token of all requests, for a daemon with keys"),
            Option(
                "speed", "N", help: "How many times the recorded speed; max is as fast as answers come",
                default: "1"),
            Option(
                "requests-at-a-time", "N", help: "The maximum number of requests in flight", default: "8",
                type: .integer(1...512)),
            Option(flag: "all", help: "Play requests that write, too"),
            Option("rules", "FILE", help: "The allowed differences, in YAML (default: names of versions and lists)"),
            Option(
                "min-identical", "PERCENT", help: "Fail if fewer answers are identical", type: .number(0...100)),
            Option(
                "min-overlap", "PERCENT", help: "Fail if the mean overlap of the first 10 groups is less",
                type: .number(0...100)),
            Option(
                "max-status-changes", "N", help: "Fail if more answers have another status, or are missing",
                type: .integer(0...Int(Int32.max))),
            Option(
                "min-requests", "N",
                help: "Fail if fewer are played (default: with any limit, fail unless the tape is whole)",
                type: .integer(1...Int(Int32.max))),
            Option(
                "max-p99-ratio", "N",
                help: "Fail if the server's 99th percentile of time is over N times the recorded one",
                type: .number(0...1_000_000)),
            Option(flag: "serve", help: "Answer requests from the tape, instead of playing it"),
            Option("address", "ADDRESS", help: "With --serve: the numeric address to listen on", default: "127.0.0.1"),
            Option(
                "port", short: "p", "PORT", help: "With --serve: the port to listen on; 0 for any free port",
                default: "8080", type: .integer(0...65535)),
            CommonOptions.json,
        ] + CommonOptions.readingOptions + PlanOptions.deployed,
        examples: [
            "coterie replay tape --speed max --min-identical 99", "coterie replay tape --to http://127.0.0.1:8081",
            "coterie replay tape --model 20261121T170808354-e6707fef --speed max --json",
            "coterie replay --serve tape --port 9000",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let reader = try TapeReader(parsed.arguments[0])
        if parsed.flag("serve") { return try serve(reader, parsed) }
        let options = try playerOptions(parsed)
        let limits = try limits(parsed)
        if reader.header.memberNames == .pseudonyms {
            printToStandardError(
                "warning: the members of this tape have pseudonyms: a daemon that knows their ids knows none")
        }
        let header = reader.header
        let summary = try summary(reader, options, parsed)
        for file in reader.condition.cutFiles {
            printToStandardError("warning: \(file) is not whole: it was played as far as it is")
        }
        if !reader.condition.isWhole { printToStandardError("warning: \(reader.condition.gaps)") }
        let exceeded = limits.exceeded(by: summary)
        let report = ReplayOutput(
            summary: summary, recordedBy: header.release,
            differences: try ReplayCircumstances(
                parsed, header, summary, hasChangedSettings: reader.hasChangedSettings
            ).lines, exceeded: exceeded)
        try parsed.print(report) { output in
            for line in report.lines { try output.line(line) }
        }
        guard exceeded.isEmpty else { throw Failure(.badData, exceeded.joined(separator: "; ")) }
    }

    private static func summary(
        _ reader: TapeReader, _ options: ReplayPlayer.Options, _ parsed: ParsedCommand
    ) throws -> ReplaySummary {
        let line = ProgressLine()
        line.begin("replay")
        defer { line.clear() }
        func play(_ player: ReplayPlayer) throws -> ReplaySummary {
            try player.play(reader) { line.show(done: $0, total: nil, unit: "requests") }
        }
        if let address = parsed.textIfGiven("to") {
            let player = try ReplayPlayer(address, options, setClock: nil)
            // Without a daemon the replay fails at once, instead of counting all answers as missing.
            _ = try HTTPClient(address).answer(to: "GET", "/healthz")
            return try play(player)
        }
        let daemon = try ReplayDaemon(parsed, atMilliseconds: reader.header.beganAtMilliseconds)
        defer { daemon.stop() }
        try daemon.waitUntilReady()
        return try play(ReplayPlayer(daemon.address, options, setClock: { daemon.setClock(toMilliseconds: $0) }))
    }

    private static func playerOptions(_ parsed: ParsedCommand) throws -> ReplayPlayer.Options {
        var options = ReplayPlayer.Options()
        if let path = parsed.textIfGiven("rules") { options.rules = try ReplayRules(path: path) }
        options.connectionCount = try parsed.integer("requests-at-a-time")
        options.token = try parsed.textIfGiven("token-file").map { path throws in try SecretFile(path).read() }
        options.includesChanges = parsed.flag("all")
        let speed = parsed.text("speed")
        guard speed != "max" else { return options }
        guard let number = Double(speed), (0.001...100_000).contains(number) else {
            throw parsed.badValue(speed, of: "speed", expected: "max, or a number from 0.001 to 100000")
        }
        options.speed = number
        return options
    }

    private static func limits(_ parsed: ParsedCommand) throws -> ReplayLimits {
        func share(_ name: String) throws(UsageError) -> Double? {
            try parsed.numberIfGiven(name, in: 0...100).map { $0 / 100 }
        }
        var limits = ReplayLimits()
        limits.identicalShare = try share("min-identical")
        limits.meanOverlap = try share("min-overlap")
        limits.statusChangeCount = try parsed.integerIfGiven("max-status-changes")
        limits.requestCount = try parsed.integerIfGiven("min-requests")
        limits.latencyRatio = try parsed.numberIfGiven("max-p99-ratio", in: 0...1_000_000)
        return limits
    }

    private static func serve(_ reader: TapeReader, _ parsed: ParsedCommand) throws {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let tape = TapeServer(answers: try RecordedAnswers(reader))
        var configuration = HTTPServer.Configuration()
        configuration.address = parsed.text("address")
        configuration.port = UInt16(try parsed.integer("port"))
        let server = try HTTPServer(configuration, handler: { .now(tape.answer(to: $0)) })
        printToStandardError(
            "listening at port \(server.port) of \(server.address), with \(tape.answers.requestCount) requests")
        var number: Int32 = 0
        unsafe sigwait(&signals, &number)
        server.stop()
    }
}

/// The options of a daemon that records requests.
enum TapeOptions {
    private static let usual = TapeWriter.Limits()

    static let recording = [
        Option(
            "record", "FOLDER",
            help: "Record requests with their answers in this folder, for \"coterie replay\", without tokens",
            setting: Setting("serve.record"), isOutput: true),
        Option(
            "record-key-file", "FILE",
            help: "The file with a key of 16 bytes or more; members are recorded by pseudonyms instead of their ids",
            setting: Setting("serve.recordKeyFile")),
        Option(
            "record-size", "MIB", help: "The maximum size of the recording, in MiB; the oldest part is removed first",
            default: "\(usual.byteCount >> 20)", type: .integer(1...1 << 20), setting: Setting("serve.recordSizeMiB")),
        Option(
            "record-for", "DURATION", help: "How long recorded requests are kept",
            default: "\(usual.keptSeconds / 86400)d", type: .duration(3600...3650 * 86400),
            setting: Setting("serve.recordFor")),
    ]

    /// Returns the settings of the tape, or `nil` if nothing is to be recorded.
    static func settings(_ parsed: ParsedCommand, fingerprint: String) throws -> TapeSettings? {
        guard let folder = parsed.textIfGiven("record") else { return nil }
        var limits = usual
        limits.byteCount = try parsed.integer("record-size") << 20
        limits.keptSeconds = try parsed.duration("record-for").components.seconds
        let pseudonyms = try pseudonyms(parsed.textIfGiven("record-key-file"))
        var header = TapeHeader(
            release: Coterie.program.version, settings: fingerprint, memberNames: pseudonyms == nil ? .ids : .pseudonyms
        )
        (header.lists, header.rotationKey) = (parsed.listSettingValues, try parsed.rotationKey().fingerprint)
        return TapeSettings(folder: folder, header, limits: limits, pseudonyms: pseudonyms)
    }

    /// Returns pseudonyms by the key in a file, or `nil` without a file.
    static func pseudonyms(_ path: String?) throws -> Pseudonyms? {
        guard let path else { return nil }
        return try Pseudonyms(key: Array(SecretFile(path).read().utf8))
    }
}
