import CatalogStore

/// Commits a daemon's own changes to its journal.
struct JournalWriter: ChangeWriter {
    let journal: ChangeJournal
    let decisions: SiteDecisionLog
    let now: @Sendable () -> Int64

    func apply(_ changes: [CatalogChange]) throws(CatalogError) -> [CatalogChange.Outcome] {
        let outcomes = try journal.record(changes, at: now())
        if changes.contains(where: \.isOfSite) {
            try decisions.renew { () throws(CatalogError) in try journal.siteChanges() }
        }
        return outcomes
    }

    /// Always the same: a journal has no other writer but the one that follows the stream, which tells what it writes.
    func outsideRevision() -> Int64 { 0 }
}
