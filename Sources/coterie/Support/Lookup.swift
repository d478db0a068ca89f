import Basics
import CatalogStore
import CommandLine
import Model
import ModelStore
import Recommendation
import RecordReading

/// Lookups by id, which suggest similar ids for an unknown one.
enum Lookup {
    /// Returns the index of a group in a version.
    ///
    /// - Throws: among others `Failure` if the group is not shown, unknown, or newer than the version.
    static func group(_ id: String, in site: Site) throws -> Int {
        if let index = site.model.index(ofID: id) { return index }
        throw try unknownGroup(id, site)
    }

    /// Returns the failure for a group that a version does not show.
    static func unknownGroup(_ id: String, _ site: Site) throws -> Failure {
        let record = try site.catalog?.group(withID: id)
        if let word = site.concealment(of: id, record)?.rawValue, word != Concealment.removed.rawValue {
            let remedy = record?.visibility == .unknown ? ": import a file of groups that has it" : ""
            return Failure(
                .badData,
                "group \"\(id)\" is \(word), and \(word) groups are shown to nobody\(remedy)")
        }
        guard record == nil else {
            return Failure(
                .badData, "group \"\(id)\" is newer than the model version: run \"coterie recompute\"")
        }
        let near = idsAround(id, in: site.version.model) + (try site.catalog?.idsNear(id, in: .groups) ?? [])
        return unknown(.groups, id, near: near.filter { !site.model.hides($0) })
    }

    /// Returns a group of the catalog, whether it is shown or not.
    static func group(_ id: String, in catalog: Facts) throws -> GroupRecord {
        if let record = try catalog.group(withID: id) { return record }
        throw unknown(.groups, id, near: try catalog.idsNear(id, in: .groups))
    }

    /// Returns the failure for a photo that is not public or not there.
    static func unknownPhoto(_ id: String, _ catalog: Facts?) throws -> Failure {
        switch try catalog?.photo(withID: id)?.visibility {
        case .private: Failure(.badData, "photo \"\(id)\" is private: it is recommended to no group")
        case .unknown:
            Failure(
                .badData,
                "photo \"\(id)\" is undescribed, and not shown: import a file of photos that has it")
        case .public, nil: unknown(.photos, id, near: try catalog?.idsNear(id, in: .photos).filter { $0 != id } ?? [])
        }
    }

    /// Warns of boosts for a topic that no group has.
    ///
    /// - Throws: a failure for a boost of a group that is not shown.
    static func check(_ boosts: [Boost], in site: Site) throws {
        for boost in boosts {
            switch boost.target {
            case .group(let id): _ = try group(id, in: site)
            case .topic(let topic) where site.model.groups(withTopic: topic).isEmpty:
                printToStandardError("warning: no group has the topic \"\(topic)\" of --boost")
            case .topic: break
            }
        }
    }

    /// Returns the failure for an unknown id, with up to three similar ids or neighbours in the order of ids.
    static func unknown(_ table: EntityTable, _ id: String, near candidates: [String]) -> Failure {
        // The catalog may still have what is forgotten.
        var seen: Set<String> = [id]
        let different = candidates.filter { seen.insert($0).inserted }
        // Similar ids come first, then the other candidates in their order.
        let close = nearest(to: id, among: different, limit: 3)
        let shown = close + different.filter { !close.contains($0) }.prefix(max(0, 3 - close.count))
        let near = choice(of: shown.map { "\"\($0)\"" })
        return Failure(
            .badData,
            "there is no \(table.singular) \"\(id)\"" + (near.isEmpty ? "" : "; did you mean \(near)?"))
    }

    /// Returns the ids of groups with this title, then similar ids, then the ids next to it in the order of ids.
    private static func idsAround(_ id: String, in model: ModelVersion) -> [String] {
        let lowered = id.lowercased()
        let titled = (0..<model.groupCount).lazy.filter { model.title(of: $0).lowercased() == lowered }.prefix(3)
        let typed = nearest(to: id, among: (0..<model.groupCount).lazy.map { model.id(of: $0) }, limit: 3)
        let bound = model.lowerBound(of: id)
        let around = max(0, bound - 2)..<min(model.groupCount, bound + 2)
        return titled.map { model.id(of: $0) } + typed + around.map { model.id(of: $0) }
    }
}
