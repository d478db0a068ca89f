import CommandLineOptions
import Recompute

/// Options that say how far a new version may be from the current one.
enum GateOptions {
    private static let standard = GateLimits()

    static var all: [Option] {
        [
            limit("max-lost", "Groups, members and entries that may be gone", standard.lost),
            limit("max-emptied", "Groups that may be left without neighbours", standard.emptied),
            limit("min-overlap", "How many of the 10 best neighbours must be the same", standard.overlap),
            limit("max-drift", "How far scores may move", standard.drift),
            Option(flag: "force", help: "Make the new version current, however different it is"),
        ]
    }

    /// The limits that the options give.
    static func limits(of parsed: ParsedCommand) throws(UsageError) -> GateLimits {
        func share(_ name: String) throws(UsageError) -> Double { Double(try parsed.integer(name)) / 100 }
        return GateLimits(
            lost: try share("max-lost"), emptied: try share("max-emptied"), overlap: try share("min-overlap"),
            drift: try share("max-drift"))
    }

    private static func limit(_ name: String, _ help: String, _ share: Double) -> Option {
        Option(
            name, "PERCENT", help: help, default: String(Int((share * 100).rounded())), type: .integer(0...1000),
            setting: Setting("recompute.gate.\(Setting.camelCased(name))Percent"))
    }
}
