import CatalogStore
import CommandLineOptions
import FoundationEssentials

/// `coterie clean KIND`.
enum CleanCommand: Subcommand {
    private static let kinds = ImportKind.all(of: Coterie.relations)

    static let command = Command(
        "clean", summary: "Check records as an import does, and write them in one form",
        discussion: """
            For programs that fill tables without a catalog, such as Jobs/spark/recompute.py. Records are read from \
            standard input, in any format that "coterie import" reads; rows are written to standard output, separated \
            by tabs: the columns of the kind, times in seconds since 1970, then which of them the record has, as a \
            sum of powers of two (1 for the first column), and the line of the input at which it began. Records that \
            an import would reject are left out; how many there were, and why, is written to standard error as one \
            line of JSON.
            """,
        arguments: [Argument("KIND", help: kinds.map(\.name).joined(separator: ", "))],
        options: [
            Option(
                "timezone", "ZONE", help: "The zone of times without one: +02:00, Europe/Berlin", default: "UTC")
        ],
        examples: ["coterie clean memberships <memberships.csv >clean.tsv"])

    static func run(_ parsed: ParsedCommand) throws {
        guard let kind = kinds.first(where: { $0.name == parsed.arguments[0] }) else {
            throw UsageError(
                "\"\(parsed.arguments[0])\" cannot be cleaned; KIND is one of "
                    + kinds.map(\.name).joined(separator: ", "))
        }
        let cleaner = RecordCleaner(kind, zone: try parsed.clockZone("timezone"))
        let summary = try cleaner.clean("-") { rows throws(CatalogError) in
            guard writeAll(rows, to: 1) else { throw CatalogError(.fileFailed, "cannot write to standard output") }
        }
        complain(String(decoding: try JSONEncoder().encode(summary), as: UTF8.self))
    }
}
