import Dispatch
import SQLite
import Synchronization

/// A check of a whole catalog, as SQLite does it, on a thread of its own while others read the catalog.
///
/// It finds pages that nothing leads to or that belong to two tables, and rows that cannot be; it does not find another
/// value in the place of one.
final class CatalogCheck: Sendable {
    private let failure = Mutex<CatalogError?>(nil)
    private let isOver = DispatchGroup()

    /// Begins.
    ///
    /// - Parameter connection: is in a read transaction, and belongs to the check from now on.
    init(_ connection: CatalogSnapshot.Connection) {
        DispatchQueue(label: "catalog-check").async(group: isOver) { [self] in
            do throws(CatalogError) {
                let database = connection.catalog.database
                try wrapping { () throws(DatabaseError) in try database.checkWhole() }
            } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits for its end.
    ///
    /// - Throws: `CatalogError.Code.badData` if the catalog is damaged.
    func finish() throws(CatalogError) {
        isOver.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
