import Answers
import CatalogStore
import Changes
import CommandLine
import Basics
import Model
import ModelStore
import Operations
import Service

/// `coterie forget USER…`.
enum ForgetCommand: Subcommand {
    static let command = Command(
        "forget", changes: true, summary: "Remove members for good, and keep them from coming back",
        discussion: """
            Removes members from the catalog with their memberships, interactions and interests, and the lists of \
            their sessions on this machine. What is deleted is overwritten. A digest of the id stays in the ledger. \
            Then imports, interactions, journals and restored backups do not bring the member back. Only "coterie \
            import --readmit" or --undo does. Photos stay, without an owner, unless --with-photos is given. An id \
            that nobody has is noted in the same way, and named; the exit code is then 65. A list of more than a \
            tenth of the users needs --allow-shrinking. --dry-run says what would go.

            A daemon that has the catalog answers 404 within half a second. With a store in Redis the command tells \
            the daemons that share it. Within about a second they answer 404 and erase the member from their \
            journals, whichever version serves. After --undo they show the member again with the next version.

            The neighbours of a version are counts over all members, and forget one with the next "coterie \
            recompute". Versions that are published with members lose the forgotten ones with this command. Each \
            version is changed at most every twelve hours; after that, the next "coterie apply" does it. Streams hold \
            the interactions of members until all versions have them.

            --check says which data is left, and where. The exit code is 1 if any is. It sees the journals and \
            sessions of daemons on this machine only, and names the files of sessions. With --backup it looks into a \
            file of "coterie backup" instead.

            The ledger only grows. The catalog has it, and so have backups and Redis. A copy in a file is for another \
            place, and is added again after an old backup was restored. It names nobody, but whoever has it can tell \
            whether an id is in it.
            """,
        arguments: [Argument("USER", help: "Users' ids", isOptional: true, isRepeating: true)],
        options: [
            Option("users", "FILE", help: "Read more users' ids from a file, one a line; - is standard input"),
            Option(flag: "with-photos", help: "Remove their photos too"),
            ParsedCommand.dryRun, ParsedCommand.allowShrinking,
            Option(flag: "check", help: "Only say what is left of them, and where"),
            Option("backup", "FILE", help: "With --check: look into this backup, without restoring it"),
            Option(
                flag: "undo",
                help: "Let them come back; what was removed stays removed, and what still waits has no effect"),
            Option("ledger", "FILE", help: "Only write the ledger of forgotten members to this file", isOutput: true),
            Option("merge", "FILE", help: "Only add the ledger in this file, and forget whom it has forgotten"),
            ParsedCommand.sessionsOption,
            CommonOptions.catalog,
            ParsedCommand.journals,
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: [
            "coterie forget laura-100", "coterie forget --users gone.txt --with-photos",
            "coterie forget laura-100 --check --backup coterie-2026-11-22.tar", "coterie forget --ledger forgotten.txt",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let users = try parsed.userIDs()
        let ledgers = ["ledger", "merge"].filter { parsed.textIfGiven($0) != nil }
        guard ledgers.isEmpty || users.isEmpty else { throw UsageError("--\(ledgers[0]) takes no user") }
        if let path = parsed.textIfGiven("ledger") { return try writeLedger(parsed, to: path) }
        if let path = parsed.textIfGiven("merge") { return try mergeLedger(parsed, from: path) }
        guard !users.isEmpty else { throw UsageError("which user? Give an id, or a file of ids with --users") }
        if parsed.flag("check") {
            guard let backup = parsed.textIfGiven("backup") else { return try check(parsed, users) }
            return try check(parsed, users, inBackup: backup)
        }
        guard parsed.textIfGiven("backup") == nil else { throw UsageError("--backup needs --check") }
        let catalog = try Catalog(path: parsed.text("catalog"), mode: .recording, relations: Coterie.relations)
        if parsed.flag("undo") {
            let isDryRun = parsed.flag("dry-run")
            let now = SystemClock.nowMilliseconds
            let summary = try catalog.removal.readmit(
                users, atMilliseconds: now, waiting: waiting(catalog.facts, parsed), isDryRun: isDryRun)
            if !isDryRun {
                let store = try parsed.openStore()
                try parsed.applyChanges(store)
                let (digest, unknown) = (parsed.digest, Set(summary.unknown))
                parsed.note(users.filter { !unknown.contains($0) }, in: store) { user in
                    NotedDecision(.readmit, .member, digest(user), by: ParsedCommand.userName, atMilliseconds: now)
                }
            }
            try Output.say("\(summary.removed.grouped) members may come back\(dryRunNote(parsed))")
            return try summary.check("note of the forgotten user")
        }
        let options = parsed.removalOptions(fromFiles: parsed.textIfGiven("users") != nil)
        let withPhotos = parsed.flag("with-photos")
        if options.isDryRun {
            let (summary, _) = try catalog.removal.forget(
                users, withPhotos: withPhotos, options, atMilliseconds: SystemClock.nowMilliseconds)
            return try report(summary, Told(sessions: nil, isErased: true, decision: nil), parsed)
        }
        let decision = try Decision(parsed)
        let now = try decision.stampMilliseconds()
        // Daemons may have changes under an id from which a member was renamed.
        let everyID = try users + catalog.facts.earlierIDs(ofUsers: users)
        let subjects = everyID.map { RemovalChange.Subject.member($0, withPhotos: withPhotos) }
        // Daemons also remove the lists, as soon as they read the decision. A failure is told after the forgetting.
        var sessions = (try? parsed.forgetSessions(ofUsers: everyID)) ?? 0
        let removed = try decision.remove(subjects, options, at: now) { trial throws(Failure) in
            try catalog.removal.forget(users, withPhotos: withPhotos, trial, atMilliseconds: now).summary
        }
        guard let summary = removed else { return }
        let isErased = try catalog.removal.eraseRemoved()
        if withPhotos { _ = try catalog.removal.eraseVectors() }
        sessions += try parsed.forgetSessions(ofUsers: everyID)
        try report(summary, Told(sessions: sessions, isErased: isErased, decision: decision), parsed)
    }

    /// The effects of a forgetting outside the tables of the catalog; a dry run has none.
    private struct Told {
        let sessions: Int?
        let isErased: Bool
        let decision: Decision?
    }

    /// Returns the times of forgettings that the catalog has still to apply, in milliseconds, by member.
    private static func waiting(_ catalog: Facts, _ parsed: ParsedCommand) throws -> [BytewiseString: Int64] {
        let ledger = try catalog.ledger()
        var times: [BytewiseString: Int64] = [:]
        for case .removal(let removal) in try parsed.untakenDecisions(catalog).changes {
            guard let id = removal.forgottenUserID else { continue }
            guard removal.atMilliseconds > ledger.times(of: id)?.readmitted ?? 0 else { continue }
            times[BytewiseString(id)] = max(times[BytewiseString(id)] ?? 0, removal.atMilliseconds)
        }
        return times
    }

    private static func dryRunNote(_ parsed: ParsedCommand) -> String {
        parsed.flag("dry-run") ? "; dry run: nothing was changed" : ""
    }

    /// Prints what a forgetting removed; fails if it names somebody whom the catalog does not have.
    private static func report(_ summary: RemovalSummary, _ told: Told, _ parsed: ParsedCommand) throws {
        let answer = ForgottenMembers(
            summary: summary, isDryRun: parsed.flag("dry-run"), sessions: told.sessions ?? 0,
            isLogErased: told.isErased && told.decision?.isErased != false, toldStore: told.decision?.toldStore)
        try parsed.print(answer) { output in
            let others = summary.others.sorted { $0.key < $1.key }.map { "\($0.value.grouped) \($0.key)" }
            let parts =
                ["\(summary.removed.grouped) members forgotten"] + others
                + (told.sessions.map { ["\($0) lists of sessions"] } ?? [])
            try output.line(parts.joined(separator: ", ") + dryRunNote(parsed))
            if let line = told.decision?.line { try output.line(line) }
            if !told.isErased { try output.line(Decision.unerased("catalog", parsed.text("catalog"))) }
            if let line = told.decision?.unerased { try output.line(line) }
        }
        try summary.check("user", note: "; such ids are noted, and do not come (--undo lets them)")
    }

    private static func writeLedger(_ parsed: ParsedCommand, to path: String) throws {
        let ledger = try parsed.openCatalog().ledger()
        try PrivateFile.write(Array(ledger.text.utf8), to: path)
        try Output.say("\(members(ledger.times.values.count(where: \.isForgotten))) in \(path)")
    }

    /// Adds the ledger in a file to that of the catalog, and forgets whom it has forgotten.
    private static func mergeLedger(_ parsed: ParsedCommand, from path: String) throws {
        let bytes = try RegularFile.read(path, limitBytes: 1 << 30).bytes
        let ledger: Ledger
        do throws(Failure) { ledger = try Ledger(text: String(decoding: bytes, as: UTF8.self)) } catch {
            throw Failure(.badData, "\(path): \(error.message)")
        }
        let catalog = try Catalog(path: parsed.text("catalog"), mode: .recording, relations: Coterie.relations)
        guard let count = try catalog.removal.merge(ledger) else {
            throw Failure(.badData, "\(path) is the ledger of another site: its key is not that of the catalog")
        }
        try parsed.applyChanges(parsed.openStore())
        try Output.say("\(members(count)) forgotten; the ledger has all entries of \(path)")
    }

    private static func members(_ count: Int) -> String {
        "\(count.grouped) \(count == 1 ? "member" : "members")"
    }

    /// Prints what is left of members, and where.
    private static func check(_ parsed: ParsedCommand, _ users: [String]) throws {
        let catalog = try parsed.openCatalog()
        let files = parsed.sessionFiles(besides: parsed.journalFiles())
        let sessions = try files.map { ($0, try SessionFileReader(path: $0)) }
        let store = try parsed.openStore()
        let (published, waiting) = (try PublishedMembers.all(of: store), try waiting(catalog, parsed))
        var streamed: [BytewiseString: [String: Int]] = [:]
        if let channel = store.shared?.channel {
            var streams = try channel.journals()
            streamed = try streams.traceCounts(of: users)
        }
        var journaled: [(place: String, counts: [BytewiseString: Int])] = []
        let forgotten = try users.filter { user throws(Failure) in try catalog.isForgotten(user: user) }
        for path in parsed.journalFiles() {
            do throws(Failure) {
                let journal = try ChangeJournal(path: path, mode: .reading)
                journaled.append(("journal \(path)", try journal.traces(of: users)))
                for user in users where try journal.isForgotten(user: user, beyond: .none) {
                    printToStandardError("note: \(path) names \(user) in the forgetting itself: see Limits, Forgetting")
                }
                // A write-ahead log cannot be searched; only an empty one surely has nothing.
                guard !forgotten.isEmpty, (try? journal.eraseForgotten()) == false else { continue }
                journaled.append(
                    (
                        "\(path)-wal, which somebody reads",
                        Dictionary(forgotten.map { (BytewiseString($0), 1) }) { first, _ in first }
                    ))
            } catch {
                printToStandardError("warning: what is left in the journal \(path) is not known: \(error.message)")
            }
        }
        let list = DecisionList(store)
        var rows: [MemberTrace] = []
        for user in users {
            let traces = try catalog.traces(ofMember: user)
            var places = traces.rows.map { ("catalog, \($0.key)", $0.value) }
            for (path, file) in sessions { places.append(("sessions \(path)", try file?.count(ofUser: user) ?? 0)) }
            for (version, members) in published where try members.member(withID: user) != nil {
                places.append(("version \(version.manifest.version)", 1))
            }
            let noted = try list?.decisions(about: (.member, user), at: SystemClock.nowMilliseconds).count ?? 0
            places.append(("list of decisions", noted))
            places += (streamed[BytewiseString(user)] ?? [:]).map { ("stream \($0.key)", $0.value) }
            places += journaled.map { ($0.place, $0.counts[BytewiseString(user)] ?? 0) }
            let isForgotten = traces.forgottenAt != nil || waiting[BytewiseString(user)] != nil
            rows.append(MemberTrace(user, isForgotten: isForgotten, places))
        }
        try report(rows, parsed, sessionFiles: files)
    }

    /// Prints what a backup has of members.
    private static func check(_ parsed: ParsedCommand, _ users: [String], inBackup path: String) throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let (traces, catalog) = (
            try Restoration(path).traces(of: users, in: folder.path), try parsed.openCatalogIfPresent()
        )
        let rows: [MemberTrace] = try users.map { user in
            MemberTrace(
                user, isForgotten: try catalog?.isForgotten(user: user) ?? false,
                (traces[BytewiseString(user)] ?? [:]).map { ("backup, \($0.key)", $0.value) })
        }
        try report(rows, parsed)
    }

    /// Prints what is left of members; fails if anything is.
    private static func report(_ rows: [MemberTrace], _ parsed: ParsedCommand, sessionFiles: [String]? = nil) throws {
        try parsed.print(rows) { output in
            for row in rows {
                let note = row.isForgotten ? "forgotten, and kept from coming back" : "not forgotten"
                let found = row.places.map { "\($0.place): \($0.rows.grouped)" }
                let left = found.isEmpty ? "nothing is left" : "left: " + found.joined(separator: "; ")
                try output.line("\(row.userId): \(note); \(left)")
            }
            if let files = sessionFiles {
                let place = files.isEmpty ? "no file" : files.joined(separator: ", ")
                try output.line("lists of sessions: looked into \(place); --sessions names other files")
            }
        }
        let count = rows.count { !$0.places.isEmpty }
        guard count == 0 else {
            throw Failure(.general, "something is left of \(count) of \(rows.count) members")
        }
    }
}

/// The outcome of a forgetting: `coterie forget`.
private struct ForgottenMembers: Answer {
    let summary: RemovalSummary
    let isDryRun: Bool
    let sessions: Int
    let isLogErased: Bool
    let toldStore: String?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("removed", \.summary.removed, "How many members were forgotten")
        fields.always("others", \.summary.others, "What went with them, by the name of its table")
        fields.always("unknownIds", \.summary.unknown, "The first ids that are unknown")
        fields.always("isDryRun", \.isDryRun, "Whether nothing was changed")
        fields.always("sessions", \.sessions, "How many lists of sessions were removed")
        fields.always("isLogErased", \.isLogErased, "Whether journals and streams have nothing of them any more")
        fields.sometimes("toldStore", \.toldStore, "The store whose daemons were told")
    }
}

/// The traces of a member: `coterie forget --check`.
private struct MemberTrace: Answer {
    let userId: String
    let isForgotten: Bool
    /// The places that have anything, in the order of their names.
    let places: [Place]

    init(_ userId: String, isForgotten: Bool, _ rows: [(place: String, count: Int)]) {
        (self.userId, self.isForgotten) = (userId, isForgotten)
        places = rows.filter { $0.count > 0 }.map(Place.init).sorted { $0.place < $1.place }
    }

    struct Place: Answer {
        let place: String
        let rows: Int

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("place", \.place, "Where it is")
            fields.always("rows", \.rows, "How much there is")
        }
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("isForgotten", \.isForgotten, "Whether the id is kept from coming back")
        fields.always("places", \.places, "What is left, and where")
    }
}
