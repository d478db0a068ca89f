import FoundationEssentials
import Model
import ModelStore

extension Checkup {
    /// After so many days a version is old; a daemon calls it stale unless it was told another age.
    private static let staleDays: Int64 = 14

    /// What is wrong with the store and with its versions.
    func storeFindings(_ times: inout NewestTimes) -> [Finding] {
        defer { removeScratch() }
        let store = store
        do throws(StoreError) {
            let server = try serverFindings(store)
            let names = try store.versionNames()
            let current = try store.current()
            return server + [currentFinding(current, of: names, store)]
                + names.map { versionFinding($0, isCurrent: $0 == current, store, &times) }
        } catch {
            return [.bad("store", error.message, advice: Self.advice(on: error))]
        }
    }

    private func currentFinding(_ current: VersionName?, of names: [VersionName], _ store: any VersionStore) -> Finding
    {
        guard let current else {
            return .bad("store", "\(store.location) has no current version", advice: "run \"coterie recompute\"")
        }
        guard names.contains(current) else {
            return .bad(
                "store", "\(store.location) says that \(current) is current, but does not have it",
                advice: names.isEmpty
                    ? "run \"coterie recompute\"" : "run \"coterie rollback\" to a version that is listed, or recompute"
            )
        }
        let count = names.count == 1 ? "one version" : "\(names.count) versions"
        return .good("store", "\(store.location) has \(count); \(current) is current")
    }

    /// Reads all of a version, and compares it with its checksums.
    private func versionFinding(
        _ name: VersionName, isCurrent: Bool, _ store: any VersionStore, _ times: inout NewestTimes
    ) -> Finding {
        let subject = "version \(name)"
        do throws(StoreError) {
            let loaded = try store.load(name)
            _ = try store.shared?.members(of: loaded)
            let created = loaded.manifest.createdAtMilliseconds
            times.note("version \(name)", created)
            let days = (now - created) / 86_400_000
            if isCurrent, days > Self.staleDays {
                return .warning(
                    subject, "it is whole, but \(days) days old, and current",
                    advice: "see why \"coterie recompute\" does not run, or is refused (\"coterie models\")")
            }
            return .good(subject, "it has its checksums")
        } catch {
            if isCurrent {
                return .bad(
                    subject, error.message,
                    advice: "run \"coterie recompute\"; until then \"coterie rollback\" returns to one that is whole")
            }
            if error.code == .otherFormat {
                return .warning(
                    subject, error.message, advice: "nothing serves it, and the next recomputes remove it in time")
            }
            return .bad(
                subject, error.message,
                advice: "nothing serves it; the next recomputes remove it, or \"coterie models prune\"")
        }
    }

    static func advice(on error: StoreError) -> String {
        switch error.code {
        case .unavailable: "start the server, or name another store with --store"
        case .busy: "try again when it is done"
        case .corrupt, .otherFormat, .unknownVersion: "run \"coterie recompute\""
        case .badLocation, .writeFailed: "do what the message says, and check again"
        }
    }

    /// Removes what was read from a server.
    private func removeScratch() { try? FileManager.default.removeItem(atPath: scratchFolder) }
}
