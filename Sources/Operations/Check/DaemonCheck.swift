import CatalogStore
import Basics
import FoundationEssentials
import Glibc
import Model
import Recompute
import Service

extension HealthFault {
    static let daemonEmpty = HealthFault(
        .bad, "a daemon has no version to serve", advice: "run \"coterie recompute\", and see its /readyz")
    static let daemonTroubled = HealthFault(
        .warning, "a daemon tells a problem", advice: "do what its message says; its log has more")
    static let daemonBehind = HealthFault(
        .warning, "a daemon lags behind the current version or the other daemons", bound: .lagSeconds,
        advice: "see its log; a restart loads the current version")
    static let programsDiffer = HealthFault(
        .warning, "daemons of the store and this program have different versions",
        advice: "upgrade the others too: the machine of the recompute last")
    static let clockOfRecords = HealthFault(
        .bad, "something is dated in the future", bound: .clockSeconds,
        advice: "set the clock of this machine, or of the one that was ahead (\"timedatectl\" says how it is set)")
    static let clockOfRows = HealthFault(
        .warning, "rows of the catalog are dated more than a day in the future",
        advice: "import these rows again, with the right times")
    static let clockOfDaemon = HealthFault(
        .bad, "the clock of a daemon differs from the clock of this machine", bound: .clockSeconds,
        advice: "set the clock that is wrong (\"timedatectl\" says how it is set)")
    static let daemonFiles = HealthFault(
        .warning, "a daemon has opened nearly all files that it may", bound: .openFilesPercent,
        advice: "raise LimitNOFILE= of its unit, or \"ulimit -n\"")
    static let daemonMemory = HealthFault(
        .warning, "a daemon's control group has used nearly all memory that it may", bound: .memoryPercent,
        advice: "raise MemoryMax= of its unit, or the limit of its container")
}

extension HealthQuestion {
    static let daemon = HealthQuestion(
        "daemon", looksAt: "the reports of the daemons on the store",
        faults: [.daemonEmpty, .daemonTroubled, .daemonBehind]
    ) { check, record in
        record.daemons.map { check.daemonFinding($0, record) }
    }

    static let program = HealthQuestion(
        "program", looksAt: "the versions of all programs on the store", faults: [.programsDiffer]
    ) { _, record in
        let own = ProgramVersion.current.description
        let others = record.daemons.filter { $0.program != own }.map { daemon in
            "\(daemon.name) runs \(daemon.program ?? "an earlier program")"
        }
        guard !others.isEmpty else { return [.good("all have version \(own)")] }
        return [.found(.programsDiffer, "this is \(own), but \(others.formatted)")]
    }

    static let clock = HealthQuestion(
        "clock", looksAt: "the clock of this machine, against all records and the clocks of the daemons",
        faults: [.clockOfRecords, .clockOfRows, .clockOfDaemon]
    ) { check, record in
        let findings =
            [check.recordClock(record)].compactMap(\.self) + record.futureTimes.map(\.finding)
            + record.daemons.compactMap { check.daemonClock($0, readAt: record.reportsReadAt) }
        return findings.isEmpty ? [.good("nothing is newer than now")] : findings
    }

    static let limits = HealthQuestion(
        "limits", looksAt: "the limits of daemons on this machine: open files, and memory of their control groups",
        faults: [.daemonFiles, .daemonMemory]
    ) { check, record in
        let host = ProcessInfo.processInfo.hostName
        return record.daemons.filter { $0.host == host }.flatMap(check.limitFindings)
    }
}

extension DaemonReport {
    fileprivate var name: String { "\(host) port \(port)" }
}

extension CatalogExamination.FutureTimes {
    fileprivate var finding: Finding {
        let time = UnixTime(seconds: latest)?.description ?? "\(latest) s"
        return .found(
            .clockOfRows,
            "\(count) \(column) of \(table) \(count == 1 ? "is" : "are") in the future, such as that of "
                + "\(ids.joined(separator: ", ")) (\(time))")
    }
}

extension HealthCheck {
    fileprivate func daemonFinding(_ daemon: DaemonReport, _ record: HealthRecord) -> Finding {
        let subject = "daemon \(daemon.name)"
        guard let version = daemon.modelVersion else {
            let reason = daemon.problems.first.map { ": \($0)" } ?? ""
            return .found(.daemonEmpty, of: subject, "it has no version to serve\(reason)")
        }
        if !daemon.problems.isEmpty {
            return .found(.daemonTroubled, of: subject, daemon.problems.joined(separator: "; "))
        }
        let lag = daemon.lag(behind: record.current?.description, since: record.currentSince, at: record.reportsReadAt)
        if let seconds = lag.versionSeconds, seconds > Double(self[.lagSeconds]) {
            return .found(
                .daemonBehind, of: subject,
                "it serves \(version), and another version has been current for \(Int(seconds)) s")
        }
        if let seconds = lag.streamSeconds, seconds > Double(self[.lagSeconds]) {
            return .found(
                .daemonBehind, of: subject, "it lacks what other daemons recorded in the last \(Int(seconds)) s")
        }
        return .good(of: subject, "it serves \(version)")
    }

    fileprivate func recordClock(_ record: HealthRecord) -> Finding? {
        guard let newest = record.newest, newest.milliseconds > now + Int64(self[.clockSeconds]) * 1000 else {
            return nil
        }
        let time = UnixTime(seconds: newest.milliseconds / 1000)?.description ?? "\(newest.milliseconds) ms"
        return .found(.clockOfRecords, "\(newest.what) is dated in the future (\(time))", advice: newest.mending)
    }

    /// Returns the finding that a daemon's clock is ahead or behind.
    ///
    /// A report that the store still has is at most twenty seconds old.
    fileprivate func daemonClock(_ daemon: DaemonReport, readAt: Int64) -> Finding? {
        let lead = (daemon.reportedAtMilliseconds - readAt) / 1000
        let tolerance = Int64(self[.clockSeconds])
        guard lead > tolerance || lead < -tolerance - 20 else { return nil }
        return .found(
            .clockOfDaemon,
            "the clock of \(daemon.name) is \(abs(lead)) s \(lead > 0 ? "ahead of" : "behind") this machine's")
    }

    fileprivate func limitFindings(_ daemon: DaemonReport) -> [Finding] {
        let subject = "limits \(daemon.name)"
        var findings: [Finding] = []
        if let (open, limit) = ProcessLimits.openFiles(of: daemon.processId),
            open * 100 > limit * self[.openFilesPercent]
        {
            findings.append(.found(.daemonFiles, of: subject, "it has opened \(open) files of \(limit)"))
        }
        if let (used, limit) = ProcessLimits.memory(of: daemon.processId), used > limit / 100 * self[.memoryPercent] {
            findings.append(
                .found(
                    .daemonMemory, of: subject, "its control group uses \(used >> 20) of \(limit >> 20) MiB of memory"))
        }
        return findings.isEmpty ? [.good(of: subject, "none is near")] : findings
    }
}

/// The use that a process makes of its limits; `nil` where there is no limit, or this user may not see it.
enum ProcessLimits {
    /// Returns the number of open files of a process, and the most that it may open.
    static func openFiles(of process: Int) -> (open: Int, limit: Int)? {
        guard isCoterie(process),
            let names = try? FileTree.names(in: "/proc/\(process)/fd"),
            let text = RegularFile.text("/proc/\(process)/limits"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Max open files") }),
            let limit = line.dropFirst("Max open files".count).split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        return (names.count, limit)
    }

    /// Returns the memory that the tightest control group of a process uses without the files it caches, and its limit.
    static func memory(of process: Int) -> (used: Int, limit: Int)? {
        guard isCoterie(process) else { return nil }
        return ControlGroups(process: "\(process)").memory.min { $0.limit - $0.used < $1.limit - $1.used }
    }

    /// Whether the number is that of a process of this program: that of another container may be another one's here.
    private static func isCoterie(_ process: Int) -> Bool {
        RegularFile.text("/proc/\(process)/comm")?.hasPrefix("coterie") == true
    }
}
