import CatalogStore
import Changes
import CivilTime
public import Model
public import ModelStore

/// Examines everything that a site stores and reports problems with advice; it changes nothing.
public struct HealthCheck {
    /// The places that a health check examines.
    public struct Places: Sendable {
        /// The path of the catalog.
        public var catalog: String
        /// The location of the store of versions.
        public var store: StoreLocation
        /// The paths of the journals of daemons on this machine.
        public var journals: [String]
        /// The paths of the files with lists of sessions on this machine.
        public var sessions: [String]

        /// Creates places.
        public init(catalog: String, store: StoreLocation, journals: [String], sessions: [String]) {
            self.catalog = catalog
            self.store = store
            self.journals = journals
            self.sessions = sessions
        }
    }

    let places: Places
    let relations: RelationTable
    /// The present, in Unix milliseconds.
    let now: Int64
    /// A folder for the data read from a server, as large as a version; the check creates and removes it.
    let scratchFolder: String
    /// The store, with an empty cache, because the server's own data must be examined.
    var store: any VersionStore { places.store.open(cacheDirectory: scratchFolder) }

    /// Creates a health check.
    ///
    /// - Parameters:
    ///   - places: the places to examine.
    ///   - relations: the relations of the catalog.
    ///   - now: the present, in Unix milliseconds.
    ///   - scratchFolder: the path of a folder that does not exist yet. A version of a store in Redis must fit on its
    ///     disk.
    public init(_ places: Places, relations: RelationTable = .standard, now: Int64, scratchFolder: String) {
        self.places = places
        self.relations = relations
        self.now = now
        self.scratchFolder = scratchFolder
    }

    /// Examines everything, one place after another.
    ///
    /// - Parameter report: a function that receives each finding as soon as it is known.
    public func run(_ report: (Finding) throws -> Void) rethrows {
        var times = NewestTimes()
        for finding in catalogFindings(&times) { try report(finding) }
        for finding in storeFindings(&times) { try report(finding) }
        for finding in journalFindings(&times) { try report(finding) }
        for finding in sessionFindings() { try report(finding) }
        try report(clockFinding(times))
        for finding in diskFindings() { try report(finding) }
    }
}

/// The newest time among the records of all kinds, in Unix milliseconds.
struct NewestTimes {
    private(set) var newest: (what: String, milliseconds: Int64)?

    mutating func note(_ what: String, _ milliseconds: Int64?) {
        guard let milliseconds, milliseconds > newest?.milliseconds ?? .min else { return }
        newest = (what, milliseconds)
    }
}

/// A result of a health check: a subject, its state, and advice.
public struct Finding: Sendable, Equatable {
    /// The state of a subject.
    public enum State: String, Sendable, Encodable {
        /// Nothing is wrong.
        case good
        /// The subject works, but somebody should know of a problem.
        case warning
        /// Something is wrong.
        case bad
    }

    /// The subject, such as `catalog` or a version.
    public var subject: String
    /// The state of the subject.
    public var state: State
    /// The good news, or the problem.
    public var message: String
    /// The remedy, or `nil` if nothing is wrong.
    public var advice: String?

    /// Returns a finding that nothing is wrong.
    public static func good(_ subject: String, _ message: String) -> Finding {
        Finding(subject: subject, state: .good, message: message)
    }

    /// Returns a finding that the subject works, but that somebody should know of a problem.
    public static func warning(_ subject: String, _ message: String, advice: String) -> Finding {
        Finding(subject: subject, state: .warning, message: message, advice: advice)
    }

    /// Returns a finding that something is wrong.
    public static func bad(_ subject: String, _ message: String, advice: String) -> Finding {
        Finding(subject: subject, state: .bad, message: message, advice: advice)
    }
}

extension HealthCheck {
    /// Returns the findings about the catalog.
    func catalogFindings(_ times: inout NewestTimes) -> [Finding] {
        let path = places.catalog
        let place = CatalogPlace(of: path).map { place -> Finding in
            let problem = place.problem(ofCatalog: path)
            return place == .mountedFile
                ? .bad("catalog", problem, advice: place.advice) : .warning("catalog", problem, advice: place.advice)
        }
        return [place].compactMap(\.self) + contentFindings(path, &times)
    }

    private func contentFindings(_ path: String, _ times: inout NewestTimes) -> [Finding] {
        do throws(CatalogError) {
            let examination = try Catalog(path: path, mode: .reading, relations: relations).examine()
            times.note("an interaction", examination.latestInteractionMilliseconds)
            return findings(in: examination)
        } catch {
            // A machine that serves from a store in Redis needs no catalog.
            if error.code == .missing, store.shared != nil {
                return [.good("catalog", "there is none at \(path), and a store in Redis can do without it")]
            }
            let advice =
                switch error.code {
                case .missing: "name it with --catalog, or bring it back with \"coterie restore\""
                case .badData: "bring it back with \"coterie restore\""
                case .notACatalog, .busy, .fileFailed, .databaseFailed: "do what the message says, and check again"
                }
            return [.bad("catalog", error.message, advice: advice)]
        }
    }

    private func findings(in examination: CatalogExamination) -> [Finding] {
        guard examination.damage.isEmpty else {
            return [
                .bad(
                    "catalog", "\(places.catalog) is damaged: \(examination.damage.joined(separator: "; "))",
                    advice: "bring it back with \"coterie restore\"")
            ]
        }
        var findings: [Finding] = []
        for (reference, count) in examination.dangling.sorted(by: { $0.key < $1.key }) {
            findings.append(
                .bad(
                    "catalog", "\(count) rows of \(reference) name a row that does not exist",
                    advice: "bring it back with \"coterie restore\", or import what is missing again with --replace"))
        }
        for table in examination.withoutIndex {
            findings.append(
                .warning(
                    "catalog", "\(table) has no reverse index, as an import was killed: lists take long",
                    advice: "import anything, or start \"coterie serve\": both make it again"))
        }
        if examination.newerChanges > 0 {
            findings.append(
                .warning(
                    "catalog", "\(examination.newerChanges) changes that were put aside need a newer program",
                    advice: "upgrade this one: the first command that writes to the catalog applies them"))
        }
        return findings.isEmpty
            ? [.good("catalog", "\(places.catalog) is whole, and every row names what exists")] : findings
    }
}

extension HealthCheck {
    /// The longest normal wait of a change for its sending, in milliseconds; after it, no daemon is sending it.
    private static let outboxMilliseconds: Int64 = 600_000

    /// Returns the findings about the daemons' journals, and about changes that have not reached the store.
    func journalFindings(_ times: inout NewestTimes) -> [Finding] {
        // `nil` unless a store in Redis answers.
        let exchange = try? places.journals.isEmpty ? nil : store.shared?.exchange()
        return places.journals.flatMap { path -> [Finding] in
            let subject = "journal \(path)"
            do throws(ChangeError) {
                let journal = try ChangeJournal(path: path, mode: .reading)
                let examination = try journal.examine()
                times.note("a change in \(path)", examination.latestRecordedMilliseconds)
                let wrong = try findings(subject, examination) + waiting(subject, journal, examination, exchange)
                let count = examination.kept.values.reduce(0) { $0 + $1.last - $1.after }
                return wrong.isEmpty ? [.good(subject, "it is whole, with \(count) changes")] : wrong
            } catch {
                return [
                    .bad(
                        subject, error.message,
                        advice: "if its changes are in the store, remove it while its daemon is stopped")
                ]
            }
        }
    }

    private func findings(_ subject: String, _ examination: JournalExamination) -> [Finding] {
        guard examination.damage.isEmpty else {
            return [
                .bad(
                    subject, "it is damaged: \(examination.damage.joined(separator: "; "))",
                    advice: "stop its daemon and put it aside: other journals and the store have what it sent")
            ]
        }
        let gaps: [Finding] = examination.withGaps.map { origin in
            .bad(
                subject, "changes of the journal \(origin) are missing between others",
                advice: "stop its daemon and put it aside: other journals and the store have what it sent")
        }
        let damaged: [Finding] = examination.damagedChanges.prefix(10).map { name in
            .bad(
                subject, "change \(name.sequence) of the journal \(name.origin) is damaged",
                advice: "let its daemon run, which fetches it again if the store has it")
        }
        return gaps + damaged
            + examination.newerChanges.map { name in
                .warning(
                    subject, "change \(name.sequence) of the journal \(name.origin) needs a newer program",
                    advice: "upgrade this one: until then it is kept, and those after it wait for it in recomputes")
            }
    }

    private func waiting(
        _ subject: String, _ journal: ChangeJournal, _ examination: JournalExamination, _ exchange: ChangeExchange?
    ) throws(ChangeError) -> [Finding] {
        guard let exchange, examination.damage.isEmpty else { return [] }
        let (count, oldest) = try journal.backlog(in: exchange)
        guard let oldest, now - oldest > Self.outboxMilliseconds else { return [] }
        let since = UnixTime(seconds: oldest / 1000)?.description ?? "long ago"
        return [
            .bad(
                subject, "\(count) changes are not in the store, the oldest since \(since)",
                advice: "start the daemon of this journal: it sends them")
        ]
    }
}
