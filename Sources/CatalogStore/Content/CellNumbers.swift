import Model

/// Numbers the cells of the map in which photos were taken, and counts the photos.
struct CellNumbers: Sendable {
    private var numbers: [Int: UInt32] = [:]
    /// Cells by their number.
    private(set) var cells: [PlaceCell] = []
    /// How many photos are in each cell.
    private(set) var photoCounts: [Int] = []

    /// Counts a photo.
    ///
    /// - Returns: the number of its cell.
    mutating func count(_ cell: PlaceCell) -> UInt32 {
        if let number = numbers[cell.number] {
            photoCounts[Int(number)] += 1
            return number
        }
        let number = UInt32(cells.count)
        numbers[cell.number] = number
        cells.append(cell)
        photoCounts.append(1)
        return number
    }
}

/// The cells of enough photos, from what several threads counted.
struct CellVocabulary {
    /// The cells, most frequent first, equally frequent ones from south to north.
    let cells: [PlaceCell]
    /// How many photos are in each cell.
    let totals: [UInt32]
    /// By thread and by the number that it gave to a cell: the index in `cells`, or `PhotoRecords.rare`.
    let indexes: [[UInt32]]

    /// - Parameter minimumPhotos: cells of fewer photos are left out (inclusive).
    init(_ threads: [CellNumbers], minimumPhotos: Int) {
        var totals: [PlaceCell: Int] = [:]
        for thread in threads {
            for (cell, photos) in zip(thread.cells, thread.photoCounts) { totals[cell, default: 0] += photos }
        }
        let vocabulary = totals.filter { $0.value >= minimumPhotos }
            .sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
            .prefix(PhotoRecords.maximumTerms)
        cells = vocabulary.map(\.key)
        self.totals = vocabulary.map { UInt32($0.value) }
        let indexes = Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($0.element, UInt32($0.offset)) })
        self.indexes = threads.map { $0.cells.map { indexes[$0] ?? PhotoRecords.rare } }
    }
}
