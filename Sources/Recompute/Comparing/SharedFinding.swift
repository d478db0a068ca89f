package import Basics
import Model
import ModelStore
package import Similarity

/// Finds neighbours together with other processes.
///
/// The processes read a prepared search from a folder, and write blocks of pairs into it. The files exist while a
/// relation is compared; they are removed afterwards, also after a failure.
package struct SharedFinding: Sendable {
    /// The work for the other processes: for each part, the block of pairs that `PairFile.write` makes.
    package struct Order: Sendable, Codable {
        package var relation: String
        /// The file of the prepared search.
        package var search: String
        /// The number of rows that count; they are numbered from 0.
        package var rows: Int
        /// The parts of the work, of about equal cost.
        package var parts: [Part]
    }

    /// A part of the work.
    package struct Part: Sendable, Codable {
        /// The first row, inclusive.
        package var first: Int
        /// The end of the rows, exclusive.
        package var end: Int
        /// The path of the block to write.
        package var block: String
    }

    /// The folder, which all processes can reach.
    private let folder: String
    private let partCount: Int
    private let blockRows: Int?
    private let ask: @Sendable (Order) throws(Failure) -> Void

    /// Creates a search that is shared with other processes.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; it must exist.
    ///   - partCount: the number of parts, 1 or more.
    ///   - blockRows: the most rows of a block, if memory is short, or `nil` for a size that suits the caches.
    ///   - ask: has the work done and returns afterwards; throws if the work cannot be done.
    package init(
        folder: String, partCount: Int, blockRows: Int?, ask: @escaping @Sendable (Order) throws(Failure) -> Void
    ) {
        self.folder = folder
        self.partCount = partCount
        self.blockRows = blockRows
        self.ask = ask
    }

    /// Returns the neighbour lists of all rows, the same as `NeighbourSearch.run`.
    ///
    /// - Parameters:
    ///   - matrix: groups × users or photos.
    ///   - identity: a number that no other run has.
    ///   - progress: called with the parts done and all parts.
    func neighbours(
        _ relation: Relation, of matrix: BinaryMatrix, _ search: NeighbourSearch, identity: UInt64,
        progress: @escaping NeighbourSearch.Progress
    ) throws(Failure) -> NeighbourTable {
        let prepared = PreparedSearch(
            matrix, search.parameters, threads: search.threads, blockRows: blockRows, identity: identity)
        let prefix = "\(folder)/\(relation.rawValue)-\(String(identity, radix: 36))"
        let order = Order(
            relation: relation.rawValue, search: prefix + ".search", rows: prepared.rankCount,
            parts: prepared.ranges(count: partCount).map { ranks in
                Part(
                    first: ranks.lowerBound, end: ranks.upperBound,
                    block: "\(prefix)-\(ranks.lowerBound)-\(ranks.upperBound).pairs")
            })
        defer {
            try? FileTree.remove(order.search)
            for part in order.parts { try? FileTree.remove(part.block) }
        }
        try PairFile.write(prepared, to: order.search)
        if !order.parts.isEmpty { try ask(order) }
        var blocks: [PairBlock] = []
        for (index, part) in order.parts.enumerated() {
            blocks.append(try PairFile.read(part.block))
            progress(index + 1, order.parts.count)
        }
        do throws(Failure) {
            return try prepared.lists(blocks, of: matrix, threads: search.threads)
        } catch { throw Failure(.badData, "the neighbours by \(relation.rawValue) cannot be put together: \(error)") }
    }
}

/// The files of a shared search.
package enum PairFile {
    static func write(_ search: PreparedSearch, to path: String) throws(Failure) {
        try WorkFile.write(to: path) { add throws(Failure) in try search.write(add) }
    }

    static func read(_ path: String) throws(Failure) -> PairBlock {
        let region = try WorkFile.open(path)
        let bytes = unsafe region.withBytes(0..<region.count - 8) { unsafe Array($0) }
        do throws(Failure) { return try PairBlock(bytes) } catch {
            throw Failure(.badData, "\(path): \(error)")
        }
    }

    /// Finds the pairs of some rows of a prepared search, and writes their block.
    ///
    /// This is the whole work of one process of a cluster. It is idempotent.
    ///
    /// - Returns: the number of rows.
    package static func write(
        _ search: String, rows: Range<Int>, to path: String, threads: Int, path processor: ProcessorPath,
        rowsAtOnce: Int
    ) throws(Failure) -> Int {
        let region = try WorkFile.open(search)
        let prepared: PreparedSearch
        do throws(Failure) { prepared = try PreparedSearch(region) } catch {
            throw Failure(.badData, "\(search): \(error)")
        }
        guard rows.upperBound <= prepared.rankCount else {
            throw Failure(.badData, "\(search) has \(prepared.rankCount) rows, and not \(rows.upperBound)")
        }
        let block = prepared.pairs(of: rows, threads: threads, path: processor, rowsAtOnce: rowsAtOnce)
        try WorkFile.write(to: path) { add throws(Failure) in try unsafe add(block.encoded.span.bytes) }
        return rows.count
    }
}
