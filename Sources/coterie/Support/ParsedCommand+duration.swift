import CommandLineOptions

extension ParsedCommand {
    /// The duration given for an option that is required or has a default: digits and s, m, h or d, such as `15m`.
    ///
    /// - Parameter bounds: the shortest and the longest allowed, both inclusive.
    /// - Throws: `UsageError` with option, value and bounds.
    func duration(_ name: String, in bounds: ClosedRange<Duration>) throws(UsageError) -> Duration {
        let text = text(name)
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...bounds.upperBound.components.seconds / unit).contains(count), bounds.contains(.seconds(count * unit))
        else {
            let range = "\(bounds.lowerBound.components.seconds)s to \(bounds.upperBound.components.seconds / 86400)d"
            throw badValue(text, of: name, expected: "a duration such as 90s, 15m, 1h or 7d, from \(range)")
        }
        return .seconds(count * unit)
    }
}
