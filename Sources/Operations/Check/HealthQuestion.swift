/// A question of a health check, about one thing that a site depends on.
///
/// The table `all` drives the check itself, the help of `coterie check`, and its settings.
package struct HealthQuestion: Sendable {
    package let subject: String
    /// The things that it looks at, a noun phrase.
    package let looksAt: String
    /// The faults that it can find.
    package let faults: [HealthFault]
    /// Returns the findings; more than one if there are several things of the kind.
    let answer: @Sendable (HealthCheck, inout HealthRecord) -> [Finding]

    init(
        _ subject: String, looksAt: String, faults: [HealthFault],
        answer: @escaping @Sendable (HealthCheck, inout HealthRecord) -> [Finding]
    ) {
        self.subject = subject
        self.looksAt = looksAt
        self.faults = faults
        self.answer = answer
    }

    /// All questions, in the order in which they are asked.
    package static let all: [HealthQuestion] = [
        .configuration, .catalog, .vectors, .redis, .store, .version, .recompute, .imports, .streams, .journal,
        .sessions, .daemon, .program, .clock, .disk, .limits, .backup, .ending, .units,
    ]
}

/// A fault that a health check can find: its cause, and what to do about it.
package struct HealthFault: Sendable {
    package let state: Finding.State
    /// The cause, as a clause without a subject of its own: "the last run failed".
    package let cause: String
    /// The bound that decides, or `nil` if none does.
    package let bound: HealthBound?
    package let advice: String

    init(_ state: Finding.State, _ cause: String, bound: HealthBound? = nil, advice: String) {
        self.state = state
        self.cause = cause
        self.bound = bound
        self.advice = advice
    }
}

/// A number that decides whether something counts as a fault; each is a setting of `coterie check`.
package enum HealthBound: String, Sendable, CaseIterable {
    case versionWarnDays = "version-warn-days"
    case versionBadDays = "version-bad-days"
    case recomputeDays = "recompute-days"
    case importDays = "import-days"
    case evictionDays = "eviction-days"
    case memoryPercent = "memory-percent"
    case waitingSeconds = "waiting-seconds"
    case lagSeconds = "lag-seconds"
    case clockSeconds = "clock-seconds"
    case freeMiB = "free-mib"
    case freeFiles = "free-files"
    case openFilesPercent = "open-files-percent"
    case backupDays = "backup-days"
    case endingDays = "ending-days"

    /// The name of the option that sets the bound.
    package var name: String { rawValue }

    /// The placeholder of the option's value.
    package var placeholder: String { facts.placeholder }
    /// The usual value.
    package var standard: Int { facts.standard }
    package var meaning: String { facts.meaning }

    private var facts: (placeholder: String, standard: Int, meaning: String) {
        switch self {
        case .versionWarnDays: ("DAYS", 14, "The age of the current version above which there is a warning")
        case .versionBadDays: ("DAYS", 28, "The age of the current version above which it is bad")
        case .recomputeDays:
            ("DAYS", 8, "The time since the last success of the weekly job above which there is a warning")
        case .importDays:
            ("DAYS", 0, "The time since the last import that succeeded above which there is a warning; 0 for none")
        case .evictionDays: ("DAYS", 7, "The time for which evictions since the start of Redis are reported")
        case .memoryPercent: ("PERCENT", 90, "The share of a memory limit above which its use is reported")
        case .waitingSeconds: ("SECONDS", 600, "The longest normal wait of a change in a journal")
        case .lagSeconds:
            ("SECONDS", 300, "The longest normal lag of a daemon behind the current version and the other daemons")
        case .clockSeconds: ("SECONDS", 60, "The tolerated difference of clocks")
        case .freeMiB: ("MIB", 256, "The free space of a disk below which it is reported, even if less is needed")
        case .freeFiles: ("N", 1000, "The number of files that a disk can still take, below which it is reported")
        case .openFilesPercent: ("PERCENT", 80, "The share of its limit on open files above which a daemon is reported")
        case .backupDays: ("DAYS", 2, "The age of the newest backup above which it is bad")
        case .endingDays: ("DAYS", 21, "The time before the end of a certificate or token from which on it is reported")
        }
    }
}
