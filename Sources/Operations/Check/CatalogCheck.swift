import CatalogStore
import Basics
import HTTP
import ModelStore

extension HealthFault {
    static let catalogMissing = HealthFault(
        .bad, "there is no catalog", advice: "name it with --catalog, or bring it back with \"coterie restore\"")
    static let catalogClosed = HealthFault(
        .bad, "this user may not read it", advice: "run the check as its owner, or change its owner with chown")
    static let catalogForeign = HealthFault(
        .warning, "it belongs to another user than its folder", advice: "chown it to the owner of its folder")
    static let catalogMounted = HealthFault(
        .bad, "it is mounted as a single file", advice: CatalogPlace.mountedFile.advice)
    static let catalogRemote = HealthFault(
        .warning, "it is on a file system of several machines", advice: CatalogPlace.shared(type: "").advice)
    static let catalogUnusable = HealthFault(
        .bad, "it cannot be opened, for another reason", advice: "do what the message says, and check again")
    static let catalogDamaged = HealthFault(
        .bad, "its bytes are damaged", advice: "bring it back with \"coterie restore\"")
    static let catalogLog = HealthFault(
        .bad, "the log beside it is of another file, as after a backup was unpacked by hand",
        advice: "stop what uses it, and run \"coterie restore\", or move the log away")
    static let catalogDangling = HealthFault(
        .bad, "a row names a row that does not exist",
        advice: "bring it back with \"coterie restore\", or import what is missing again with --replace")
    static let catalogWithoutIndex = HealthFault(
        .warning, "a table has no reverse index, as an import was killed",
        advice: "import anything, or start \"coterie serve\": both make it again")
}

extension HealthQuestion {
    static let catalog = HealthQuestion(
        "catalog", looksAt: "the catalog: its owner, its place, every page and every row",
        faults: [
            .catalogMissing, .catalogClosed, .catalogForeign, .catalogMounted, .catalogRemote, .catalogUnusable,
            .catalogDamaged, .catalogLog, .catalogDangling, .catalogWithoutIndex,
        ]
    ) { check, record in
        check.catalogPlaceFindings() + check.catalogContentFindings(&record)
    }
}

extension HealthCheck {
    /// Returns the findings about the place and the owners of the catalog's files.
    fileprivate func catalogPlaceFindings() -> [Finding] {
        let path = places.catalog
        let place = CatalogPlace(of: path).map { place -> Finding in
            let fault: HealthFault = place == .mountedFile ? .catalogMounted : .catalogRemote
            return .found(fault, place.problem(ofCatalog: path))
        }
        return [place].compactMap(\.self) + foreignFiles(path)
    }

    /// Returns the finding that SQLite would write the log of another file into the catalog.
    ///
    /// A copy says in its head that it has no log, until it is written to.
    private func strayLog(_ path: String) -> Finding? {
        let file = Catalog.resolved(path) ?? path
        guard FileTree.byteCount(of: file + "-wal") ?? 0 > 0,
            let head = try? RegularFile.read(file, limitBytes: 18).bytes, head.count == 19, head[18] == 1
        else { return nil }
        return .found(.catalogLog, "\(file)-wal is no log of \(path), and changes what this says")
    }

    /// Returns findings about files of the catalog that the owner of its folder cannot write to.
    ///
    /// Root may own a folder that others write to.
    private func foreignFiles(_ path: String) -> [Finding] {
        let folder = FileTree.folder(of: Catalog.resolved(path) ?? path)
        guard let owner = FileAccess.owner(of: folder), owner != 0 else { return [] }
        return ["", "-wal", "-shm"].compactMap { suffix in
            guard let user = FileAccess.owner(of: path + suffix), user != owner else { return nil }
            let name = FileAccess.name(ofUser: owner)
            return .found(
                .catalogForeign,
                "\(path)\(suffix) \(FileAccess.ownership(of: path + suffix)), and its folder belongs to \(name)",
                advice: "run \"chown \(name): \(ShellWords.file(path + suffix))\", and imports as \(name)")
        }
    }

    /// Returns the findings about the catalog's content.
    fileprivate func catalogContentFindings(_ record: inout HealthRecord) -> [Finding] {
        let path = places.catalog
        if let refusal = FileAccess.refusal(toRead: path) { return [.found(.catalogClosed, refusal)] }
        if let log = strayLog(path) { return [log] }
        do throws(Failure) {
            let examination = try CatalogExamination(
                of: Facts(path: path, relations: relations), now: now / 1000)
            if let latest = examination.latestInteraction {
                record.note(
                    "the interaction \(latest.id) of \(latest.userID)", latest.milliseconds,
                    mending: """
                        set the clock that was ahead; then take the interaction back: DELETE \
                        /v1/users/\(PercentEncoding.encode(latest.userID))/interactions/\
                        \(PercentEncoding.encode(latest.id)) of a daemon
                        """)
            }
            record.futureTimes = examination.futureTimes
            return findings(in: examination)
        } catch {
            if error.code == .missing, path == Catalog.noneWord {
                return [.good("there is none, as --catalog \(path) says")]
            }
            // A machine that serves from a store in Redis needs no catalog.
            if error.code == .missing, store.shared != nil {
                return [.good("there is none at \(path), and a store in Redis can do without it")]
            }
            let fault: HealthFault =
                switch error.code {
                case .missing: .catalogMissing
                case .badData: .catalogDamaged
                default: .catalogUnusable
                }
            return [.found(fault, error.message)]
        }
    }

    private func findings(in examination: CatalogExamination) -> [Finding] {
        guard examination.damage.isEmpty else {
            let damage = examination.damage.joined(separator: "; ")
            return [.found(.catalogDamaged, "\(places.catalog) is damaged: \(damage)")]
        }
        var findings = examination.dangling.sorted { $0.key < $1.key }.map { reference, count in
            Finding.found(.catalogDangling, "\(count) rows of \(reference) name a row that does not exist")
        }
        findings += examination.withoutIndex.map { table in
            Finding.found(
                .catalogWithoutIndex, "\(table) has no reverse index, as an import was killed: lists take long")
        }
        return findings.isEmpty
            ? [.good("\(places.catalog) is whole, and every row names what exists")] : findings
    }
}
