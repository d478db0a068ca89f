import SparseMatrix

/// The matrix in the form that is searched: ranks, columns numbered anew, and blocks.
///
/// Columns in one rank only can make no pair and are left out. The others are numbered by degree, largest first, as
/// long as they are in many ranks, then as they come.
struct PreparedMatrix: Sendable {
    let ranked: RankedRows
    /// Where each rank's columns begin: ranks + 1 offsets into `columns`.
    let offsets: Storage<Int>
    /// Each rank's columns by their new numbers; when there is one block only, their descriptors in it instead.
    let columns: Storage<UInt32>
    let blocks: [Block]
    /// For each column its degree; nothing when rows hold descriptors.
    let degrees: Storage<UInt32>?
    let largestDegree: UInt32
    /// Σ d² over the columns: the increments that counting without bitmaps would take.
    let increments: Double

    var rankCount: Int { ranked.count }

    init(_ matrix: BinaryMatrix, minimumEntries: Int, usesBitmaps: Bool, threads: Int) {
        let ranked = RankedRows(matrix, minimumEntries: minimumEntries)
        let shapes = BlockShape.several(ranked, matrix, usesBitmaps: usesBitmaps)
        let whole = BlockShape.whole(ranked, usesBitmaps: usesBitmaps)
        let sweep = ColumnSweep(matrix, ranked, threads: threads)
        let survey = ColumnSurvey(sweep, blocks: shapes, whole: whole, threads: threads)
        let layout = ColumnLayout(survey, sweep, shapes: shapes, whole: whole)
        layout.fill(threads: threads)
        self.ranked = ranked
        offsets = layout.offsets
        columns = layout.columns
        blocks = layout.blocks
        degrees = layout.degrees
        largestDegree = survey.chunks.reduce(0) { max($0, $1.largestDegree) }
        increments = survey.chunks.reduce(0) { $0 + $1.increments }
    }
}

extension BlockShape {
    /// All ranks as one block.
    static func whole(_ ranked: RankedRows, usesBitmaps: Bool) -> BlockShape {
        BlockShape(0..<ranked.count, usesBitmaps: usesBitmaps)
    }

    /// Small blocks where rows are large, so that wide counters stay in the first-level cache; larger ones for small
    /// rows, which have few entries in each and need counters of 8 bits only.
    static func several(_ ranked: RankedRows, _ matrix: BinaryMatrix, usesBitmaps: Bool) -> [BlockShape] {
        var shapes: [BlockShape] = []
        var first = 0
        while first < ranked.count {
            let size = (unsafe ranked.sizes.base[first]) >= 256 ? 4096 : 16384
            let end = min(ranked.count, first + size)
            shapes.append(BlockShape(first..<end, usesBitmaps: usesBitmaps))
            first = end
        }
        return shapes
    }

    private init(_ ranks: Range<Int>, usesBitmaps: Bool) {
        self.ranks = ranks
        let groups = (ranks.count + groupSize - 1) / groupSize
        bitmapMinimum = usesBitmaps ? max(16, 2 * groups) : .max
    }
}
