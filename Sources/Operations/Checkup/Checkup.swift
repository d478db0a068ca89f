import CatalogStore
import CivilTime
public import Model
public import ModelStore

/// Looks at everything that a site keeps, and says what is wrong and what to do; it changes nothing.
public struct Checkup {
    /// Where what is looked at lies.
    public struct Places: Sendable {
        /// The catalog.
        public var catalog: String
        /// The store of versions.
        public var store: StoreLocation
        /// Journals of daemons on this machine.
        public var journals: [String]
        /// Files with the lists of sessions on this machine.
        public var sessions: [String]

        /// Places.
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
    /// A folder for what is read from a server, as large as a version; made and removed by the checkup.
    let scratchFolder: String
    /// The store; what is read from a server goes through an empty cache, as what counts is what the server has.
    var store: any VersionStore { places.store.open(cacheDirectory: scratchFolder) }

    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - scratchFolder: a folder that does not exist yet, on a disk with room for a version of a store in Redis.
    public init(_ places: Places, relations: RelationTable = .standard, now: Int64, scratchFolder: String) {
        self.places = places
        self.relations = relations
        self.now = now
        self.scratchFolder = scratchFolder
    }

    /// Looks at everything, one thing after the other.
    ///
    /// - Parameter report: called with each finding as soon as it is known.
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

/// The newest time of records of each kind, in Unix milliseconds.
struct NewestTimes {
    private(set) var newest: (what: String, milliseconds: Int64)?

    mutating func note(_ what: String, _ milliseconds: Int64?) {
        guard let milliseconds, milliseconds > newest?.milliseconds ?? .min else { return }
        newest = (what, milliseconds)
    }
}

/// Something that a checkup looked at, and what is wrong with it.
public struct Finding: Sendable, Equatable {
    /// Whether all is well.
    public enum State: String, Sendable, Encodable {
        /// Nothing is wrong.
        case good
        /// It works, but somebody should know.
        case warning
        /// Something is wrong.
        case bad
    }

    /// What was looked at, such as `catalog` or a version.
    public var subject: String
    /// Whether all is well with it.
    public var state: State
    /// What there is, or what is wrong.
    public var message: String
    /// What to do about it; nil if nothing is wrong.
    public var advice: String?

    /// Nothing is wrong.
    public static func good(_ subject: String, _ message: String) -> Finding {
        Finding(subject: subject, state: .good, message: message)
    }

    /// It works, but somebody should know.
    public static func warning(_ subject: String, _ message: String, advice: String) -> Finding {
        Finding(subject: subject, state: .warning, message: message, advice: advice)
    }

    /// Something is wrong.
    public static func bad(_ subject: String, _ message: String, advice: String) -> Finding {
        Finding(subject: subject, state: .bad, message: message, advice: advice)
    }
}

extension Checkup {
    /// What is wrong with the catalog.
    func catalogFindings(_ times: inout NewestTimes) -> [Finding] {
        let path = places.catalog
        do throws(CatalogError) {
            let examination = try Catalog(path: path, mode: .reading, relations: relations).examine()
            times.note("an interaction", examination.latestInteractionMilliseconds)
            return findings(in: examination)
        } catch {
            // A machine that serves from a store in Redis needs none.
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
        if examination.unreadableChanges > 0 {
            findings.append(
                .warning(
                    "catalog", "\(examination.unreadableChanges) changes of daemons cannot be read and were put aside",
                    advice: "a newer program has written them: upgrade this one"))
        }
        return findings.isEmpty
            ? [.good("catalog", "\(places.catalog) is whole, and every row names what exists")] : findings
    }
}

extension Checkup {
    /// Changes that wait longer than this to be sent have nobody who sends them, in milliseconds.
    private static let outboxMilliseconds: Int64 = 600_000

    /// What is wrong with the journals of daemons, and whether their changes have reached the store.
    func journalFindings(_ times: inout NewestTimes) -> [Finding] {
        // Nil without a store in Redis that answers.
        let exchange = try? places.journals.isEmpty ? nil : store.shared?.exchange()
        return places.journals.flatMap { path -> [Finding] in
            let subject = "journal \(path)"
            do throws(CatalogError) {
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
        return examination.withGaps.map { origin in
            .bad(
                subject, "changes of the journal \(origin) are missing between others",
                advice: "stop its daemon and put it aside: other journals and the store have what it sent")
        }
    }

    private func waiting(
        _ subject: String, _ journal: ChangeJournal, _ examination: JournalExamination, _ exchange: ChangeExchange?
    ) throws(CatalogError) -> [Finding] {
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
