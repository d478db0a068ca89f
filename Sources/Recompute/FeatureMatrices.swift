import Basics
import Model
import Recommendation
import Similarity

/// The features that are typical of groups' photos, as matrices of groups × features.
///
/// A group has few of them, so that comparing groups by features is quick beside comparing them by photos.
struct FeatureMatrices {
    private var matrices: [PhotoFeature: BinaryMatrix] = [:]

    /// Gathers the features that some group has.
    ///
    /// A place is a cell of a tenth of a degree, and the cell of a degree around it. Neighbouring towns have the second
    /// in common.
    ///
    /// - Parameter admirers: groups × the members who like a photo of the group's pool.
    init(_ content: ContentSignals, _ looks: TypicalLooks?, _ admirers: BinaryMatrix?, rowCount: Int)
        throws(Failure)
    {
        func groups(_ postings: [Posting]) -> [UInt32] { postings.map(\.group) }
        let cells = content.places.sorted { $0.key < $1.key }
        let wide = Dictionary(grouping: cells) { $0.key.wideNumber }.sorted { $0.key < $1.key }
        // The groups that have each value of a feature, each group once.
        let features: [PhotoFeature: [[UInt32]]] = [
            .tags: content.tags.sorted { $0.key < $1.key }.map { groups($0.value) },
            .places: cells.map { groups($0.value) }
                + wide.map { cells in Set(cells.value.flatMap { groups($0.value) }).sorted() },
            .looks: looks?.groups ?? [],
        ]
        if let admirers, admirers.entryCount > 0 { matrices[.admirers] = admirers }
        for (feature, values) in features {
            let pairs = values.enumerated().flatMap { column, rows in rows.map { (row: $0, column: UInt32(column)) } }
            guard !pairs.isEmpty else { continue }
            matrices[feature] = try BinaryMatrix(rowCount: rowCount, columnCount: values.count, pairs: pairs)
        }
    }

    /// Returns the groups, compared by each feature that some group has, in the order of the relations.
    func compared(_ run: JobRun) throws(Failure) -> [ComparedRelation] {
        var compared: [ComparedRelation] = []
        for facts in run.parameters.relations {
            guard let matrix = facts.feature.flatMap({ matrices[$0] }) else { continue }
            compared.append(try ComparedRelation(facts, matrix, run))
        }
        return compared
    }
}

extension PlaceCell {
    /// The number of the cell of a degree by a degree around this one.
    fileprivate var wideNumber: Int { ((south + 900) / 10) * 360 + (west + 1800) / 10 }
}

/// The cells of similar vectors that are typical of groups.
struct TypicalLooks {
    /// The most cells that a group keeps.
    private static let limit = 16

    /// The groups that have each cell.
    let groups: [[UInt32]]

    /// Counts the photos of each group in each cell, and keeps the cells that distinguish the group from others.
    ///
    /// - Parameters:
    ///   - cells: the number of cells, and the cell of each photo.
    ///   - groupsOfPhotos: the groups of each photo.
    init(_ cells: (count: Int, ofRow: [UInt32]), groupsOfPhotos: [[UInt32]]) {
        var totals = [UInt32](repeating: 0, count: cells.count)
        var counts: [UInt32: [UInt32: Int]] = [:]
        for (cell, groups) in zip(cells.ofRow, groupsOfPhotos) {
            totals[Int(cell)] += 1
            for group in groups { counts[group, default: [:]][cell, default: 0] += 1 }
        }
        let profile = ContentProfile(
            totals: totals, photoCount: cells.ofRow.count, measure: .excess,
            minimumPhotos: ContentSignals.photosInGroup, limit: Self.limit)
        var groups = [[UInt32]](repeating: [], count: cells.count)
        for (group, cellCounts) in counts.sorted(by: { $0.key < $1.key }) {
            let typical = profile.weights(
                cellCounts.map { (term: Int($0.key), photos: $0.value) }, of: cellCounts.values.reduce(0, +))
            for (cell, _) in typical { groups[cell].append(group) }
        }
        self.groups = groups
    }
}
