import Basics
import CatalogStore
import CommandLine
import Model
import RecordReading

/// The options of commands that remove what ids or files name, or give it another id.
extension ParsedCommand {
    static let dryRun = Option(flag: "dry-run", help: "Say what would happen, table by table; change nothing")
    static let allowShrinking = Option(
        flag: "allow-shrinking", help: "Let a file remove more than a tenth of all, if there are 20 or more")

    /// Returns the way to remove things.
    ///
    /// - Parameter fromFiles: whether files name them, and not the command line alone.
    func removalOptions(fromFiles: Bool) -> RemovalOptions {
        RemovalOptions(isDryRun: flag("dry-run"), allowsShrinking: flag("allow-shrinking") || !fromFiles)
    }

    /// Returns the names of an option that takes several with commas between them, and may be repeated.
    func names(_ option: String) -> [String] {
        texts(option).flatMap { $0.split(separator: ",") }.map(String.init)
    }

    /// Returns the ids of users on the command line and in the list of `--users`, each of them once.
    func userIDs() throws -> [String] {
        try Self.once(arguments + (textIfGiven("users").map(Self.listedUserIDs) ?? []))
    }

    static func listedUserIDs(in path: String) throws -> [String] {
        try once(InputFile.ids(in: path).filter { !$0.isEmpty })
    }

    /// Returns ids without those that come again, whose number goes to standard error.
    private static func once(_ ids: [String]) -> [String] {
        var seen: Set<BytewiseString> = []
        let once = ids.filter { seen.insert(BytewiseString($0)).inserted }
        let count = ids.count - once.count
        if count > 0 { printToStandardError("ids that come again, and count once: \(count.grouped)") }
        return once
    }
}

extension RemovalSummary {
    /// Fails if things were named that the catalog does not have, or that a dry run says would be refused.
    ///
    /// - Parameter kind: the word for one of them.
    func check(_ kind: String, note: String = "") throws(Failure) {
        if let failure { throw Failure(failure) }
        guard unknownCount > 0 else { return }
        let named = unknown.prefix(5).map { "\"\(shown($0))\"" }.joined(separator: ", ")
        let more = unknownCount > 5 ? " and \(unknownCount - 5) more" : ""
        throw Failure(.badData, "the catalog has no \(kind) \(named)\(more)\(note)")
    }
}
