import CatalogStore
import Model

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
