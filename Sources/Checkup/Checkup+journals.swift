import CatalogStore
import CivilTime
import Model
import ModelStore

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
