import Basics
import CommandLine
import Service
import Synchronization

/// The configuration of a running daemon, which is read again when its files have changed.
final class WatchedConfiguration: SettingsSource {
    /// The files that were read last, and the values in use.
    private struct State {
        var files: ConfigurationFiles
        var stamps: [FileStamp?]
        /// The values that were read last, by the keys of their settings.
        var values: [String: [String]]
        /// The keys of the settings in each file, by the path of the file.
        var keysByFile: [String: Set<String>]
    }

    /// The settings without which a daemon may accept more tokens.
    private static let guards = ["access.audience", "access.issuer", "access.tokenYears", "access.tokenLeewaySeconds"]

    private let invocation: Invocation
    private let keys: KeyRing?
    /// The command line and the settings at the daemon's start.
    let parsed: ParsedCommand
    /// The reloadable settings at the daemon's start.
    let live: LiveSettings
    private let state: Mutex<State>

    init(_ invocation: Invocation) throws {
        // The stamps are taken first: a file that changes meanwhile is read again later.
        let files = try invocation.files()
        let stamps = files.stamps()
        let configured = try files.read(Coterie.settings)
        let parsed = try invocation.parsed(configured, warn: EventLog.standardError.warning)
        let keys = try ServeSettings.keys(parsed)
        self.invocation = invocation
        self.parsed = parsed
        self.keys = keys
        live = try ServeSettings.live(parsed, keys: keys)
        state = Mutex(
            State(files: files, stamps: stamps, values: parsed.settingValues, keysByFile: configured.keysByFile))
    }

    /// A short text for the values that were read last; equal values have equal texts.
    var fingerprint: String {
        state.withLock { state in
            let lines = state.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.joined(separator: ","))" }
            return Pseudonyms.fingerprint(of: lines.joined(separator: "\n"))
        }
    }

    func changes(isForced: Bool) throws -> SettingsChange? {
        try state.withLock { state in
            let files = try invocation.files()
            let stamps = files.stamps()
            guard isForced || files != state.files || stamps != state.stamps else { return nil }
            (state.files, state.stamps) = (files, stamps)
            do {
                let configured = try files.read(Coterie.settings)
                let now = try invocation.parsed(configured, warn: EventLog.standardError.warning)
                let live = try ServeSettings.live(now, keys: keys)
                let before = state.values
                if !isForced { try Self.checkLosses(state, configured, now.settingValues) }
                (state.values, state.keysByFile) = (now.settingValues, configured.keysByFile)
                return SettingsChange(
                    live: live, taken: now.keys(isLive: true) { $1 != before[$0] },
                    waiting: now.keys(isLive: false) { $1 != parsed.settingValues[$0] })
            } catch { throw Failure(error) }
        }
    }

    /// Refuses files that have lost what limits access, or everything, as a file has that is being written.
    ///
    /// - Throws: `Failure` with the file, the settings and what to do.
    private static func checkLosses(
        _ before: State, _ now: ConfiguredValues, _ values: [String: [String]]
    ) throws(Failure) {
        for (file, keys) in before.keysByFile.sorted(by: { $0.key < $1.key }) where !keys.isEmpty {
            let kept = now.keysByFile[file] ?? []
            let lost = guards.filter { keys.contains($0) && !kept.contains($0) && values[$0] != before.values[$0] }
            guard kept.isEmpty || !lost.isEmpty else { continue }
            let loss =
                kept.isEmpty
                ? "\(file) has no settings any more"
                : "\(file) has no \(lost.joined(separator: ", ")) any more, and more tokens would be accepted"
            throw Failure(
                .badData,
                "\(loss); if this is meant, send SIGHUP (\"systemctl reload coterie-serve\") or restart the daemon")
        }
    }
}

extension ParsedCommand {
    fileprivate var settingValues: [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: settings.compactMap { option, texts in option.setting.map { ($0.key, texts) } })
    }

    /// Returns the keys of settings that satisfy a condition on their key and values.
    ///
    /// - Parameter isLive: whether to return settings that a running daemon reloads, or the others.
    fileprivate func keys(isLive: Bool, where holds: (String, [String]) -> Bool) -> [String] {
        settings.compactMap { option, texts in
            guard let setting = option.setting, setting.isLive == isLive, holds(setting.key, texts) else { return nil }
            return setting.key
        }
    }
}
