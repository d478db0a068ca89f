import Catalog
import Model
import ModelStore

/// How alike two groups are in one relation, and where the one stands in the other's list.
struct RelationVerdict: Encodable {
    var relation: String
    /// n of the group and of the other.
    var size, otherSize: Int
    /// Common public photos, or common members.
    var common: Int
    /// Plain cosine of these counts.
    var cosine: Double
    /// The other's place in the version's list, from 1; nil if it is not listed.
    var listedRank: Int?
    /// The score in the version's list.
    var listedScore: Double?
    /// The place it has, counted afresh, among all groups that pass the thresholds; nil if it does not pass them.
    var rank: Int?
    /// How many groups pass them.
    var candidates: Int
    /// Why it is not listed, or that it is.
    var reason: String

    /// Counts afresh in the catalog.
    init(_ relation: Relation, _ group: GroupRecord, _ other: GroupRecord, _ catalog: Catalog, _ version: LoadedVersion)
        throws(CatalogError)
    {
        let report = version.manifest[relation]
        let minimumCommon = report?.minimumCommon ?? 1
        let minimumEntries = report?.minimumEntries ?? 1
        let kind: MatrixKind = relation == .photos ? .pools : .memberships
        let found = try catalog.overlaps(of: group, kind, minimumCommon: minimumCommon, alwaysIncluding: other)
        let mine =
            found.overlaps.first { $0.groupID.hasSameBytes(as: other.id) }
            ?? Overlap(groupID: other.id, common: 0, size: 0)
        self.relation = relation.rawValue
        size = found.size
        otherSize = mine.size
        common = mine.common
        cosine = size > 0 && otherSize > 0 ? Double(common) / (Double(size) * Double(otherSize)).squareRoot() : 0

        let passing = found.overlaps.filter { $0.common >= minimumCommon && $0.size >= minimumEntries }
        let isPassing = passing.contains { $0.groupID.hasSameBytes(as: other.id) } && size >= minimumEntries
        candidates = size >= minimumEntries ? passing.count : 0
        rank = isPassing ? 1 + passing.count { Self.isBefore($0, mine) } : nil
        if let index = version.model.index(ofID: group.id), let otherIndex = version.model.index(ofID: other.id) {
            let list = version.model.neighbours(of: index, by: relation)
            if let place = list.firstIndex(where: { $0.index == otherIndex }) {
                listedRank = place + 1
                listedScore = version.score(of: list[place], to: index, by: relation)
            }
        }
        reason = ""
        reason = explanation(group, other, report)
    }

    /// The order of a list: c² / n as integers, then the bytes of the ids.
    private static func isBefore(_ left: Overlap, _ right: Overlap) -> Bool {
        let (leftCommon, rightCommon) = (UInt128(left.common), UInt128(right.common))
        let (ours, theirs) = (
            leftCommon * leftCommon * UInt128(right.size), rightCommon * rightCommon * UInt128(left.size)
        )
        return ours != theirs ? ours > theirs : left.groupID.utf8.lexicographicallyPrecedes(right.groupID.utf8)
    }

    private func explanation(_ group: GroupRecord, _ other: GroupRecord, _ report: Manifest.RelationReport?) -> String {
        if group.id.hasSameBytes(as: other.id) { return "a group is not its own neighbour" }
        for record in [group, other] where record.visibility == .private {
            return "\(record.id) is private, and private groups are in no list"
        }
        if let listedRank { return "rank \(listedRank)" }
        guard let report else { return "the version does not have this relation" }
        for (record, count) in [(group, size), (other, otherSize)] where count < report.minimumEntries {
            return "\(record.id) has \(count) \(relation), X is \(report.minimumEntries)"
        }
        if common < report.minimumCommon { return "\(common) common \(relation), Y is \(report.minimumCommon)" }
        guard report.measure == "cosine", let rank else {
            return "not among the \(report.limit) best by the version's measure, \(report.measure)"
        }
        return rank > report.limit
            ? "rank \(rank) of \(candidates), k is \(report.limit)"
            : "rank \(rank) of \(candidates) now, but not in the version: the catalog changed since"
    }

    /// One line for a person.
    var sentence: String {
        let counts =
            "\(Formats.grouped(common)) common of \(Formats.grouped(size)) and \(Formats.grouped(otherSize)), cosine "
            + Formats.fixed(cosine, 4)
        if listedRank != nil {
            let score = listedScore.map { ", score " + Formats.fixed($0, 4) } ?? ""
            return "\(reason)\(score); \(counts)"
        }
        return "not listed: \(reason); \(counts)"
    }
}

extension String {
    /// Whether two ids are the same: to Swift, texts are equal already if they look the same.
    fileprivate func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
