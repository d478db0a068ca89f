import Basics
import CatalogStore
import FoundationEssentials
import Glibc
import Model
import Recompute

extension HealthFault {
    static let recomputeFailed = HealthFault(
        .bad, "the last run failed", advice: "do what its message says; \"coterie recompute\" then runs it again")
    static let recomputeRefused = HealthFault(
        .bad, "the newest version was refused before the switch",
        advice: "look at it (\"coterie models diff\"); make it current (\"coterie rollback\"), or mend the catalog")
    static let recomputeOverdue = HealthFault(
        .warning, "the last success is too long ago", bound: .recomputeDays,
        advice: "see whether its timer runs (\"systemctl list-timers\"), and what it said (\"journalctl\")")
    static let recomputeSilent = HealthFault(
        .warning, "no run has written how it ended to the file of --recompute-metrics",
        advice: "let the job write there; in a systemd unit, ReadWritePaths= must name its folder")

    static let importOverdue = HealthFault(
        .warning, "the last one that succeeded is too long ago", bound: .importDays,
        advice: "see whether the job that imports still runs, and what it said (\"journalctl -u coterie-connect\")")

    static let backupMissing = HealthFault(
        .bad, "the folder of --backups has no usable backup, or cannot be read",
        advice: "read the log of the unit coterie-backup, and see who owns the folder")
    static let backupOld = HealthFault(
        .bad, "the newest backup is too old", bound: .backupDays,
        advice: "see what the unit coterie-backup said (\"journalctl\"), and whether its timer runs")
    static let backupDamaged = HealthFault(
        .bad, "a file with the name of a backup is damaged, incomplete or none",
        advice: "remove this file, or move it elsewhere")
    static let backupAhead = HealthFault(
        .warning, "a backup is dated in the future, and does not count", bound: .clockSeconds,
        advice: "set the clock if it is wrong; move the file elsewhere, or remove it")
    static let backupSmall = HealthFault(
        .warning, "the newest backup has less than half of the bytes of the largest",
        advice: "see whether rows are missing (\"coterie stats\"); remove the earlier one if none are")
    static let backupOther = HealthFault(
        .warning, "a backup is of another catalog, and does not count",
        advice: "see whether this catalog is the right one; give each a folder of its own")
    static let backupUnfinished = HealthFault(
        .warning, "a backup that was killed has left parts of copies",
        advice: "see why it ended (\"journalctl -u coterie-backup\"); the next backup to this folder removes them")
    static let backupClosed = HealthFault(
        .warning, "this user may not read the newest backup",
        advice: "chown it to the user who would restore it: a backup has mode 0600")
}

extension HealthQuestion {
    static let recompute = HealthQuestion(
        "recompute", looksAt: "the weekly job: its last success, its last failure, and a version that it refused",
        faults: [.recomputeFailed, .recomputeRefused, .recomputeOverdue, .recomputeSilent]
    ) { check, record in
        let findings = [check.refusedFinding(record), check.statusFinding(record)].compactMap(\.self)
        let wrong = findings.filter { $0.state != .good }
        return wrong.isEmpty ? Array(findings.suffix(1)) : wrong
    }

    static let imports = HealthQuestion(
        "import",
        looksAt: "the log of jobs beside the catalog: the last import that succeeded, unless --import-days is 0",
        faults: [.importOverdue]
    ) { check, _ in check.importFinding.map { [$0] } ?? [] }

    static let backup = HealthQuestion(
        "backup",
        looksAt: "the folder of backups: whether they are complete by their manifests, and of this catalog; the age "
            + "and size of the newest one, and whether this user may read it",
        faults: [
            .backupMissing, .backupDamaged, .backupOld, .backupAhead, .backupOther, .backupSmall, .backupUnfinished,
            .backupClosed,
        ]
    ) { check, _ in check.places.backups.map(check.backupFindings) ?? [] }
}

extension HealthCheck {
    /// Returns the finding about a version that was refused and is newer than the current one.
    fileprivate func refusedFinding(_ record: HealthRecord) -> Finding? {
        guard let newest = record.manifests.last, let current = record.current, newest.version > current,
            let objections = newest.objections
        else { return nil }
        return .found(.recomputeRefused, "version \(newest.version) was refused: \(objections.joined(separator: "; "))")
    }

    /// Returns the finding about the file that tells how the last run ended.
    fileprivate func statusFinding(_ record: HealthRecord) -> Finding? {
        guard let path = places.recomputeStatus else {
            return .good("no file tells how the last run ended: name one with --recompute-metrics")
        }
        guard let text = RegularFile.text(path) else {
            guard !record.manifests.isEmpty else { return nil }
            let reason = FileAccess.refusal(toRead: path) ?? "\(path) is not there, though there are versions"
            return .found(.recomputeSilent, reason)
        }
        let status = RecomputeStatus(text)
        let (success, failure) = (status.lastSuccessSeconds, status.lastFailureSeconds)
        if let failure, failure > success ?? .min {
            let code = status.lastFailureCode.map { " with exit code \($0)" } ?? ""
            let reason = status.lastFailureReason.map { ": \($0)" } ?? ""
            return .found(.recomputeFailed, "the last run failed \(Formats.time(seconds: failure))\(code)\(reason)")
        }
        guard let success else { return .found(.recomputeSilent, "\(path) tells of no run") }
        let days = days(since: success * 1000)
        guard days <= self[.recomputeDays] else {
            return .found(.recomputeOverdue, "it last succeeded \(days) days ago")
        }
        return .good("it last succeeded \(Formats.time(seconds: success))")
    }

    /// The finding about the last import in the log of jobs, or `nil` if the site does not ask.
    fileprivate var importFinding: Finding? {
        guard self[.importDays] > 0 else { return nil }
        let runs = (try? WorkLog.runs(beside: places.catalog)) ?? []
        let ends = runs.filter { $0.job.hasPrefix("import ") && !$0.hasFailed }.compactMap(\.endedAtMilliseconds)
        guard let last = ends.max() else {
            return .found(.importOverdue, "none that succeeded is in the log of jobs beside \(places.catalog)")
        }
        let days = days(since: last)
        guard days <= self[.importDays] else {
            return .found(.importOverdue, "the last one succeeded \(days) days ago")
        }
        return .good("the last one succeeded \(Formats.time(seconds: last / 1000))")
    }

    fileprivate func backupFindings(_ folder: String) -> [Finding] {
        if let refusal = FileAccess.refusal(toRead: folder) { return [.found(.backupMissing, refusal)] }
        let id = try? Facts(path: places.catalog).catalogID()
        let latest = now + Int64(self[.clockSeconds]) * 1000
        var (usable, findings): ([BackupFolder.Entry], [Finding])
        do throws(Failure) {
            (usable, findings) = try BackupFolder(folder).backups(of: id, until: latest)
            findings += try ArchiveWriter.unfinished(in: folder).map {
                .found(.backupUnfinished, "\($0) was not completed, and files of it are left")
            }
        } catch { return [.found(.backupMissing, error.description)] }
        guard let newest = usable.last else {
            return findings + [.found(.backupMissing, "\(folder) has no backup that can be used")]
        }
        let days = days(since: newest.milliseconds)
        if days > self[.backupDays] {
            findings.append(.found(.backupOld, "the newest one, \(newest.path), is \(days) days old"))
        }
        if let reason = newest.refusal { findings.append(.found(.backupClosed, reason)) }
        if let whole = BackupFolder.lastWhole(usable), whole.path != newest.path {
            findings.append(
                .found(
                    .backupSmall,
                    "the newest one, \(newest.path), has \(newest.byteCount) bytes, and an earlier one, \(whole.path), "
                        + "has \(whole.byteCount)"))
        }
        guard findings.isEmpty else { return findings }
        return [.good("the newest one, \(newest.path), is of \(Formats.time(seconds: newest.milliseconds / 1000))")]
    }
}
