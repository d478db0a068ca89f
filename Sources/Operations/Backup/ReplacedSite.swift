import CatalogStore
import Model
import ModelStore
import SQLite

/// What a restore replaces, as far as the backup must not undo it: the members whom it has forgotten.
///
/// It is to be gone before anything is put in place: a connection to a file that was replaced would remove the log of
/// the new one.
struct ReplacedSite {
    /// How many changes of a journal are read at a time.
    private static let batchSize = 1000

    /// Nil if there is none, or it cannot be read.
    private let catalog: Catalog?
    private var removals: [RemovalChange] = []
    /// Why catalogs and journals cannot be read, which may have forgotten members, too.
    private(set) var problems: [String] = []

    /// Reads what is there.
    ///
    /// - Parameters:
    ///   - path: the catalog's.
    ///   - journals: those that are replaced, too: what they have may not have reached the catalog.
    init(catalog path: String, journals: [String]) {
        var (catalog, taken): (Catalog?, TakenChanges) = (nil, .none)
        if FileName.exists(path) {
            do throws(CatalogError) {
                let opened = try Catalog(path: path, mode: .reading)
                // How it was done is seen by the photos that are gone.
                removals = try opened.forgottenMembers().map {
                    RemovalChange(.member($0.id, withPhotos: false), atMilliseconds: $0.atMilliseconds)
                }
                (catalog, taken) = (opened, try opened.takenChanges())
            } catch { problems.append(error.message) }
        }
        self.catalog = catalog
        for path in journals where FileName.exists(path) {
            do throws(CatalogError) { removals += try Self.removals(in: path, beyond: taken) } catch {
                problems.append(error.message)
            }
        }
    }

    /// The removals of members in a journal that are not in the catalog.
    private static func removals(in path: String, beyond taken: TakenChanges) throws(CatalogError) -> [RemovalChange] {
        let journal = try ChangeJournal(path: path, mode: .reading)
        var removals: [RemovalChange] = []
        for (origin, numbers) in try journal.kept().sorted(by: { $0.key < $1.key }) {
            var last = max(numbers.after, taken.last(of: origin))
            while last < numbers.last {
                let changes = try journal.changes(of: origin, after: last, limit: batchSize)
                for case .removal(let removal)? in changes.map(\.change) where removal.forgottenUserID != nil {
                    removals.append(removal)
                }
                last = changes.last?.sequence ?? numbers.last
            }
        }
        return removals
    }

    /// Forgets in the catalog that was brought back whom the replaced one has forgotten since: what is gone there is
    /// gone here, their photos too.
    ///
    /// - Returns: how many members were forgotten, and how many photos removed.
    mutating func forget(in restored: Catalog) throws(CatalogError) -> (members: Int, photos: Int) {
        let known = Set(try restored.forgottenMembers().map { BytewiseString($0.id) })
        var (members, photos): ([Int64: [String]], Set<BytewiseString>) = ([:], [])
        var seen = known
        for removal in removals {
            guard case .member(let id, let withPhotos) = removal.subject, !known.contains(BytewiseString(id)) else {
                continue
            }
            let theirs = try restored.photoIDs(ofOwner: id)
            photos.formUnion((withPhotos ? theirs : missing(of: theirs)).map(BytewiseString.init))
            if seen.insert(BytewiseString(id)).inserted { members[removal.atMilliseconds, default: []].append(id) }
        }
        if !photos.isEmpty {
            let rows = photos.map { [$0.text] }
            _ = try Remover(from: restored, kind: .photos).remove(rows, files: [])
        }
        for (milliseconds, ids) in members {
            _ = try restored.forget(ids, withPhotos: false, atMilliseconds: milliseconds)
        }
        return (members.values.reduce(0) { $0 + $1.count }, photos.count)
    }

    /// Those of some photos that the replaced catalog does not have; none if it is too damaged to say.
    private mutating func missing(of photos: [String]) -> [String] {
        do throws(CatalogError) { return try catalog?.missingPhotos(of: photos) ?? [] } catch {
            problems.append(error.message)
            return []
        }
    }
}

/// A SQLite file that is prepared beside its place, and then put there.
struct RestoredFile {
    /// Its place.
    let path: String

    /// Where it is prepared.
    var prepared: String { path + ".restoring" }

    init(_ path: String) { self.path = path }

    /// - Throws: `BackupError.Code.occupied` if something is at its place and must stay, or is in use.
    func checkTarget(isReplacing: Bool) throws(BackupError) {
        guard FileName.exists(path) else { return }
        guard isReplacing else {
            throw BackupError(
                .occupied, "\(path) is there already: name another place, or give --replace, which overwrites it")
        }
        guard try !ArchiveFile(reading: path).isOpenElsewhere() else {
            throw BackupError(
                .occupied, "a program has \(path) open: stop the daemons of this machine, and all other commands")
        }
    }

    /// Puts the prepared file, which nobody has open, at its place, in one step.
    ///
    /// What is there has no write-ahead log any more when it is replaced: SQLite would take that for one of the new
    /// file.
    func putInPlace() throws(BackupError) {
        try removeLog(of: prepared, keepsContent: true)
        if FileName.exists(path) { try removeLog(of: path, keepsContent: false) }
        try ArchiveFile(reading: prepared).synchronize()
        try FileName.move(prepared, to: path)
    }

    /// - Parameter keepsContent: whether it is a failure if what is in the log cannot be written to the file.
    private func removeLog(of file: String, keepsContent: Bool) throws(BackupError) {
        do throws(DatabaseError) { _ = try Database(path: file, mode: .readWrite).emptyLog() } catch {
            // A damaged file is replaced as well.
            if keepsContent { throw BackupError(CatalogError(error)) }
        }
        for suffix in ["-wal", "-shm"] { try FileName.remove(file + suffix) }
    }

    /// Removes what was prepared and not put in place.
    func removeRemains() {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileName.remove(prepared + suffix) }
    }
}

/// The site's experiments of a backup, for a store.
struct RestoredExperiments {
    private let text: [UInt8]
    private let store: any VersionStore
    /// What the store has now.
    private let known: [UInt8]?

    /// - Throws: `BackupError.Code.occupied` if the store has others that must stay.
    init(_ text: [UInt8], in store: any VersionStore, isReplacing: Bool) throws(BackupError) {
        let known = try stored { () throws(StoreError) in try store.experiments() }
        guard isReplacing || known == nil || known == text else {
            throw BackupError(
                .occupied,
                "\(store.location) has other experiments: name another store, or give --replace, which replaces them")
        }
        self.text = text
        self.store = store
        self.known = known
    }

    /// Gives them to the store, in one step.
    func putInPlace() throws(BackupError) {
        let isDone = try stored { () throws(StoreError) in try store.setExperiments(text, replacing: known) }
        guard isDone else {
            throw BackupError(.occupied, "somebody changed the experiments of \(store.location) just now: try again")
        }
    }
}
