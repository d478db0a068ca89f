public import Model
import ModelStore
public import Similarity

/// Finds neighbours with other processes, which read a prepared search from a folder and write blocks of pairs into it.
///
/// All files are in that folder while a relation is compared, and are removed afterwards, also if that fails.
public struct SharedFinding: NeighbourFinding {
    /// What is asked of others: for each range of ranks, the block of pairs that `PairFile.write` makes.
    public struct Order: Sendable, Codable {
        /// The relation.
        public var relation: String
        /// The file of the prepared search.
        public var search: String
        /// How many rows count; they are numbered from 0 on.
        public var rows: Int
        /// The parts of the work, of about equal cost.
        public var parts: [Part]
    }

    /// A part of the work.
    public struct Part: Sendable, Codable {
        /// The first row.
        public var first: Int
        /// The row behind the last.
        public var end: Int
        /// The file to write.
        public var block: String
    }

    /// The folder, which all processes can reach.
    private let folder: String
    private let partCount: Int
    private let blockRows: Int?
    private let ask: @Sendable (Order) throws(RecomputeError) -> Void

    /// - Parameters:
    ///   - folder: must exist.
    ///   - partCount: into how many parts to cut the work, 1 or more.
    ///   - blockRows: the most rows of a block, if memory is short; nil for what suits the caches.
    ///   - ask: has the work done, and returns when it is; throws if it cannot be.
    public init(
        folder: String, partCount: Int, blockRows: Int?, ask: @escaping @Sendable (Order) throws(RecomputeError) -> Void
    ) {
        self.folder = folder
        self.partCount = partCount
        self.blockRows = blockRows
        self.ask = ask
    }

    /// The lists of every row.
    public func neighbours(
        _ relation: Relation, of matrix: BinaryMatrix, _ search: NeighbourSearch, identity: UInt64,
        progress: @escaping NeighbourSearch.Progress
    ) throws(RecomputeError) -> NeighbourTable {
        let prepared = PreparedSearch(
            matrix, search.parameters, path: search.path, threads: search.threads, blockRows: blockRows,
            identity: identity)
        let prefix = "\(folder)/\(relation.rawValue)-\(String(identity, radix: 36))"
        let order = Order(
            relation: relation.rawValue, search: prefix + ".search", rows: prepared.rankCount,
            parts: prepared.ranges(count: partCount).map { ranks in
                Part(
                    first: ranks.lowerBound, end: ranks.upperBound,
                    block: "\(prefix)-\(ranks.lowerBound)-\(ranks.upperBound).pairs")
            })
        defer {
            WorkFile.remove(order.search)
            for part in order.parts { WorkFile.remove(part.block) }
        }
        try PairFile.write(prepared, to: order.search)
        if !order.parts.isEmpty { try ask(order) }
        var blocks: [PairBlock] = []
        for (index, part) in order.parts.enumerated() {
            blocks.append(try PairFile.read(part.block))
            progress(index + 1, order.parts.count)
        }
        do throws(PreparedSearchError) {
            return try prepared.lists(blocks, of: matrix, threads: search.threads)
        } catch { throw .model("the neighbours by \(relation.rawValue) cannot be put together: \(error)") }
    }
}

/// The files of a shared search.
public enum PairFile {
    /// Writes a prepared search.
    static func write(_ search: PreparedSearch, to path: String) throws(RecomputeError) {
        try storing { () throws(StoreError) in
            try WorkFile.write(to: path) { add throws(StoreError) in try search.write(add) }
        }
    }

    /// Reads a block of pairs.
    static func read(_ path: String) throws(RecomputeError) -> PairBlock {
        let region = try storing { () throws(StoreError) in try WorkFile.open(path) }
        let bytes = unsafe region.withBytes(0..<region.count - 8) { unsafe Array($0) }
        do throws(PreparedSearchError) { return try PairBlock(bytes) } catch { throw .model("\(path): \(error)") }
    }

    /// Finds the pairs of some rows of a prepared search, and writes the block.
    ///
    /// That is the whole work of a process of a cluster. Doing it again changes nothing.
    ///
    /// - Parameters:
    ///   - search: the file of the prepared search.
    ///   - rows: which of its rows.
    ///   - path: the block to write.
    ///   - rowsAtOnce: for so many rows, every part of the file is read once.
    /// - Returns: how many rows there were.
    public static func write(
        _ search: String, rows: Range<Int>, to path: String, threads: Int, path processor: ProcessorPath,
        rowsAtOnce: Int
    ) throws(RecomputeError) -> Int {
        let region = try storing { () throws(StoreError) in try WorkFile.open(search) }
        let prepared: PreparedSearch
        do throws(PreparedSearchError) { prepared = try PreparedSearch(region) } catch {
            throw .model("\(search): \(error)")
        }
        guard rows.upperBound <= prepared.rankCount else {
            throw .model("\(search) has \(prepared.rankCount) rows, and not \(rows.upperBound)")
        }
        let block = prepared.pairs(of: rows, threads: threads, path: processor, rowsAtOnce: rowsAtOnce)
        try storing { () throws(StoreError) in
            try WorkFile.write(to: path) { add throws(StoreError) in try unsafe add(block.encoded.span.bytes) }
        }
        return rows.count
    }

    private static func storing<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(RecomputeError)
        -> Result
    {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }
}

/// How a recompute finds the neighbours of a relation: by itself, or with others.
public protocol NeighbourFinding: Sendable {
    /// The lists of every row; they do not depend on how they are found.
    ///
    /// - Parameters:
    ///   - relation: of which relation the matrix is.
    ///   - matrix: groups × users or photos.
    ///   - identity: a number that no other run has.
    ///   - progress: told of the work done.
    func neighbours(
        _ relation: Relation, of matrix: BinaryMatrix, _ search: NeighbourSearch, identity: UInt64,
        progress: @escaping NeighbourSearch.Progress
    ) throws(RecomputeError) -> NeighbourTable
}

/// Finds neighbours in this process, on several threads.
public struct OwnThreads: NeighbourFinding {
    /// No settings: the search has them.
    public init() {}

    /// The lists of every row.
    public func neighbours(
        _ relation: Relation, of matrix: BinaryMatrix, _ search: NeighbourSearch, identity: UInt64,
        progress: @escaping NeighbourSearch.Progress
    ) throws(RecomputeError) -> NeighbourTable {
        search.run(on: matrix, progress: progress)
    }
}
