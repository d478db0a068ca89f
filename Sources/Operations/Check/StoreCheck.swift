import Basics
import FoundationEssentials
import Model
import ModelStore
import Service

extension HealthFault {
    static let storeAway = HealthFault(
        .bad, "its server does not answer", advice: "start the server, or name another store with --store")
    static let storeReplica = HealthFault(
        .bad, "its address leads to a replica", advice: "name the primary with --store, or promote this server")
    static let storeClosed = HealthFault(
        .bad, "this user may not read it",
        advice: "give the user of the server these rights, or log in as another user, and check again")
    static let storeUnusable = HealthFault(
        .bad, "it cannot be read, for another reason", advice: "do what the message says, and check again")
    static let storeEmpty = HealthFault(
        .bad, "it has no current version", advice: "run \"coterie recompute\"")
    static let storeWithoutCurrent = HealthFault(
        .bad, "it lacks the version that is current",
        advice: "run \"coterie rollback\" to a version that is listed, or recompute")
    static let storeNewer = HealthFault(
        .warning, "the state of the site in it has parts that need a newer program",
        advice: "upgrade this program: daemons of it do not know what these parts hide")
    static let decisionsUnreadable = HealthFault(
        .warning, "its list of decisions cannot be read",
        advice: "do what the message says; a daemon then adds the decisions that wait in it")

    static let versionDamaged = HealthFault(
        .bad, "the current version is damaged, or Redis has evicted a part of it",
        advice: "run \"coterie recompute\"; until then \"coterie rollback\" returns to one that is whole")
    static let olderVersionDamaged = HealthFault(
        .bad, "another version is damaged",
        advice: "nothing serves it; the next recomputes remove it, or \"coterie models prune\"")
    static let versionOfOtherFormat = HealthFault(
        .warning, "another version has a format that this program cannot read",
        advice: "nothing to do: no daemon serves this version, and a recompute will remove it")
    static let versionTooOld = HealthFault(
        .bad, "the current version is far too old", bound: .versionBadDays,
        advice: "see why \"coterie recompute\" does not run, or is refused (\"coterie models\")")
    static let versionOld = HealthFault(
        .warning, "the current version is old", bound: .versionWarnDays,
        advice: "see why \"coterie recompute\" does not run, or is refused (\"coterie models\")")
}

extension HealthQuestion {
    static let store = HealthQuestion(
        "store", looksAt: "the store, and whether it has the current version",
        faults: [
            .storeAway, .storeReplica, .storeClosed, .storeUnusable, .storeEmpty, .storeWithoutCurrent, .storeNewer,
            .decisionsUnreadable,
        ]
    ) { check, record in
        let store = check.store
        do throws(Failure) {
            let names = try store.versionNames()
            record.current = try store.current()
            // Some of them may be damaged, which the next question finds.
            record.manifests = (try? store.versions()) ?? []
            record.currentSince = try? store.currentSince()
            record.daemons = (try? DaemonReport.all(in: store)) ?? []
            record.reportsReadAt = check.now
            // Daemons without a catalog serve nothing as long as it cannot be read.
            let gap = try store.site()?.gap(at: store.location)
            return [check.currentFinding(record.current, of: names, store)]
                + (gap.map { [.found(.storeNewer, $0)] } ?? []) + check.decisionFindings(store)
        } catch { return [.found(.of(error), error.message, advice: check.storeAdvice(error))] }
    }

    static let version = HealthQuestion(
        "version", looksAt: "every version: its checksums, and the age of the current one",
        faults: [.versionDamaged, .olderVersionDamaged, .versionOfOtherFormat, .versionTooOld, .versionOld]
    ) { check, record in
        defer { check.removeScratch() }
        let (store, current) = (check.store, record.current)
        guard let names = try? store.versionNames() else { return [] }
        return names.map { check.versionFinding($0, isCurrent: $0 == current, store, &record) }
    }
}

extension HealthFault {
    fileprivate static func of(_ error: Failure) -> HealthFault {
        switch error.code {
        case .unavailable: .storeAway
        case .replica: .storeReplica
        case .notPermitted: .storeClosed
        default: .storeUnusable
        }
    }
}

extension HealthCheck {
    fileprivate func currentFinding(_ current: VersionName?, of names: [VersionName], _ store: any VersionStore)
        -> Finding
    {
        guard let current else { return .found(.storeEmpty, "\(store.location) has no current version") }
        guard names.contains(current) else {
            return .found(
                .storeWithoutCurrent, "\(store.location) says that \(current) is current, but does not have it",
                advice: names.isEmpty ? HealthFault.storeEmpty.advice : nil)
        }
        let count = names.count == 1 ? "one version" : "\(names.count) versions"
        return .good("\(store.location) has \(count); \(current) is current")
    }

    fileprivate func decisionFindings(_ store: any VersionStore) -> [Finding] {
        do throws(Failure) {
            _ = try DecisionList(store)?.decisions(limit: 1, at: now)
            return []
        } catch { return [.found(.decisionsUnreadable, error.message)] }
    }

    /// Returns the remedy for a store that cannot be read, if it is another than that of a server.
    fileprivate func storeAdvice(_ error: Failure) -> String? {
        guard case .folder(let path) = places.store else { return nil }
        switch error.code {
        case .notPermitted: return "let this user read everything in \(path): see who owns it, and use chown"
        case .unavailable: return "do what the message says: see whether the disk of \(path) is there"
        default: return nil
        }
    }

    /// Returns the finding about a version, after reading all of it and comparing it with its checksums.
    fileprivate func versionFinding(
        _ name: VersionName, isCurrent: Bool, _ store: any VersionStore, _ record: inout HealthRecord
    ) -> Finding {
        let subject = "version \(name)"
        do throws(Failure) {
            let loaded = try store.load(name)
            try store.members(of: loaded)?.verify()
            let created = loaded.manifest.createdAtMilliseconds
            record.note("version \(name)", created)
            let days = days(since: created)
            let message = "it is whole, but \(days) days old, and current"
            if isCurrent, days > self[.versionBadDays] { return .found(.versionTooOld, of: subject, message) }
            if isCurrent, days > self[.versionWarnDays] { return .found(.versionOld, of: subject, message) }
            return .good(of: subject, "it has its checksums")
        } catch {
            if error.code == .notPermitted {
                return .found(.storeClosed, of: subject, error.message, advice: storeAdvice(error))
            }
            if isCurrent { return .found(.versionDamaged, of: subject, error.message) }
            let fault: HealthFault = error.code == .otherFormat ? .versionOfOtherFormat : .olderVersionDamaged
            return .found(fault, of: subject, error.message)
        }
    }

    /// Removes the data read from a server.
    fileprivate func removeScratch() { try? FileManager.default.removeItem(atPath: scratchFolder) }
}
