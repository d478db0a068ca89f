import Basics
import CatalogStore
import Changes
import Glibc
import Model
import ModelStore
import SQLite

/// The site that a restore replaces, as far as what it has forgotten or withdrawn must stay so.
///
/// It must be closed before a file is put in place: a connection to a replaced file would remove the log of the new
/// file.
struct ReplacedSite {
    /// The replaced catalog, or `nil` if there is none or it cannot be read.
    private let catalog: Facts?
    /// The ledger of that catalog.
    private var ledger: Ledger?
    private var removals: [RemovalChange] = []
    /// The reasons that catalogs or journals could not be read; they may have forgotten or withdrawn more.
    private(set) var problems: [String] = []

    /// Reads the site's removals.
    ///
    /// - Parameters:
    ///   - path: the path of the catalog.
    ///   - journals: the paths of the journals, whose changes may not have reached the catalog.
    init(catalog path: String, journals: [String]) {
        var (catalog, taken): (Facts?, AppliedChanges) = (nil, .none)
        if FileTree.exists(path) {
            do throws(Failure) {
                let opened = try Facts(path: path)
                (catalog, taken, ledger) = (opened, try opened.appliedChanges(), try opened.ledger())
            } catch { problems.append(error.message) }
        }
        self.catalog = catalog
        for path in journals where FileTree.exists(path) {
            do throws(Failure) { removals += try Self.removals(in: path, beyond: taken) } catch {
                problems.append(error.message)
            }
        }
    }

    /// Returns the removals of members in a journal that have not reached the catalog.
    private static func removals(in path: String, beyond taken: AppliedChanges) throws(Failure) -> [RemovalChange] {
        var journal = try ChangeJournal(path: path, mode: .reading)
        var removals: [RemovalChange] = []
        try journal.forEachBatch(beyond: taken) { changes throws(Failure) in
            for case .removal(let removal)? in changes.map(\.change) where removal.forgottenUserID != nil {
                removals.append(removal)
            }
        }
        return removals
    }

    /// Forgets the members in the restored catalog that the replaced catalog has forgotten since.
    ///
    /// Photos of these members that are gone from the replaced catalog are removed, too.
    ///
    /// - Returns: the number of forgotten members, and of removed photos.
    mutating func forget(in restored: Catalog) throws(Failure) -> (members: Int, photos: Int) {
        var (members, photos): ([Int64: [String]], Set<BytewiseString>) = ([:], [])
        var seen: Set<BytewiseString> = []
        // The ledger does not tell whether photos were removed too; those that are gone were.
        let named = try ledger.map { ledger throws(Failure) in try restored.facts.users(forgottenIn: ledger) } ?? []
        let removals =
            removals
            + named.map {
                RemovalChange(.member($0.id, withPhotos: false), atMilliseconds: $0.atMilliseconds)
            }
        for removal in removals {
            guard case .member(let id, let withPhotos) = removal.subject, try !restored.facts.isForgotten(user: id)
            else {
                continue
            }
            let theirs = try restored.facts.photoIDs(ofOwner: id)
            photos.formUnion((withPhotos ? theirs : missing(of: theirs)).map(BytewiseString.init))
            if seen.insert(BytewiseString(id)).inserted { members[removal.atMilliseconds, default: []].append(id) }
        }
        if !photos.isEmpty {
            let rows = photos.map { [$0.text] }
            _ = try restored.removal.remove(.photos, rows)
        }
        for (milliseconds, ids) in members {
            _ = try restored.removal.forget(ids, withPhotos: false, atMilliseconds: milliseconds)
        }
        // An empty one would give its key, and with it the identity of the replaced catalog.
        if let ledger, !ledger.times.isEmpty { _ = try restored.removal.merge(ledger) }
        return (members.values.reduce(0) { $0 + $1.count }, photos.count)
    }

    /// Withdraws from the restored catalog what the replaced one has withdrawn since.
    ///
    /// - Parameters:
    ///   - restored: the restored catalog, which has the replaced one open until it is closed.
    ///   - keepsRemoved: whether what the replaced catalog lacks is shown again.
    mutating func withdraw(from restored: Catalog, keepsRemoved: Bool) -> WithdrawnAgain {
        guard let catalog else { return WithdrawnAgain() }
        do throws(Failure) {
            return try restored.removal.withdraw(asIn: catalog.path, keepsRemoved: keepsRemoved)
        } catch {
            problems.append(error.message)
            return WithdrawnAgain()
        }
    }

    /// Returns the photos that the replaced catalog does not have; none if it is too damaged to read.
    private mutating func missing(of photos: [String]) -> [String] {
        do throws(Failure) { return try catalog?.missingPhotos(of: photos) ?? [] } catch {
            problems.append(error.message)
            return []
        }
    }
}

/// A SQLite file that is prepared next to its place, and then moved there.
struct RestoredFile {
    /// The path of its place.
    let path: String

    var prepared: String { path + ".restoring" }

    init(_ path: String) { self.path = path }

    /// Checks that the file may be put in place.
    ///
    /// - Throws: `Failure`: `.fileFailed` if a file is at the place that must stay, `.busy` if it is in use.
    func checkTarget(isReplacing: Bool) throws(Failure) {
        guard FileTree.exists(path) else { return }
        guard isReplacing else {
            throw Failure(
                .fileFailed,
                """
                \(path) is there already: name another place with --catalog or --journals, or give --replace, which \
                overwrites it
                """)
        }
        guard try !OpenFile(path, for: .reading, unreadable: .fileFailed).isOpenElsewhere() else {
            throw Failure(
                .busy, "a program has \(path) open: stop the daemons of this machine, and all other commands")
        }
    }

    /// Moves the prepared file to its place, in one step; no program may have it open.
    ///
    /// The write-ahead log of the replaced file is removed before: SQLite would take it for the log of the new file.
    func putInPlace() throws(Failure) {
        try removeLog(of: prepared, keepsContent: true)
        if FileTree.exists(path) { try removeLog(of: path, keepsContent: false) }
        try OpenFile(prepared, for: .reading, unreadable: .fileFailed).synchronize()
        try FileTree.move(prepared, to: path, .powerLoss)
    }

    /// Removes the write-ahead log of a file.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - keepsContent: whether it is a failure if the log cannot be written to the file.
    private func removeLog(of file: String, keepsContent: Bool) throws(Failure) {
        do throws(Failure) { _ = try Database(path: file, mode: .readWrite).emptyLog() } catch {
            // A damaged file is replaced as well.
            if keepsContent { throw error }
        }
        for suffix in ["-wal", "-shm"] { try FileTree.remove(file + suffix) }
    }

    /// Removes the prepared files that were not moved.
    func removeRemains() {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileTree.remove(prepared + suffix) }
    }
}

extension OpenFile {
    /// Whether another process has the file, which is a SQLite database, open.
    ///
    /// With a write-ahead log, each connection holds a lock on these bytes while it is open.
    fileprivate func isOpenElsewhere() -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        return unsafe fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}

/// The site's experiments from a backup, to be put into a store.
struct RestoredExperiments {
    private let text: [UInt8]
    private let store: any VersionStore
    /// The experiments that the store has now.
    private let known: [UInt8]?

    /// Prepares to put experiments into a store.
    ///
    /// - Throws: `Failure.Code.fileFailed` if the store has other experiments that must stay.
    init(_ text: [UInt8], in store: any VersionStore, isReplacing: Bool) throws(Failure) {
        let known = try store.experiments()
        guard isReplacing || known == nil || known == text else {
            throw Failure(
                .fileFailed,
                "\(store.location) has other experiments: name another store, or give --replace, which replaces them")
        }
        self.text = text
        self.store = store
        self.known = known
    }

    /// Puts the experiments into the store, in one step.
    func putInPlace() throws(Failure) {
        let isDone = try store.setExperiments(text, replacing: known)
        guard isDone else {
            throw Failure(.busy, "somebody changed the experiments of \(store.location) just now: try again")
        }
    }
}
