import CommandLineOptions
import Recompute

/// Options that say how far a new version may be from the current one.
enum GateOptions {
    private static let standard = GateLimits()

    static var all: [Option] {
        [
            Option(
                "max-lost", "PERCENT", help: "Groups, members and entries that may be gone",
                default: percent(standard.lost)),
            Option(
                "max-emptied", "PERCENT", help: "Groups that may be left without neighbours",
                default: percent(standard.emptied)),
            Option(
                "min-overlap", "PERCENT", help: "How many of the 10 best neighbours must be the same",
                default: percent(standard.overlap)),
            Option(
                "max-drift", "PERCENT", help: "How far scores may move",
                default: percent(standard.drift)),
            Option(flag: "force", help: "Make the new version current, however different it is"),
        ]
    }

    /// The limits that the options give.
    static func limits(of parsed: ParsedCommand) throws(UsageError) -> GateLimits {
        func share(_ name: String) throws(UsageError) -> Double { Double(try parsed.integer(name, in: 0...1000)) / 100 }
        return GateLimits(
            lost: try share("max-lost"), emptied: try share("max-emptied"), overlap: try share("min-overlap"),
            drift: try share("max-drift"))
    }

    private static func percent(_ share: Double) -> String { String(Int((share * 100).rounded())) }
}
