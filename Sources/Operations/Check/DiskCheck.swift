import CatalogStore
import Basics
import Glibc
import Model
import ModelStore
import SQLite

extension HealthFault {
    static let diskFull = HealthFault(
        .bad, "a disk has less room than is needed, or than a bound", bound: .freeMiB,
        advice: "free some space, or keep fewer versions (\"coterie models prune --keep\")")
    static let diskWithoutFiles = HealthFault(
        .bad, "a disk can take few further files", bound: .freeFiles,
        advice: "remove small files: the file system has no more of their entries (\"df -i\")")
    static let diskReadOnly = HealthFault(
        .bad, "a disk can only be read", advice: "see why (\"dmesg\"), and mount it for writing")
}

extension HealthQuestion {
    static let disk = HealthQuestion(
        "disk",
        looksAt: "the disks of the catalog, versions, journals, sessions, backups, temporary files and logs",
        faults: [.diskFull, .diskWithoutFiles, .diskReadOnly]
    ) { check, record in
        let newest = record.manifests.last?.byteCount ?? 0
        let needs = check.diskNeeds(versionBytes: newest)
        // Several folders on one disk share its room.
        return Dictionary(grouping: needs, by: \.device).values.sorted { $0[0].folder < $1[0].folder }
            .compactMap(check.diskFinding)
    }
}

/// The need of a kind of data for room on the disk of its folder.
private struct DiskNeed {
    var what: String
    var folder: String
    var bytes: Int
    var device: UInt

    /// Creates a need, or returns `nil` if there is no such folder.
    init?(_ what: String, in folder: String, bytes: Int = 0) {
        guard let status = FileTree.status(of: folder) else { return nil }
        (self.what, self.folder, self.bytes, device) = (what, folder, bytes, UInt(status.st_dev))
    }
}

extension HealthCheck {
    /// Returns the needs for room until the next check.
    ///
    /// A tenth of what grows, a new version, and a daemon's private copy of it.
    fileprivate func diskNeeds(versionBytes: Int) -> [DiskNeed] {
        let catalogBytes = size(of: places.catalog)
        var needs = [DiskNeed("the catalog", in: FileTree.folder(of: places.catalog), bytes: catalogBytes / 10)]
        for (what, paths) in [("a journal", places.journals), ("sessions", places.sessions)] {
            needs += paths.map { DiskNeed(what, in: FileTree.folder(of: $0), bytes: size(of: $0) / 10) }
        }
        switch places.store {
        case .folder(let path): needs.append(DiskNeed("versions", in: path, bytes: 2 * versionBytes))
        case .redis: needs.append(DiskNeed("cached versions", in: places.cache, bytes: 2 * versionBytes))
        }
        // A backup is written twice.
        needs.append(places.backups.flatMap { DiskNeed("backups", in: $0, bytes: 2 * catalogBytes) })
        needs.append(DiskNeed("temporary files", in: TemporaryFolder.path, bytes: catalogBytes / 10))
        needs.append(DiskNeed("logs", in: places.logs))
        return needs.compactMap(\.self)
    }

    /// Returns the finding about a disk, with all that is on it.
    fileprivate func diskFinding(_ needs: [DiskNeed]) -> Finding? {
        var disk = statvfs()
        guard let first = needs.first, unsafe statvfs(first.folder, &disk) == 0 else { return nil }
        var names: [String] = []
        for need in needs where !names.contains(need.what) { names.append(need.what) }
        let place = "in \(first.folder), for \(names.formatted)"
        if disk.f_flag & UInt(ST_RDONLY) != 0 { return .found(.diskReadOnly, "nothing can be written \(place)") }
        let free = (Int(disk.f_bavail) * Int(disk.f_frsize)) >> 20
        let needed = max(needs.reduce(0) { $0 + $1.bytes } >> 20, self[.freeMiB])
        guard free >= needed else {
            return .found(.diskFull, "\(free) MiB are free \(place), and \(needed) may be needed")
        }
        // Some file systems have no limit on files, and tell 0.
        guard disk.f_files == 0 || Int(disk.f_favail) >= self[.freeFiles] else {
            return .found(.diskWithoutFiles, "\(disk.f_favail) further files have room \(place)")
        }
        return .good("\(free) MiB are free \(place)")
    }

    private func size(of path: String) -> Int { FileTree.byteCount(of: path) ?? 0 }
}
