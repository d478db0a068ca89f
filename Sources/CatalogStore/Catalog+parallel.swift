import Dispatch
import Synchronization

extension Catalog {
    /// Reads parts of the catalog on several threads, each over a connection of its own.
    ///
    /// To be called within `snapshot`: every other connection checks that it sees the same state.
    ///
    /// - Parameters:
    ///   - count: how many parts there are.
    ///   - threads: how many connections read, 1 or more.
    ///   - read: reads the part of a number, 0 ..< `count`.
    /// - Returns: the parts in no particular order.
    /// - Throws: `CatalogError.Code.busy` if the catalog changed while the connections were being opened.
    func readParts<Part: Sendable>(
        _ count: Int, threads: Int, _ read: @Sendable (Catalog, _ number: Int) throws(CatalogError) -> Part
    ) throws(CatalogError) -> [Part] {
        let parts = Mutex<[Part]>([])
        let failure = Mutex<CatalogError?>(nil)
        let next = Atomic<Int>(0)
        let (path, relations) = (path, relations)
        let expectedChanges = try changeCount()
        runOnThreads(threads) {
            do throws(CatalogError) {
                let connection = try Catalog(path: path, mode: .reading, relations: relations)
                try connection.snapshot { () throws(CatalogError) in
                    guard try connection.changeCount() == expectedChanges else {
                        throw CatalogError(.busy, "the catalog changed while it was being read; try again")
                    }
                    while true {
                        let number = next.add(1, ordering: .relaxed).oldValue
                        guard number < count, failure.withLock({ $0 == nil }) else { return }
                        let part = try read(connection, number)
                        parts.withLock { $0.append(part) }
                    }
                }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return parts.withLock { $0 }
    }
}

/// Runs `body` on so many threads at once and waits for all.
func runOnThreads(_ count: Int, _ body: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: max(1, count)) { _ in body() }
}
