package import Basics
package import Model

/// A prepared search in a mapped file; all processes of a machine share one copy in memory.
///
/// The file begins with a header of 64-bit numbers. The arrays follow, each at a multiple of the alignment of `Storage`
/// and followed by its slack. Numbers are little-endian.
extension PreparedSearch {
    private static let magic = UInt64(0x3768_6372_6165_5374)
    private static let headerNumbers = 21
    private static let blockNumbers = 8
    /// The number of header numbers for the measure, from the sixth on.
    private static let measureNumbers = 8

    /// Writes the bytes of the file, piece by piece.
    package func write<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        var position = 0
        func put(_ bytes: RawSpan) throws(Failure) {
            try body(bytes)
            position += bytes.byteCount
        }
        func pad(_ count: Int) throws(Failure) {
            if count > 0 { try unsafe put([UInt8](repeating: 0, count: count).span.bytes) }
        }
        func put<Element: BitwiseCopyable>(_ storage: Storage<Element>?) throws(Failure) {
            guard let storage else { return }
            try pad(PlacedBlock.padding(position))
            try storage.withBytes { bytes throws(Failure) in try put(bytes) }
            try pad(Storage<UInt64>.slack)
        }
        try unsafe put(header.span.bytes)
        try put(prepared.ranked.rows)
        try put(prepared.ranked.sizes)
        try put(prepared.offsets)
        try put(prepared.columns)
        try put(prepared.heavyEnds)
        try put(prepared.degrees)
        for block in prepared.blocks {
            try put(block.descriptors)
            try put(block.light?.words)
            try put(block.light?.values)
            try put(block.lists)
            try put(block.bitmaps)
        }
    }

    private var header: [UInt64] {
        var numbers: [UInt64] = [
            Self.magic, identity, UInt64(parameters.minimumEntries), UInt64(parameters.minimumCommon),
            UInt64(parameters.limit),
        ]
        switch parameters.measure {
        case .cosine: numbers += [UInt64](repeating: 0, count: Self.measureNumbers)
        case .modified(let formula):
            numbers.append(formula.cut == .source ? 1 : 2)
            numbers += [
                formula.degreeDiscount, formula.sourceExponent, formula.neighbourExponent, formula.shrinkage,
                formula.scorePower, formula.listPower, formula.limitExponent,
            ].map(\.bitPattern)
        }
        numbers += [
            rowCount, entryCount, prepared.rankCount, prepared.columns.count, prepared.degrees?.count ?? -1,
            prepared.blocks.count, Int(prepared.largestDegree),
        ].map { UInt64(bitPattern: Int64($0)) }
        numbers.append(prepared.increments.bitPattern)
        for block in prepared.blocks {
            numbers += [
                block.ranks.lowerBound, block.ranks.upperBound, block.bitmapMinimum, block.descriptors?.count ?? 0,
                block.light?.words.count ?? 0, block.light?.values.count ?? 0, block.lists.count, block.bitmaps.count,
            ].map { UInt64($0) }
        }
        return numbers
    }

    /// Opens a written file, whose checksum the caller must have verified; the checksum may follow the content.
    ///
    /// - Throws: `Failure.Code.badData` if the file is too short or of another kind.
    package init(_ region: ByteRegion) throws(Failure) {
        let numbers = try Self.numbers(region, 0..<Self.headerNumbers)
        guard numbers[0] == Self.magic else { throw .damaged("it is not a prepared search") }
        let counts = numbers[13..<20].map { Int(truncatingIfNeeded: $0) }
        let (rankCount, columnCount, degreeCount, blockCount) = (counts[2], counts[3], counts[4], counts[5])
        // Rows hold descriptors if there are no degrees.
        let hasDescriptors = degreeCount < 0
        guard counts.allSatisfy({ $0 >= -1 }), rankCount < Int(UInt32.max), blockCount <= rankCount else {
            throw .damaged("its header is wrong")
        }
        var place = PlacedBlock(region, position: (Self.headerNumbers + blockCount * Self.blockNumbers) * 8)
        let ranked = RankedRows(
            rows: try place.take(rankCount, of: UInt32.self), sizes: try place.take(rankCount, of: UInt32.self))
        let offsets = try place.take(rankCount + 1, of: Int.self)
        let columns = try place.take(columnCount, of: UInt32.self)
        let heavyEnds = try hasDescriptors ? nil : place.take(rankCount, of: Int.self)
        let degrees = try hasDescriptors ? nil : place.take(degreeCount, of: UInt32.self)
        var blocks: [Block] = []
        for number in 0..<blockCount {
            let first = Self.headerNumbers + number * Self.blockNumbers
            let facts = try Self.numbers(region, first..<first + Self.blockNumbers).map { Int(truncatingIfNeeded: $0) }
            guard facts[0] >= 0, facts[0] < facts[1], facts[1] <= rankCount else {
                throw .damaged("block \(number) has no ranks")
            }
            let descriptors = try hasDescriptors ? nil : place.take(facts[3], of: UInt32.self)
            let light =
                try hasDescriptors
                ? nil
                : LightColumns(
                    words: place.take(facts[4], of: UInt64.self), values: place.take(facts[5], of: UInt32.self))
            blocks.append(
                Block(
                    BlockShape(ranks: facts[0]..<facts[1], bitmapMinimum: facts[2]), ranked, descriptors: descriptors,
                    light: light, lists: try place.take(facts[6], of: UInt16.self),
                    bitmaps: try place.take(facts[7], of: UInt64.self)))
        }
        let prepared = PreparedMatrix(
            ranked: ranked, offsets: offsets, columns: columns, heavyEnds: heavyEnds, blocks: blocks, degrees: degrees,
            largestDegree: UInt32(truncatingIfNeeded: counts[6]), increments: Double(bitPattern: numbers[20]))
        let parameters = SimilarityParameters(
            minimumEntries: Int(truncatingIfNeeded: numbers[2]), minimumCommon: Int(truncatingIfNeeded: numbers[3]),
            limit: Int(truncatingIfNeeded: numbers[4]),
            measure: Self.measure(Array(numbers[5..<5 + Self.measureNumbers])))
        self.init(
            identity: numbers[1], parameters: parameters, prepared: prepared, rowCount: counts[0],
            entryCount: counts[1])
    }

    private static func measure(_ numbers: [UInt64]) -> SimilarityParameters.Measure {
        guard numbers[0] > 0 else { return .cosine }
        let values = numbers.dropFirst().map(Double.init(bitPattern:))
        return .modified(
            ModifiedCosine(
                degreeDiscount: values[0], sourceExponent: values[1], neighbourExponent: values[2],
                shrinkage: values[3], scorePower: values[4], cut: numbers[0] == 1 ? .source : .target,
                listPower: values[5], limitExponent: values[6]))
    }

    private static func numbers(_ region: ByteRegion, _ range: Range<Int>) throws(Failure) -> [UInt64] {
        guard range.upperBound * 8 <= region.count else { throw .damaged("it is cut short") }
        return range.map { region.load($0 * 8, as: UInt64.self) }
    }
}

/// A cursor over the arrays of a file.
private struct PlacedBlock {
    let region: ByteRegion
    var position: Int

    init(_ region: ByteRegion, position: Int) {
        self.region = region
        self.position = position
    }

    /// Returns the number of bytes up to the next array.
    static func padding(_ position: Int) -> Int { -position & (Storage<UInt64>.alignment - 1) }

    mutating func take<Element: BitwiseCopyable>(_ count: Int, of: Element.Type) throws(Failure)
        -> Storage<Element>
    {
        let start = position + Self.padding(position)
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard count >= 0, !overflow, bytes <= region.count - start - Storage<Element>.slack else {
            throw .damaged("it is cut short")
        }
        position = start + bytes + Storage<Element>.slack
        return Storage(region, at: start, count: count)
    }
}

extension PreparedSearch {
    /// Divides the ranks into ranges of about the same cost.
    ///
    /// The cost of a rank is nearly the sum of d(u) over its columns u, each of which is in d(u) rows. The total is Σ
    /// d².
    ///
    /// A rank is not divided. If one rank costs much, fewer ranges are made; the others then do not all wait for it. No
    /// range costs more than three halves of its share.
    ///
    /// - Parameter count: the number of ranges wanted, 1 or more.
    package func ranges(count: Int) -> [Range<Int>] {
        let costs = self.costs()
        guard let most = costs.max() else { return [] }
        let total = costs.reduce(0, +)
        let share = total / max(1, min(Double(count), (total / most / 2).rounded(.down)))
        var ranges: [Range<Int>] = []
        var (start, sum) = (0, 0.0)
        for rank in costs.indices {
            sum += costs[rank]
            // A range ends where the sum is nearest to the sum of the shares.
            let next = rank + 1 < costs.count ? costs[rank + 1] : .infinity
            if rank + 1 == costs.count || sum + next / 2 > share * Double(ranges.count + 1) {
                ranges.append(start..<rank + 1)
                start = rank + 1
            }
        }
        return ranges
    }

    /// Returns the cost of each rank, roughly in nanoseconds of one core.
    func costs() -> [Double] {
        let scale = parameters.measure == .cosine ? 0.25 : 1
        let perRank = scale * 1.2 * Double(rankCount)
        let perEntry = scale * 6 * Double(prepared.blocks.count)
        // A bitmap costs the same for any number of targets.
        let most = prepared.blocks.reduce(0.0) { $0 + min(Double($1.bitmapMinimum), Double($1.ranks.count)) }
        let single = prepared.degrees == nil ? prepared.blocks.first : nil
        let lightDegree = meanLightDegree
        return (0..<rankCount).map { rank in
            let entries = prepared.offsets[rank]..<prepared.offsets[rank + 1]
            var degrees = 0.0
            if let single {
                for entry in entries {
                    let descriptor = prepared.columns[entry]
                    let isBitmap = descriptor & Block.bitmapFlag != 0
                    degrees += isBitmap ? most : Double(single.lists[Int(descriptor)])
                }
            } else if let heavyDegrees = prepared.degrees, let heavyEnd = prepared.heavyEnds?[rank] {
                for entry in entries.lowerBound..<heavyEnd {
                    degrees += min(Double(heavyDegrees[Int(prepared.columns[entry])]), most)
                }
                degrees += Double(entries.upperBound - heavyEnd) * lightDegree
            }
            return perRank + perEntry * Double(entries.count) + scale * 0.6 * degrees
        }
    }

    /// The mean number of ranks in a column, over the entries in light columns: Σ d² / Σ d.
    private var meanLightDegree: Double {
        guard let degrees = prepared.degrees else { return 0 }
        var (entries, increments) = (Double(prepared.columns.count), prepared.increments)
        for column in 0..<degrees.count {
            entries -= Double(degrees[column])
            increments -= Double(degrees[column]) * Double(degrees[column])
        }
        return entries > 0 ? increments / entries : 0
    }
}
