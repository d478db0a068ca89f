import CatalogStore
import CommandLine
import Experiments
import Operations
import Recommendation
import Service

/// The differences between the daemon that recorded a tape and the one that answers now.
///
/// They explain differences of answers, so a report begins with them.
struct ReplayCircumstances {
    /// A sentence for each difference.
    let lines: [String]

    /// Compares a tape with the daemon of a replay.
    ///
    /// - Parameter hasChangedSettings: whether the settings changed while the tape was recorded.
    init(_ parsed: ParsedCommand, _ header: TapeHeader, _ summary: ReplaySummary, hasChangedSettings: Bool) throws {
        let isElsewhere = parsed.textIfGiven("to") != nil
        var lines: [String] = []
        if hasChangedSettings {
            lines.append(
                "differs: the tape was recorded with several settings or releases; those of its start are compared")
        }
        if isElsewhere {
            lines.append("differs: the daemon at --to has its own clock, and lists depend on the time")
            lines.append("not compared: release and settings of the daemon at --to; the tape is of \(header.release)")
        } else {
            lines += Self.settings(parsed, header, key: try parsed.rotationKey())
            let later = try parsed.openCatalogIfPresent()?.interactionCount(since: header.beganAtMilliseconds) ?? 0
            if later > 0 {
                lines.append("differs: the catalog has \(later) interactions from after the tape began")
            }
        }
        let (before, now) = summary.versions
        if Set(before.keys) != Set(now.keys) {
            lines.append("differs: the version was \(Self.text(before)), and is \(Self.text(now))")
        }
        // A daemon at --to may have a store that this command cannot read.
        let register = isElsewhere ? (try? parsed.experiments()) ?? ExperimentRegister() : try parsed.experiments()
        lines += Self.experiments(register, since: header.beganAtMilliseconds, isElsewhere: isElsewhere)
        if let writes = summary.leftOut["writes"] {
            lines.append("differs: \(writes) requests that write were not played, and may have changed later answers")
        }
        self.lines = lines
    }

    private static func text(_ versions: [String: Int]) -> String {
        versions.isEmpty ? "none" : versions.keys.sorted().joined(separator: ", ")
    }

    private static func settings(_ parsed: ParsedCommand, _ header: TapeHeader, key: RotationKey) -> [String] {
        var lines: [String] = []
        if header.release != Coterie.program.version {
            lines.append("differs: the release was \(header.release), and is \(Coterie.program.version)")
        }
        let (lists, own) = (header.lists, parsed.listSettingValues)
        for name in Set(lists.keys).union(own.keys).sorted() where name != keyFile && lists[name] != own[name] {
            lines.append("differs: \(name) was \(text(lists[name])), and is \(text(own[name]))")
        }
        if header.rotationKey != key.fingerprint { lines.append("differs: the rotation key is another") }
        return lines
    }

    private static func text(_ value: String?) -> String {
        guard let value else { return "not known" }
        return value.isEmpty ? "the default" : value
    }

    /// The setting that names a file; the key in the file is compared instead.
    private static let keyFile = "lists.rotationKeyFile"

    private static func experiments(
        _ register: ExperimentRegister, since instant: Int64, isElsewhere: Bool
    ) -> [String] {
        register.entries.compactMap { entry in
            let isLater = entry.startedAtMilliseconds > instant
            guard isLater || entry.stoppedAtMilliseconds ?? 0 > instant else { return nil }
            let change = isLater ? "started" : "stopped"
            let event = "experiment \(entry.definition.name) was \(change) since the tape began"
            return isElsewhere ? "differs: \(event)" : "\(event); it is played as it was when the tape began"
        }
    }
}
