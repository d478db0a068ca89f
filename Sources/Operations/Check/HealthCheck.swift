import Service
import CatalogStore
package import Model
package import ModelStore

/// Examines everything that a site depends on, and reports faults with advice; it changes nothing.
package struct HealthCheck: Sendable {
    /// The places that a health check examines.
    package struct Places: Sendable {
        package var catalog: String
        package var store: StoreLocation
        /// The folder in which versions of a store in Redis are cached.
        package var cache: String
        /// The paths of the journals of daemons on this machine.
        package var journals: [String]
        /// The paths of the files with lists of sessions on this machine.
        package var sessions: [String]
        /// The file that tells how the weekly job last ended, or `nil` if none is named.
        package var recomputeStatus: String?
        /// The folder of backups, or `nil` if none is named.
        package var backups: String?
        /// The key file, or `nil` if none is named.
        package var keys: String?
        /// The paths of certificates and tokens whose end is reported in advance.
        package var ending: [String] = []
        /// The folder of the system's logs.
        package var logs = "/var/log"

        package init(
            catalog: String, store: StoreLocation, cache: String, journals: [String] = [], sessions: [String] = []
        ) {
            self.catalog = catalog
            self.store = store
            self.cache = cache
            self.journals = journals
            self.sessions = sessions
        }
    }

    package let places: Places
    /// The values of bounds that differ from the standard.
    package var bounds: [HealthBound: Int] = [:]
    /// The evicted keys of Redis that the check before this one saw, or `nil` if it is not known.
    package var evictedBefore: Int?
    package var configuration: @Sendable () -> Finding = { .good("there is no file") }
    let relations: RelationTable
    /// Returns the present, in Unix milliseconds.
    private let clock: @Sendable () -> Int64
    /// A folder for the data read from a server, as large as a version; the check creates and removes it.
    let scratchFolder: String
    /// The store, with an empty cache, because the server's own data must be examined.
    var store: any VersionStore { places.store.open(cacheDirectory: scratchFolder) }

    /// Creates a health check.
    ///
    /// - Parameters:
    ///   - scratchFolder: the path of a folder that does not exist yet. A version of a store in Redis must fit on its
    ///     disk.
    ///   - clock: returns the present, in Unix milliseconds. A check of a large site takes minutes.
    package init(
        _ places: Places, relations: RelationTable = .standard, scratchFolder: String,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.places = places
        self.relations = relations
        self.clock = clock
        self.scratchFolder = scratchFolder
    }

    /// Asks all questions, one after another.
    ///
    /// - Parameter report: a function that receives each finding as soon as it is known.
    /// - Returns: what was learnt on the way.
    package func run(_ report: (Finding) throws -> Void) rethrows -> HealthRecord {
        var record = HealthRecord()
        for question in HealthQuestion.all {
            for var finding in question.answer(self, &record) {
                if finding.subject.isEmpty { finding.subject = question.subject }
                try report(finding)
            }
        }
        return record
    }

    /// The present, in Unix milliseconds.
    var now: Int64 { clock() }

    subscript(_ bound: HealthBound) -> Int { bounds[bound] ?? bound.standard }

    /// Returns the whole days from a time to the present.
    func days(since milliseconds: Int64) -> Int { Int((now - milliseconds) / 86_400_000) }
}

/// The facts that one question of a health check learns, and later ones need.
package struct HealthRecord: Sendable {
    /// The newest time among the records of all kinds, in Unix milliseconds.
    private(set) var newest: (what: String, milliseconds: Int64, mending: String?)?
    /// The times in the catalog's tables that are in the future.
    var futureTimes: [CatalogExamination.FutureTimes] = []
    /// The manifests of all versions, oldest first.
    var manifests: [Manifest] = []
    var current: VersionName?
    /// The time at which it became current, in Unix milliseconds.
    var currentSince: Int64?
    /// The reports of the daemons that run on the store.
    var daemons: [DaemonReport] = []
    /// The time at which the reports were read, in Unix milliseconds.
    var reportsReadAt: Int64 = 0
    var server: RedisServerState?
    /// The number of keys that Redis has evicted since its start.
    package var evictedKeys: Int? { server?.evictedKeys }

    /// Takes the newest time among some records.
    ///
    /// - Parameter mending: a remedy for a time in the future, or `nil` for the usual one.
    mutating func note(_ what: String, _ milliseconds: Int64?, mending: String? = nil) {
        guard let milliseconds, milliseconds > newest?.milliseconds ?? .min else { return }
        newest = (what, milliseconds, mending)
    }
}

/// A result of a health check: a subject, its state, and advice.
package struct Finding: Sendable, Equatable {
    /// The state of a subject.
    package enum State: String, Sendable, Encodable, CaseIterable {
        /// Nothing is wrong.
        case good
        /// The subject works, but somebody should know of a problem.
        case warning
        /// Something is wrong.
        case bad
    }

    /// The subject, such as `catalog` or a version.
    package var subject: String
    package var state: State
    /// The good news, or the problem.
    package var message: String
    /// The remedy, or `nil` if nothing is wrong.
    package var advice: String?

    /// Returns a finding that nothing is wrong.
    ///
    /// - Parameter subject: the subject with a name, or "" for that of the question.
    package static func good(of subject: String = "", _ message: String) -> Finding {
        Finding(subject: subject, state: .good, message: message)
    }

    /// Returns a finding of a fault.
    ///
    /// - Parameters:
    ///   - subject: the subject with a name, or "" for that of the question.
    ///   - message: the fault as it was found, with its numbers and names.
    ///   - advice: a remedy for just this case, or `nil` for the usual one.
    static func found(
        _ fault: HealthFault, of subject: String = "", _ message: String, advice: String? = nil
    ) -> Finding {
        Finding(subject: subject, state: fault.state, message: message, advice: advice ?? fault.advice)
    }

    /// Returns the finding that the configuration cannot be used.
    package static func badConfiguration(_ message: String, advice: String) -> Finding {
        .found(.badConfiguration, of: HealthQuestion.configuration.subject, message, advice: advice)
    }
}

extension HealthFault {
    static let badConfiguration = HealthFault(
        .bad, "a configuration file cannot be used", advice: "mend the line that the message names")
}

extension HealthQuestion {
    static let configuration = HealthQuestion(
        "configuration", looksAt: "the configuration files", faults: [.badConfiguration]
    ) { check, _ in [check.configuration()] }
}
