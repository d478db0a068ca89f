import Changes
import Model
import SQLite

extension Catalog {
    /// Makes a removal, within a transaction of the caller's.
    func apply(_ change: RemovalChange) throws(CatalogError) -> RemovalChange.Outcome {
        let kind: ImportKind
        let ids: [String]
        switch change.subject {
        case .member(let id, let withPhotos):
            let summary = try removeForGood([id], withPhotos: withPhotos, atMilliseconds: change.atMilliseconds)
            return .removed(summary.rows(of: .users))
        case .group(let id): (kind, ids) = (.groups, [id])
        case .photo(let id): (kind, ids) = (.photos, [id])
        case .user(let id, let group, let table), .pooled(let id, let group, let table):
            guard let facts = relations.first(where: { $0.source.table == table }) else { return .unknown }
            (kind, ids) = (.relation(facts.source), [group, id])
        }
        let summary = try Remover(from: self, kind: kind).removeWithinTransaction([ids], files: [])
        return summary.removed == 0 ? .unknown : .removed(summary.rows(of: kind))
    }
}

extension RemovalSummary {
    /// The rows that were removed, by table; tables without any are left out.
    fileprivate func rows(of kind: ImportKind) -> [String: Int] {
        others.merging([kind.name: removed]) { $0 + $1 }.filter { $0.value > 0 }
    }
}
