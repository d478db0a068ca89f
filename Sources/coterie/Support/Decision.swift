import Basics
import CatalogStore
import Changes
import CommandLine
import FoundationEssentials
import Glibc
import Model
import ModelStore
import Recompute
import Service

/// A decision of a command about the site.
///
/// It is recorded in the log, told to the daemons of a shared store, and then applied to the catalog.
///
/// From the first step on it is carried out, whatever happens to the command: see `CatalogLog`.
final class Decision {
    private let parsed: ParsedCommand
    private let store: any VersionStore
    private let log: CatalogLog
    private var isRecorded = false
    /// The reason why the decision was not sent.
    private var failure: Failure?

    /// - Parameter isAboutMembers: whether it is about what members did before. That is therefore applied first, unless
    ///   another program writes to the catalog.
    init(_ parsed: ParsedCommand, isAboutMembers: Bool = true) throws {
        self.parsed = parsed
        store = try parsed.openStore()
        let path = parsed.text("catalog")
        log = try CatalogLog(besideCatalog: path, store)
        if isAboutMembers, !Catalog.isBusy(path) {
            _ = try? parsed.applyChanges(store, warns: false)
        }
    }

    /// The name of the shared store whose daemons were told, or nil if nobody was told anything.
    var toldStore: String? { isRecorded ? store.shared?.channel.location : nil }

    /// The line that says who was told, for people; nil if nobody was.
    var line: String? { toldStore.map { "the daemons of \($0) were told" } }

    /// Whether what the decisions forget is gone from the write-ahead log of the journal.
    var isErased: Bool { log.isErased }

    /// The line that says what a write-ahead log still holds.
    ///
    /// - Parameter subject: the thing that somebody reads, with its file.
    static func unerased(_ subject: String, _ path: String) -> String {
        "somebody reads the \(subject): its log \(path)-wal holds them until it is overwritten"
    }

    /// The line that says what the journal's write-ahead log still holds; nil if it holds nothing.
    var unerased: String? {
        isErased ? nil : Self.unerased("journal", Catalog.journalPath(beside: parsed.text("catalog")))
    }

    /// Returns a stamp after those of all known changes, in milliseconds; the present time by a right clock.
    ///
    /// If the streams cannot be read, sending fails later, and says so.
    func stampMilliseconds() throws -> Int64 {
        var streams = try? store.shared?.channel.journals()
        let latest = [try log.journal.latestStampMilliseconds(), try? streams?.latestStampMilliseconds()]
        return ChangeStamp.milliseconds(at: SystemClock.nowMilliseconds, after: latest.compactMap(\.self).max() ?? 0)
    }

    /// Records decisions, sends them with those that earlier commands left, and notes who made them.
    ///
    /// - Parameter state: the hidden and curated groups before them.
    func record(_ decisions: [Change], on state: SiteState = SiteState(), atMilliseconds now: Int64) throws {
        guard !decisions.isEmpty else { return }
        try log.record(decisions, at: now)
        isRecorded = true
        do throws(Failure) { _ = try log.send() } catch { failure = error }
        let (digest, present) = (parsed.digest, SystemClock.nowMilliseconds)
        parsed.note(decisions, in: store) { decision in
            NotedDecision(decision, on: state, by: ParsedCommand.userName, atMilliseconds: present, digest: digest)
        }
    }

    /// Records removals, sends them, and applies them to the catalog.
    ///
    /// - Parameter trial: returns what they would remove, and changes nothing.
    /// - Returns: what they removed; nil if another program writes to the catalog, which gets them later.
    /// - Throws: `Failure`, among others if the catalog would refuse them; then nothing is decided.
    func remove(
        _ subjects: [RemovalChange.Subject], _ options: RemovalOptions, at stamp: Int64,
        trial: (RemovalOptions) throws(Failure) -> RemovalSummary
    ) throws -> RemovalSummary? {
        var summary: RemovalSummary?
        do throws(Failure) {
            let found = try trial(RemovalOptions(isDryRun: true, allowsShrinking: options.allowsShrinking))
            if let failure = found.failure { throw failure }
            summary = found
        } catch {
            // A few ids are decided even while another program writes.
            guard error.code == .busy, options.allowsShrinking else { throw error }
        }
        let removals = subjects.map { Change.removal(RemovalChange($0, atMilliseconds: stamp)) }
        try record(removals, atMilliseconds: stamp)
        return try apply() ? summary : nil
    }

    /// Applies the log to the catalog.
    ///
    /// - Returns: whether it was applied; otherwise another program writes to the catalog, which gets it later.
    /// - Throws: `Failure` if the daemons of a shared store could not be told, or if the decision has to wait.
    @discardableResult
    func apply() throws -> Bool {
        let outcome: CatalogLog.Outcome
        do throws(Failure) {
            outcome = try parsed.applyChanges(store, renewsMembers: true, warns: failure == nil)
        } catch {
            // That the daemons were not told is the reason, and says what follows.
            try checkTold()
            guard isRecorded, error.code == .busy else { throw error }
            printToStandardError(
                """
                another program writes to the catalog: the decision is recorded, and "coterie apply" or the next \
                recompute changes the catalog
                """)
            return false
        }
        try checkTold()
        guard !isRecorded || !outcome.waiting.contains(log.journal.origin) else {
            throw Failure(
                .badData, "the decision is recorded, but the catalog cannot take it before what the warning names")
        }
        return true
    }

    private func checkTold() throws {
        guard let failure else { return }
        throw Failure(
            .tryLater,
            """
            the daemons of \(store.location) were not told: \(failure.message); the decision is kept in \
            \(Catalog.journalPath(beside: parsed.text("catalog"))), and "coterie apply", the next decision or recompute \
            tells them
            """)
    }
}

extension ParsedCommand {
    /// Applies to the catalog what was recorded, tells the store what the catalog has now, and prints warnings.
    @discardableResult
    func applyChanges(
        _ store: any VersionStore, skipsMissing: Bool = false, renewsMembers: Bool = false, warns: Bool = true
    ) throws(Failure) -> CatalogLog.Outcome {
        let outcome = try CatalogLog.apply(
            to: text("catalog"), store, relations: Coterie.relations, skipsMissing: skipsMissing,
            renewingMembersOn: renewsMembers ? AvailableProcessors.count() : 0, at: SystemClock.nowMilliseconds)
        for warning in outcome.warnings where warns { printToStandardError("warning: \(warning)") }
        return outcome
    }

    /// Decides about a group, now, and applies the decision to the catalog.
    ///
    /// - Throws: among others `Failure` if the group is unknown.
    func decide(_ action: SiteChange.Action, about group: String) throws -> SiteChange.Outcome {
        let catalog = try Catalog(path: text("catalog"), mode: .recording, relations: Coterie.relations)
        guard let record = try catalog.facts.group(withID: group) else {
            throw Lookup.unknown(.groups, group, near: try catalog.facts.idsNear(group, in: .groups))
        }
        if case .curate = action, record.visibility != .public { return .privateGroup }
        let change = SiteChange(ofGroup: group, action, atMilliseconds: SystemClock.nowMilliseconds)
        let before = try SiteState(of: catalog.facts, untakenDecisions(catalog.facts))
        var state = before
        let outcome = state.apply(change)
        // Hiding a hidden group again is a decision too: no earlier one may undo it.
        guard outcome == .changed || (outcome == .unchanged && action == .hide) else { return outcome }
        let decision = try Decision(self, isAboutMembers: false)
        try decision.record([.site(change)], on: before, atMilliseconds: decision.stampMilliseconds())
        try decision.apply()
        return outcome
    }

    /// Notes what the command has decided on the list of decisions; of many, the first ones and their number.
    func note<Subject>(_ all: [Subject], in store: any VersionStore, decision: (Subject) -> NotedDecision?) {
        for (number, subject) in all.prefix(100).enumerated() {
            var noted = decision(subject)
            if number == 99, all.count > 100 { noted?.after = "and \((all.count - 100).grouped) more" }
            if let noted, !note(noted, in: store) { return }
        }
    }

    /// Notes a decision of the command on the list of decisions.
    func note(
        _ action: NotedDecision.Action, _ thing: NotedDecision.Thing, _ name: String, before: String? = nil,
        after: String? = nil, in store: any VersionStore
    ) {
        note(
            NotedDecision(
                action, thing, name, by: Self.userName, atMilliseconds: SystemClock.nowMilliseconds, before: before,
                after: after), in: store)
    }

    /// Returns whether the decision is noted, or there is no list; warns otherwise.
    @discardableResult
    private func note(_ decision: NotedDecision, in store: any VersionStore) -> Bool {
        do throws(Failure) { try DecisionList(store)?.add(decision) } catch {
            printToStandardError("warning: the decision is not on the list of decisions: \(error.message)")
            return false
        }
        return true
    }

    /// The name of the user who runs the command; for root by way of sudo, that of the user before.
    static var userName: String {
        // Anybody but root can set the variable to any name.
        let former = getuid() == 0 ? ProcessInfo.processInfo.environment["SUDO_USER"] : nil
        return former.flatMap { unsafe getpwnam($0) == nil ? nil : $0 } ?? FileAccess.name(ofUser: getuid())
    }

    /// Returns what stands for a member's id in the list of decisions; without a key, what nobody can make again.
    var digest: (String) -> String {
        let ledger = Ledger(key: (try? openCatalogIfPresent()?.ledgerKey()) ?? Ledger.makeKey())
        return { ledger.digest(of: $0).text }
    }

    /// Returns the decisions that a catalog has not taken: those in the streams of a shared store, or in its log.
    ///
    /// If the streams cannot be read now, it warns, and the log has the decisions that wait to be sent.
    func untakenDecisions(_ catalog: Facts) throws -> RecordedDecisions {
        let (store, taken) = (try openStore(), try catalog.appliedChanges())
        var untaken: UntakenChanges?
        do throws(Failure) {
            untaken = try UntakenChanges(of: store, besideCatalog: catalog.path, beyond: taken)
        } catch {
            guard error.exitCode == Failure.Code.tryLater.exitCode else { throw error }
            printToStandardError("warning: what was decided elsewhere is not known: \(error.message)")
            untaken = try UntakenChanges(besideCatalog: catalog.path, beyond: taken)
        }
        return untaken?.decisions ?? RecordedDecisions()
    }

    /// The option for the file of a daemon's sessions.
    static let sessionsOption = Option(
        "sessions", "FILE", help: "The lists of a daemon's sessions (default: next to the catalog)", isRepeating: true)

    /// Removes the lists of members' sessions in the files of daemons, and returns their number.
    func forgetSessions(ofUsers users: [String]) throws(Failure) -> Int {
        var count = 0
        for path in users.isEmpty ? [] : sessionFiles(besides: []) {
            guard let kept = try SessionFileReader(path: path) else { continue }
            for user in users where try kept.count(ofUser: user) > 0 { count += try kept.forget(ofUser: user) }
        }
        return count
    }
}
