import CommandLineOptions
import FoundationEssentials
import Recompute

/// Options that have other processes find the neighbours.
enum ShareOptions {
    static let all = [
        Option(
            "tables", "FOLDER",
            help: "Read entries, users and photos from a folder of tables, and the rest from the catalog"),
        Option(
            "share", "FOLDER",
            help: "Have others find the neighbours by files in this folder: see the article \"Past one machine\""),
        Option("parts", "N", help: "With --share: into how many parts the work is cut", default: "64"),
        Option(
            "block-rows", "N",
            help: "With --share: the groups of a block, a multiple of 64 (default: what suits the caches)"),
    ]

    /// How neighbours are found.
    static func finding(_ parsed: ParsedCommand) throws -> any NeighbourFinding {
        guard let folder = parsed.textIfGiven("share") else { return OwnThreads() }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return SharedFinding(
            folder: folder, partCount: try parsed.integer("parts", in: 1...1_000_000),
            blockRows: try parsed.integerIfGiven("block-rows", in: 1...1 << 20), ask: ask)
    }

    /// Writes the order as a line of JSON to standard output, and waits until a line of standard input says "done".
    @Sendable private static func ask(_ order: SharedFinding.Order) throws(RecomputeError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(order), writeAll(Array(json) + [UInt8(ascii: "\n")], to: 1),
            readLine() == "done"
        else {
            throw .abandoned(
                "nobody answered \"done\" to the order of work by \(order.relation): the current version stays")
        }
    }
}
