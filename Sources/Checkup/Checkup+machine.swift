import CatalogStore
import CivilTime
import FoundationEssentials
import Glibc
import Model
import ModelStore
import Service

extension Checkup {
    /// How far records may be ahead of the clock, in milliseconds: clocks differ a little.
    private static let clockMilliseconds: Int64 = 60_000
    /// A disk with less room is full soon, in bytes.
    private static let leastFreeBytes = 256 << 20

    /// What is wrong with the lists of sessions; they can be lost, so that nothing about them is bad.
    func sessionFindings() -> [Finding] {
        places.sessions.map { path in
            let subject = "sessions \(path)"
            do throws(ServiceError) {
                guard let examination = try KeptSessions(path: path)?.examine() else {
                    return .good(subject, "there are none")
                }
                guard examination.damage.isEmpty, examination.damagedLists == 0 else {
                    return .warning(
                        subject,
                        examination.damage.isEmpty
                            ? "\(examination.damagedLists) of \(examination.lists) lists are damaged"
                            : "it is damaged: \(examination.damage.joined(separator: "; "))",
                        advice: "the daemon makes new lists by itself; see whether the disk is failing")
                }
                return .good(subject, "it is whole, with \(examination.lists) lists")
            } catch {
                return .warning(
                    subject, error.message, advice: "see who owns it; without it, each request gets a new list")
            }
        }
    }

    /// Whether the clock is behind what was recorded.
    func clockFinding(_ times: NewestTimes) -> Finding {
        guard let newest = times.newest, newest.milliseconds > now + Self.clockMilliseconds else {
            return .good("clock", "nothing is newer than now")
        }
        let time = UnixTime(seconds: newest.milliseconds / 1000)?.description ?? "\(newest.milliseconds) ms"
        return .bad(
            "clock", "\(newest.what) is of \(time), which is to come",
            advice: "set the clock of this machine, or of the one that was ahead (\"timedatectl\" says how it is set)")
    }

    /// Whether the disks have room for what is written next.
    func diskFindings() -> [Finding] {
        var needs: [String: Int] = [Catalog.folder(of: places.catalog): size(of: places.catalog) / 10]
        for path in places.journals + places.sessions {
            needs[Catalog.folder(of: path), default: 0] += size(of: path) / 10
        }
        // A new version, and a daemon's own copy of it.
        if case .folder(let path) = places.store { needs[path, default: 0] += 2 * newestVersionBytes(path) }
        return needs.sorted { $0.key < $1.key }.compactMap { folder, need -> Finding? in
            guard let free = Self.freeBytes(folder) else { return nil }
            guard free < max(need, Self.leastFreeBytes) else {
                return .good("disk", "\(free >> 20) MiB are free in \(folder)")
            }
            return .bad(
                "disk",
                "\(free >> 20) MiB are free in \(folder), and \(max(need, Self.leastFreeBytes) >> 20) may be needed",
                advice: "free some space, or keep fewer versions (\"coterie models prune --keep\")")
        }
    }

    private func newestVersionBytes(_ folder: String) -> Int {
        (try? FolderStore(folder).versions().last?.byteCount) ?? 0
    }

    private func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// What this user may still write on the disk of a folder; nil if there is no such folder.
    private static func freeBytes(_ folder: String) -> Int? {
        var disk = statvfs()
        return unsafe statvfs(folder, &disk) == 0 ? Int(disk.f_bavail) * Int(disk.f_frsize) : nil
    }
}
