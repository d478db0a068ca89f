package import Basics
import Glibc
import Model

/// A folder of backups, of which the newest of each catalog stay.
package struct BackupFolder {
    private let path: String

    /// Creates a folder, which must exist before a backup is written to it.
    package init(_ path: String) { self.path = path }

    /// Returns the path for a backup that begins at a time in Unix seconds: `…/coterie-20261126T003000Z.tar`.
    package func file(at seconds: Int64) -> String {
        let time = UnixTime(seconds: seconds)?.description ?? "\(seconds)"
        return "\(path)/coterie-\(time.filter { $0 != "-" && $0 != ":" }).tar"
    }

    /// Removes the oldest backups of a catalog; files with other names stay.
    ///
    /// Backups of another catalog stay and do not count, nor do files that cannot be read, or are dated in the future.
    /// The last backup with at least half of the bytes of the largest stays, too: later ones may lack rows.
    ///
    /// - Parameters:
    ///   - count: the number of backups that stay, 1 or more.
    ///   - newest: the manifest of the backup that was just written.
    /// - Returns: a sentence for each file that was removed, or stays although it does not count.
    package func prune(keeping count: Int, after newest: BackupManifest) throws(Failure) -> [String] {
        let (counted, others) = try backups(of: newest.catalogId, until: newest.startedAtMilliseconds)
        let closed = counted.compactMap(\.refusal).map { Finding.found(.backupClosed, $0) }
        var lines = (others + closed).map { "did not count: \($0.message): \($0.advice ?? "")" }
        let backups = counted.filter { $0.refusal == nil && Self.isName($0.name) }
        let whole = Self.lastWhole(backups)
        for backup in backups.dropLast(max(count, 1)) {
            guard backup.path != whole?.path else {
                lines.append("\(backup.path) stays until you remove it: the newer ones are far smaller")
                continue
            }
            try FileTree.remove(backup.path)
            lines.append("removed \(backup.path)")
        }
        return lines
    }

    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /coterie-[0-9]{8}T[0-9]{6}Z\.tar/) != nil }
}

extension BackupFolder {
    /// A backup in the folder: one that is complete by its manifest, or that this user may not read.
    struct Entry {
        let path, name: String
        let byteCount: Int
        /// The beginning of the backup by its manifest, or else the last change of the file, in Unix milliseconds.
        let milliseconds: Int64
        let catalogID: String?
        /// The reason why this user may not read the file, or nil.
        let refusal: String?
    }

    /// Returns the backups that count for a catalog, oldest first, and findings about the others.
    ///
    /// A backup may have any name that ends with `.tar`. Files that are no backups are left out, unless they have the
    /// name of one in such a folder. The contents of backups are not read: only the names and lengths of the files in
    /// them, and the manifest, which comes last.
    ///
    /// - Parameters:
    ///   - catalogID: the id of the catalog, or nil if all catalogs count.
    ///   - latest: the last time of a backup that counts, in Unix milliseconds, inclusive.
    func backups(of catalogID: String?, until latest: Int64) throws(Failure) -> (counted: [Entry], others: [Finding]) {
        var (counted, others): ([Entry], [Finding]) = ([], [])
        for name in try FileTree.names(in: path).sorted() where name.hasSuffix(".tar") {
            do throws(Failure) {
                guard let entry = try Self.entry("\(path)/\(name)", name) else { continue }
                if entry.milliseconds > latest {
                    let time = Formats.time(seconds: entry.milliseconds / 1000)
                    others.append(.found(.backupAhead, "\(entry.path) is of \(time), after now"))
                } else if let id = entry.catalogID, id != catalogID ?? id {
                    others.append(.found(.backupOther, "\(entry.path) is of another catalog"))
                } else {
                    counted.append(entry)
                }
            } catch { others.append(.found(.backupDamaged, error.description)) }
        }
        return (counted.sorted { ($0.milliseconds, $0.path) < ($1.milliseconds, $1.path) }, others)
    }

    /// Returns the newest of some backups, oldest first, that has at least half of the bytes of the largest.
    static func lastWhole(_ backups: [Entry]) -> Entry? {
        let largest = backups.map(\.byteCount).max() ?? 0
        return backups.last { $0.byteCount >= largest / 2 }
    }

    private static func entry(_ path: String, _ name: String) throws(Failure) -> Entry? {
        guard let status = FileTree.status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        let reason = FileAccess.refusal(toRead: path)
        if reason == nil, !isName(name), try !ArchiveReader.seemsBackup(path) { return nil }
        let manifest = try reason == nil ? ArchiveReader(path).manifest : nil
        return Entry(
            path: path, name: name, byteCount: Int(status.st_size),
            milliseconds: manifest?.startedAtMilliseconds ?? Int64(status.st_mtim.tv_sec) * 1000,
            catalogID: manifest?.catalogId, refusal: reason)
    }
}
