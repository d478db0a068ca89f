import Basics
import Glibc

extension HealthFault {
    static let unitFailed = HealthFault(
        .bad, "a unit has failed", advice: "see why with \"journalctl -u\", and run \"systemctl reset-failed\"")
    static let timerStopped = HealthFault(
        .warning, "a timer is enabled but does not run", advice: "run \"systemctl start\" for it")
}

extension HealthQuestion {
    static let units = HealthQuestion(
        "units", looksAt: "systemd's units of the daemon and of the jobs, if they are installed",
        faults: [.unitFailed, .timerStopped]
    ) { _, _ in
        guard FileTree.exists("/run/systemd/system") else { return [] }
        return UnitState.findings(UnitState.all(in: UnitState.described()))
    }
}

/// The state of a systemd unit, as `systemctl show` tells it.
struct UnitState: Equatable {
    /// The units that are looked at; that of the check itself would report a fault that is long gone.
    static let names =
        ["serve", "recompute", "apply", "backup", "connect"].map { "coterie-\($0).service" }
        + ["recompute", "apply", "check", "backup", "connect"].map { "coterie-\($0).timer" }

    var name: String
    var isLoaded = false
    var isActive = false
    var hasFailed = false
    /// The outcome of the last run, such as `success`, `exit-code` or `start-limit-hit`.
    var result = ""
    var isEnabled = false

    /// Returns the units in the output of `systemctl show`: lines `Key=value`, and an empty line between units.
    static func all(in text: String) -> [UnitState] {
        text.split(separator: "\n\n").compactMap { paragraph in
            var values: [Substring: Substring] = [:]
            for line in paragraph.split(separator: "\n") {
                let words = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if words.count == 2 { values[words[0]] = words[1] }
            }
            guard let name = values["Id"] else { return nil }
            return UnitState(
                name: String(name), isLoaded: values["LoadState"] == "loaded",
                isActive: values["ActiveState"] == "active", hasFailed: values["ActiveState"] == "failed",
                result: String(values["Result"] ?? ""), isEnabled: values["UnitFileState"] == "enabled")
        }
    }

    static func findings(_ units: [UnitState]) -> [Finding] {
        let loaded = units.filter(\.isLoaded)
        guard !loaded.isEmpty else { return [] }
        let failed = loaded.filter(\.hasFailed).map { unit in
            Finding.found(
                .unitFailed, "\(unit.name) has failed (\(unit.result))",
                advice:
                    "see why with \"journalctl -u \(unit.name)\", mend it, and run \"systemctl reset-failed \(unit.name)\""
            )
        }
        let own = loaded.filter { $0.name.hasSuffix(".timer") }
        let stopped = own.filter { $0.isEnabled && !$0.isActive && !$0.hasFailed }.map { unit in
            Finding.found(
                .timerStopped, "\(unit.name) is enabled but does not run",
                advice: "run \"systemctl start \(unit.name)\"")
        }
        let findings = failed + stopped
        return findings.isEmpty ? [.good("none of \(loaded.count) has failed")] : findings
    }

    /// Returns the states of the units as systemd prints them, or an empty text if this user may not see them.
    static func described() -> String {
        let properties = "Id,LoadState,ActiveState,Result,UnitFileState"
        let command = "exec systemctl show --property=\(properties) \(names.joined(separator: " ")) 2>/dev/null"
        guard let output = unsafe popen(command, "r") else { return "" }
        defer { unsafe pclose(output) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, output) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
        }
    }
}
