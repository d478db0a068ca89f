package import Basics
package import CatalogStore
import Changes
package import Model
package import ModelStore

extension CatalogLog {
    /// The result of applying.
    package struct Outcome: Sendable {
        package let counts: AppliedChangeCounts
        /// Sentences about changes that wait or were given up, and about what could not be sent.
        package let warnings: [String]
        /// The journals of changes that wait for others, which are damaged or missing or need a newer program.
        package let waiting: Set<String>
        /// The number of changes that the catalog had before.
        let changeCountBefore: Int64
        /// The number of members that the version that serves got anew, or nil if it has those of the catalog.
        package let renewed: Int?

        /// The counts in words.
        package var summary: String {
            let members = renewed.map { "; \($0.grouped) members were published anew, as some were changed" } ?? ""
            guard counts != AppliedChangeCounts() else { return "no changes" + members }
            var outcome = "\(counts.applied) changes"
            if counts.repeated > 0 { outcome += ", \(counts.repeated) known already" }
            if counts.leftOut > 0 { outcome += ", \(counts.leftOut) left out as what they are about does not exist" }
            if !counts.givenUp.isEmpty { outcome += ", \(counts.givenUp.reduce(0) { $0 + $1.numbers.count }) given up" }
            if counts.held > 0 { outcome += ", \(counts.held) held back as others before them are missing" }
            return outcome + members
        }
    }

    /// Applies to a catalog the changes that it lacks: those of its log, and those in the streams of a shared store.
    ///
    /// Then it tells the store what the site has decided.
    ///
    /// The changes of each journal that follow those already applied are taken, up to the first that is missing or
    /// needs a newer program. It may be repeated, and run several times at once. Each transaction takes at most a
    /// second or so.
    ///
    /// - Parameters:
    ///   - skipsMissing: whether changes that are missing or need a newer program are given up.
    ///   - threads: the threads that make the members of the version that serves anew if an import has changed them; 0
    ///     to leave them.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `Failure`; with the code `busy` if another program writes to the catalog.
    package static func apply(
        to catalogPath: String, _ store: any VersionStore, relations: RelationTable, skipsMissing: Bool = false,
        renewingMembersOn threads: Int = 0, at now: Int64
    ) throws(Failure) -> Outcome {
        let log = try CatalogLog(existingBesideCatalog: catalogPath, store)
        var warnings: [String] = []
        do throws(Failure) {
            if let count = try log?.send(), count > 0 {
                warnings.append("\(count) decisions of earlier commands were sent to \(store.location)")
            }
        } catch { warnings.append("decisions of earlier commands were not sent: \(error.message)") }
        // Changes that are added meanwhile are left to the next time.
        var streams = try store.shared?.channel.journals()
        var last = try streams?.survey().mapValues(\.last) ?? [:]
        if let journal = log?.journal { last.merge(try journal.kept().mapValues(\.last)) { max($0, $1) } }
        let catalog = try Catalog(path: catalogPath, mode: .recording, relations: relations)
        let changeCountBefore = try catalog.facts.changeCount()
        let (counts, stopping) = try catalog.ingest.takeOver(
            through: last, skipsMissing: skipsMissing
        ) { origin, after, limit throws(Failure) in
            let found = try log?.journal.changes(of: origin, after: after, limit: limit) ?? []
            if found.first?.sequence == after + 1 { return found }
            // What either has is not missing.
            let streamed = try streams?.changes(of: origin, after: after, limit: limit) ?? []
            guard let first = found.first, let other = streamed.first else { return found + streamed }
            return other.sequence < first.sequence ? streamed : found
        }
        if let warning = try compareLedgers(catalog, log?.journal, store) { warnings.append(warning) }
        var renewed: Int?
        if threads > 0 {
            let renewal = MemberRenewal(
                store: store, catalogPath: catalogPath, relations: relations, threads: threads, instant: now)
            do throws(Failure) { renewed = try renewal.run() } catch {
                warnings.append(
                    """
                    daemons without a catalog do not know yet what an import or a renaming changed of members: \
                    \(error.message); the next "coterie apply" tells them
                    """)
            }
        }
        if let warning = try eraseForgotten(from: store, catalog.facts.ledger(), at: now) { warnings.append(warning) }
        if let warning = SitePublication.publish(to: store, from: catalog.facts) { warnings.append(warning) }
        warnings += counts.givenUp.map(warning)
        warnings += stopping.sorted { $0.key < $1.key }.map { warning($0, $1, isShared: store.shared != nil) }
        let taken = try catalog.facts.appliedChanges()
        do throws(Failure) { try log?.prune(taken, at: now) } catch {
            warnings.append("the log is longer than it need be: \(error.message)")
        }
        return Outcome(
            counts: counts, warnings: warnings, waiting: Set(stopping.keys), changeCountBefore: changeCountBefore,
            renewed: renewed)
    }

    /// Brings the ledger of the catalog, which has applied all changes, and that of a store up to date with each other.
    ///
    /// - Returns: a warning if members were forgotten or the ledgers are of different sites.
    private static func compareLedgers(
        _ catalog: Catalog, _ journal: ChangeJournal?, _ store: any VersionStore
    ) throws(Failure) -> String? {
        let theirs = try store.ledger()
        let forgotten = try theirs.map { ledger throws(Failure) in try catalog.removal.merge(ledger) } ?? 0
        let mine = try catalog.facts.ledger()
        guard let forgotten else { return "\(store.location) has the forgotten members of another site" }
        let new = theirs.map { mine.beyond($0) } ?? mine
        // Whoever forgot a member need not have known the earlier ids, which only applying finds.
        if !new.times.isEmpty { _ = try journal?.erase(among: nil) { mine.times(of: $0)?.forgotten } }
        if theirs == nil || !new.times.isEmpty { _ = try store.add(new) }
        guard forgotten > 0 else { return nil }
        return "\(forgotten) members were forgotten again, as \(store.location) says; the catalog did not know it"
    }

    /// The least time between two removals from one version, in milliseconds: each writes the members anew.
    private static let erasureMilliseconds: Int64 = 43_200_000

    /// Removes forgotten members from those published with the versions of a store.
    ///
    /// - Returns: a warning if that could not be done.
    private static func eraseForgotten(from store: any VersionStore, _ ledger: Ledger, at now: Int64) -> String? {
        // A store that does not answer is told of where the state of the site is published.
        guard ledger.times.values.contains(where: \.isForgotten), let manifests = try? store.versions() else {
            return nil
        }
        let mark = ledger.forgottenMark
        var warning: String?
        for manifest in manifests where manifest.members != nil && manifest.format == ModelLayout.format {
            guard manifest.erasure?.forgotten != mark,
                abs(now - (manifest.erasure?.atMilliseconds ?? 0)) >= erasureMilliseconds
            else { continue }
            do throws(Failure) {
                _ = try store.eraseMembers(of: manifest.version, mark: mark, at: now) { ledger.isForgotten(id: $0) }
            } catch {
                // Whoever publishes or prunes now ends soon, and the next applying follows.
                guard ![.busy, .unknownVersion].contains(error.code) else { continue }
                warning = """
                    version \(manifest.version) in \(store.location) still has members whom the site has forgotten: \
                    \(error.message)
                    """
            }
        }
        return warning
    }

    private static func warning(_ origin: String, _ change: StoppingChange, isShared: Bool) -> String {
        let name = ChangeName(origin: origin, sequence: change.sequence)
        guard change.isNewer else {
            guard isShared else {
                return """
                    \(name) is damaged or missing, and those after it, up to \(change.last), wait for it: \
                    \(ChangeJournal.givingUp)
                    """
            }
            return """
                \(name) is missing, and those after it, up to \(change.last), wait for it; a daemon that has it sends \
                it again. If none is left that does, take what follows with --skip-missing
                """
        }
        return """
            \(name) needs a newer program, and those after it, up to \(change.last), wait for it; upgrade this one, \
            which applies them then. To give up what it cannot read, take what follows with --skip-missing
            """
    }

    private static func warning(_ changes: GivenUpChanges) -> String {
        let (first, last) = (changes.numbers.lowerBound, changes.numbers.upperBound)
        let numbers = first == last ? "change \(first)" : "changes \(first) to \(last)"
        return "\(numbers) of the journal \(changes.origin) given up for good (--skip-missing): "
            + (changes.isNewer ? "a newer program could have read them" : "no source has them")
    }
}
