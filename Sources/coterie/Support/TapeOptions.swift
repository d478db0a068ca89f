import CommandLineOptions
import Service
import Tape

/// Options that say where a daemon records requests, and how.
enum TapeOptions {
    private static let usual = TapeWriter.Limits()

    static let recording = [
        Option(
            "record", "FOLDER",
            help: "Record requests with their answers in this folder, for \"coterie replay\"; it has no tokens",
            setting: Setting("serve.record")),
        Option(
            "record-key-file", "FILE",
            help: "The file with a key, 16 bytes or more: members are recorded by pseudonyms instead of their ids",
            setting: Setting("serve.recordKeyFile")),
        Option(
            "record-size", "MIB", help: "The most that is kept of what was recorded, in MiB; the oldest goes first",
            default: "\(usual.byteCount >> 20)", type: .integer(1...1 << 20), setting: Setting("serve.recordSizeMiB")),
        Option(
            "record-for", "DURATION", help: "How long what was recorded is kept",
            default: "\(usual.keptSeconds / 86400)d", type: .duration(3600...3650 * 86400),
            setting: Setting("serve.recordFor")),
    ]

    /// What the options say; nil if nothing is to be recorded.
    ///
    /// - Parameter fingerprint: of the daemon's settings.
    static func settings(_ parsed: ParsedCommand, fingerprint: String) throws -> TapeSettings? {
        guard let folder = parsed.textIfGiven("record") else { return nil }
        var limits = usual
        limits.byteCount = try parsed.integer("record-size") << 20
        limits.keptSeconds = try parsed.duration("record-for").components.seconds
        return TapeSettings(
            folder: folder, release: Coterie.program.version, settings: fingerprint, limits: limits,
            pseudonyms: try pseudonyms(parsed.textIfGiven("record-key-file")))
    }

    /// Pseudonyms by the key in a file; nil without a file.
    static func pseudonyms(_ path: String?) throws -> Pseudonyms? {
        guard let path else { return nil }
        return try Pseudonyms(key: Array(SecretFile(path).read().utf8))
    }
}
