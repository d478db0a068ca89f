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

    init(_ matrix: BinaryMatrix, minimumEntries: Int, bitmaps: BitmapUse, threads: Int) {
        let ranked = RankedRows(matrix, minimumEntries: minimumEntries)
        let shapes = BlockShape.several(ranked, bitmaps)
        let whole = BlockShape(0..<ranked.count, bitmaps.forSingleBlock)
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

/// From which density on a column of a block is a bitmap, as far as that pays.
enum BitmapUse: Sendable {
    /// Adding up bits: each bitmap costs a few instructions for 512 ranks.
    case counting
    /// Adding a weight where a bit is set: each bitmap costs an instruction for as many ranks as the path's vectors have
    /// numbers of 64 bits.
    case weighing(ProcessorPath)
    /// No bitmaps.
    case none

    /// Rows of a single block hold descriptors instead of columns, and a column's weight then comes from its list.
    var forSingleBlock: BitmapUse {
        if case .counting = self { self } else { .none }
    }

    /// The least entries of a bitmap that has so many groups.
    func minimum(groups: Int) -> Int {
        switch self {
        case .counting: max(16, 6 * groups)
        case .weighing(.avx512): 32 * groups
        case .weighing(.avx2): 80 * groups
        case .weighing(.portable): 256 * groups
        case .none: .max
        }
    }
}

extension BlockShape {
    /// Small blocks where rows are large, so that wide counters stay in the first-level cache; larger ones for small
    /// rows, which have few entries in each and need counters of 8 bits only.
    static func several(_ ranked: RankedRows, _ bitmaps: BitmapUse) -> [BlockShape] {
        var shapes: [BlockShape] = []
        var first = 0
        while first < ranked.count {
            let size = ranked.sizes[first] >= 256 ? 4096 : 16384
            let end = min(ranked.count, first + size)
            shapes.append(BlockShape(first..<end, bitmaps))
            first = end
        }
        return shapes
    }

    init(_ ranks: Range<Int>, _ bitmaps: BitmapUse) {
        self.ranks = ranks
        bitmapMinimum = bitmaps.minimum(groups: (ranks.count + groupSize - 1) / groupSize)
    }
}
