import CommandLine
import Service
import Synchronization

/// The configuration of a running daemon, which is read again when its files have changed.
final class WatchedConfiguration: SettingsSource {
    /// What was last looked at, and the values in use.
    private struct State {
        var files: ConfigurationFiles
        var stamp: ConfigurationFiles.Stamp
        /// The values of the settings that were taken up last, by their keys.
        var values: [String: [String]]
    }

    private let invocation: Invocation
    private let keys: KeyRing?
    /// What the daemon was started with.
    let parsed: ParsedCommand
    /// The settings it was started with.
    let live: LiveSettings
    private let state: Mutex<State>

    /// Reads the configuration.
    init(_ invocation: Invocation) throws {
        // The stamp comes first: what is written meanwhile is read again.
        let files = try invocation.files()
        let stamp = files.stamp()
        let parsed = try invocation.parsed()
        let keys = try ServeSettings.keys(parsed)
        self.invocation = invocation
        self.parsed = parsed
        self.keys = keys
        live = try ServeSettings.live(parsed, keys: keys)
        state = Mutex(State(files: files, stamp: stamp, values: parsed.settingValues))
    }

    /// A short text for the settings that were taken up last: the same settings have the same one.
    var fingerprint: String {
        state.withLock { state in
            let lines = state.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.joined(separator: ","))" }
            return Pseudonyms.fingerprint(of: lines.joined(separator: "\n"))
        }
    }

    func changes(isForced: Bool) throws -> SettingsChange? {
        try state.withLock { state in
            let files = try invocation.files()
            let stamp = files.stamp()
            guard isForced || files != state.files || stamp != state.stamp else { return nil }
            (state.files, state.stamp) = (files, stamp)
            do {
                let now = try invocation.parsed()
                let live = try ServeSettings.live(now, keys: keys)
                let before = state.values
                state.values = now.settingValues
                return SettingsChange(
                    live: live, taken: now.keys(isLive: true) { $1 != before[$0] },
                    waiting: now.keys(isLive: false) { $1 != parsed.settingValues[$0] })
            } catch { throw Failure(error) }
        }
    }
}

extension ParsedCommand {
    /// The values of all settings by their keys.
    fileprivate var settingValues: [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: settings.compactMap { option, texts in option.setting.map { ($0.key, texts) } })
    }

    /// The keys of those settings that a daemon takes up, or does not, for which something holds.
    fileprivate func keys(isLive: Bool, where holds: (String, [String]) -> Bool) -> [String] {
        settings.compactMap { option, texts in
            guard let setting = option.setting, setting.isLive == isLive, holds(setting.key, texts) else { return nil }
            return setting.key
        }
    }
}
