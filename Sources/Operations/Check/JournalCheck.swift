import CatalogStore
import Changes
import Basics
import Model
import ModelStore
import Service

extension HealthFault {
    static let journalUnusable = HealthFault(
        .bad, "it cannot be opened", advice: "if its changes are in the store, remove it while its daemon is stopped")
    static let journalForbidden = HealthFault(
        .bad, "this user may not write to it", advice: "let the user of its daemon own it, and all files beside it")
    static let journalDamaged = HealthFault(
        .bad, "it is damaged, or changes are missing between others",
        advice: "stop its daemon and put it aside: other journals and the store have what it sent")
    static let journalChangeDamaged = HealthFault(
        .bad, "a change in it is damaged",
        advice: """
            let its daemon run, which fetches it again if another daemon has it; if none has, start it with \
            --skip-missing, which gives the change up
            """)
    static let logChangeDamaged = HealthFault(
        .bad, "a change in the one beside the catalog is damaged, and later ones are not applied",
        advice: "run \"coterie apply --skip-missing\": it gives the change up for good, and applies what follows")
    static let journalNewerChange = HealthFault(
        .warning, "a change in it needs a newer program",
        advice: "upgrade this one: until then it is kept, and those after it wait for it in recomputes")
    static let journalWaiting = HealthFault(
        .bad, "a change in it waits for its sending for too long", bound: .waitingSeconds,
        advice: "start the daemon of this journal: it sends them; a recompute sends the decisions of commands")
    static let journalNotApplied = HealthFault(
        .warning, "a change in the one beside the catalog is not in the catalog for more than a day",
        advice: "run \"coterie apply\", and see whether the timer coterie-apply runs")
    static let sessionsDamaged = HealthFault(
        .warning, "lists are damaged",
        advice: "the daemon makes new lists by itself; see whether the disk is failing")
    static let sessionsUnusable = HealthFault(
        .warning, "they cannot be read or written",
        advice: "let the user of the daemon own it; until then, each request gets a new list")
}

extension HealthQuestion {
    static let journal = HealthQuestion(
        "journal", looksAt: "the journals of daemons on this machine, and how long changes wait in them",
        faults: [
            .journalUnusable, .journalForbidden, .journalDamaged, .journalChangeDamaged, .logChangeDamaged,
            .journalNewerChange, .journalWaiting, .journalNotApplied,
        ]
    ) { check, record in
        // `nil` unless a store in Redis answers.
        let exchange = try? check.places.journals.isEmpty ? nil : check.store.shared?.exchange()
        return check.places.journals.flatMap { check.journalFindings($0, exchange, &record) }
    }

    static let sessions = HealthQuestion(
        "sessions", looksAt: "the lists of sessions on this machine; they are made again, so a fault is only a warning",
        faults: [.sessionsDamaged, .sessionsUnusable]
    ) { check, _ in check.places.sessions.map(check.sessionFinding) }
}

extension HealthCheck {
    /// Returns the findings about a journal, and about changes in it that have not reached the store.
    fileprivate func journalFindings(_ path: String, _ exchange: ChangeExchange?, _ record: inout HealthRecord)
        -> [Finding]
    {
        let subject = "journal \(path)"
        do throws(Failure) {
            let journal = try ChangeJournal(path: path, mode: .reading)
            let examination = try journal.examine()
            record.note("a change in \(path)", examination.latestRecordedMilliseconds)
            // The changes that the catalog has, if the journal is beside it.
            let taken =
                path == Catalog.journalPath(beside: places.catalog)
                ? try? Facts(path: places.catalog, relations: relations).appliedChanges() : nil
            var wrong = findings(subject, examination, taken)
            if examination.damage.isEmpty {
                let untaken = taken.map { ChangeExchange(here: [:], streams: [:], prunable: $0) }
                wrong += try waiting(
                    subject, journal, exchange, seconds: self[.waitingSeconds], .journalWaiting, "store")
                wrong += try waiting(subject, journal, untaken, seconds: 86_400, .journalNotApplied, "catalog")
            }
            let count = examination.kept.values.reduce(0) { $0 + $1.last - $1.after }
            return wrong.isEmpty ? [.good(of: subject, "it is whole, with \(count) changes")] : wrong
        } catch {
            let refusal = FileAccess.refusal(toWrite: FileAccess.database(path))
            return [
                refusal.map { .found(.journalForbidden, of: subject, $0) }
                    ?? .found(.journalUnusable, of: subject, error.message)
            ]
        }
    }

    private func findings(_ subject: String, _ examination: JournalExamination, _ taken: AppliedChanges?) -> [Finding] {
        guard examination.damage.isEmpty else {
            let damage = examination.damage.joined(separator: "; ")
            return [.found(.journalDamaged, of: subject, "it is damaged: \(damage)")]
        }
        let gaps = examination.withGaps.map { origin in
            Finding.found(.journalDamaged, of: subject, "changes of the journal \(origin) are missing between others")
        }
        let harmful = examination.damagedChanges.filter { taken?.contains($0.sequence, of: $0.origin) != true }
        let fault = taken == nil ? HealthFault.journalChangeDamaged : .logChangeDamaged
        let damaged = harmful.prefix(10).map { Finding.found(fault, of: subject, "\($0) is damaged") }
        let newer = examination.newerChanges.map { name in
            Finding.found(.journalNewerChange, of: subject, "\(name) needs a newer program")
        }
        return gaps + damaged + newer
    }

    /// Returns the finding that changes of a journal have been missing in a place for too long.
    private func waiting(
        _ subject: String, _ journal: ChangeJournal, _ exchange: ChangeExchange?, seconds: Int, _ fault: HealthFault,
        _ place: String
    ) throws(Failure) -> [Finding] {
        guard let exchange, case let (count, oldest?) = try journal.backlog(in: exchange),
            now - oldest > Int64(seconds) * 1000
        else { return [] }
        let since = UnixTime(seconds: oldest / 1000)?.description ?? "long ago"
        return [.found(fault, of: subject, "\(count) changes are not in the \(place), the oldest since \(since)")]
    }

    fileprivate func sessionFinding(_ path: String) -> Finding {
        let subject = "sessions \(path)"
        do throws(Failure) {
            guard let examination = try SessionFileReader(path: path)?.examine() else {
                return .good(of: subject, "there are none")
            }
            guard examination.damage.isEmpty, examination.damagedLists == 0 else {
                return .found(
                    .sessionsDamaged, of: subject,
                    examination.damage.isEmpty
                        ? "\(examination.damagedLists) of \(examination.lists) lists are damaged"
                        : "it is damaged: \(examination.damage.joined(separator: "; "))")
            }
            return .good(of: subject, "it is whole, with \(examination.lists) lists")
        } catch { return .found(.sessionsUnusable, of: subject, error.message) }
    }
}
