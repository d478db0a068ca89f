import Basics
import CommandLine
import Glibc

extension ParsedCommand {
    /// Returns the time zone of an option: an offset such as `+02:00`, or a name such as `Europe/Berlin`.
    func clockZone(_ name: String) throws(UsageError) -> ClockZone {
        let text = text(name)
        if let zone = ClockZone(text) ?? NamedClockZone.zone(named: text) { return zone }
        throw badValue(
            text, of: name, expected: "UTC, an offset such as +02:00, or a zone that this machine knows (Europe/Berlin)"
        )
    }
}

/// Time zones of the machine's zone database, read through the C library.
private enum NamedClockZone {
    /// Returns the zone with a name, or `nil` if the machine does not know it.
    static func zone(named name: String) -> ClockZone? {
        let names = name.unicodeScalars
        guard !name.isEmpty, !name.hasPrefix("/"), !name.contains(".."), names.allSatisfy({ $0.isASCII }) else {
            return nil
        }
        let folder = unsafe getenv("TZDIR").map { unsafe String(cString: $0) } ?? "/usr/share/zoneinfo"
        // The C library takes UTC for an unknown name, so this looks for the zone's file first.
        guard let status = FileTree.status(of: "\(folder)/\(name)"), status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let previous = unsafe getenv("TZ").map { unsafe String(cString: $0) }
        use(":" + name)
        defer { use(previous) }
        return scanned()
    }

    private static func use(_ zone: String?) {
        if let zone { _ = unsafe setenv("TZ", zone, 1) } else { unsafe unsetenv("TZ") }
        tzset()
    }

    /// Returns the zone in use, found by comparing the offset of each day with that of the next.
    ///
    /// It would miss two changes within a day that cancel each other, but no zone has them.
    private static func scanned() -> ClockZone {
        let first = offsetSeconds(at: UnixTime.bounds.lowerBound)
        var changes: [(from: Int64, offsetSeconds: Int)] = []
        var (day, current) = (UnixTime.bounds.lowerBound, first)
        while day < UnixTime.bounds.upperBound {
            let next = day + 86_400
            if offsetSeconds(at: next) != current {
                var (before, after) = (day, next)
                while after - before > 1 {
                    let middle = before + (after - before) / 2
                    if offsetSeconds(at: middle) == current { before = middle } else { after = middle }
                }
                current = offsetSeconds(at: after)
                changes.append((after, current))
            }
            day = next
        }
        return ClockZone(first: first, changes: changes)
    }

    private static func offsetSeconds(at seconds: Int64) -> Int {
        var (time, parts) = unsafe (time_t(seconds), tm())
        unsafe localtime_r(&time, &parts)
        return unsafe parts.tm_gmtoff
    }
}
