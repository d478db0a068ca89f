import Model
import SQLite
import TestSupport
import Testing

@testable import Changes

@Suite("Folded changes of members")
struct MemberFoldTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func journal(_ name: String = "journal") throws -> ChangeJournal {
        try ChangeJournal(path: "\(directory.path)/\(name)", mode: .recording)
    }

    /// The part of interactions that a profile uses: each group's last events, and its impressions since a click.
    ///
    /// The interactions are in the order in which they arrived.
    private struct Effect: Equatable {
        /// The last event of each group, photo and followed member, and of the list, to the whole second.
        var pairs: [String: InteractionRecord] = [:]
        var dismissals: [String: InteractionRecord] = [:]
        var clicked: Set<String> = []
        var impressions: [String: [Int64]] = [:]

        init(_ recent: RecentMemberChanges) {
            func settle(_ known: inout InteractionRecord?, _ next: InteractionRecord) {
                let seconds = known.map { $0.atMilliseconds / 1000 } ?? .min
                if next.atMilliseconds / 1000 >= seconds { known = next }
            }
            for interaction in recent.interactions {
                let group = interaction.subjectID
                switch interaction.effect {
                case nil where interaction.kind.pairChange == nil && interaction.pause == nil: break
                case .join, .leave, nil:
                    settle(&pairs["\(interaction.kind.subject?.rawValue ?? "list") \(group)"], interaction)
                case .dismiss, .undismiss: settle(&dismissals[group], interaction)
                case .click:
                    clicked.insert(group)
                    impressions[group] = nil
                case .impression: impressions[group, default: []].append(interaction.atMilliseconds)
                }
            }
            for (group, times) in recent.impressions { impressions[group.text, default: []] += times }
        }
    }

    /// Returns the changes of a member from all rows, without a fold.
    private func everything(_ journal: ChangeJournal, _ user: String, beyond taken: AppliedChanges) throws
        -> RecentMemberChanges
    {
        var recent = RecentMemberChanges()
        var ids: Set<String> = []
        var found: [InteractionRecord] = []
        for (_, row) in try journal.rows(where: "user_id = ?", user) {
            let isRecent = !taken.contains(row.sequence, of: row.origin)
            guard case .member(let change)? = row.change else { continue }
            switch change.action {
            case .record(let interactions):
                let first = interactions.filter { ids.insert($0.id).inserted }
                if isRecent { found += first }
            case .forget(id: nil): if isRecent { recent.forgetsEarlier = true }
            case .state(let interests):
                if isRecent { (recent.interests, recent.interestsStamp) = (interests, row.stampMilliseconds) }
            case .forget, .expose: continue
            }
        }
        recent.interactions = found.map {
            InteractionRecord(
                id: $0.id, $0.kind, subjectID: $0.subjectID, atMilliseconds: $0.atMilliseconds, seconds: $0.seconds)
        }
        return recent
    }

    @Test("Whatever a member does at two daemons, in whatever order it arrives, the fold has the effect of all rows")
    func anything() throws {
        var generator = SeededGenerator(seed: 39)
        let journals = [try journal("one"), try journal("other")]
        var (versions, sent): ([AppliedChanges], Int64) = ([.none], 0)
        for step in 1...2500 {
            let own = Int.random(in: 0...1, using: &generator)
            let now = Int64(step)
            // An id is never both of a pair, such as a join, and of something that can be forgotten: if one is forgotten,
            // the other would count for those who read the journal anew.
            func id(ofPair isPair: Bool) -> String {
                "\(isPair ? "pair-" : "")\(Int.random(in: max(1, step - 400)...step, using: &generator))"
            }
            let action: MemberChange.Action
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<3: action = .forget(id: id(ofPair: Bool.random(using: &generator)))
            case 3 where step.isMultiple(of: 7): action = .forget(id: nil)
            case 4..<8: action = .state(interests: ["topic-\(step)"])
            default:
                let kind = Interaction.Kind.allCases.randomElement(using: &generator) ?? .click
                let group = "group-\(Int.random(in: 0..<9, using: &generator))"
                // Few different seconds, so that the order of changes decides.
                let at = Int64.random(in: 0..<60, using: &generator) * 400
                let seconds = kind == .view ? Int.random(in: 8...12, using: &generator) : nil
                action = .record([
                    InteractionRecord(
                        id: id(ofPair: kind.pairChange != nil), kind, subjectID: group, atMilliseconds: at,
                        seconds: seconds)
                ])
            }
            _ = try journals[own].record([.member(MemberChange(ofUser: "ann", action))], at: now)
            if step.isMultiple(of: 25) {
                for (from, to) in [(0, 1), (1, 0)] {
                    for (origin, _) in try journals[from].kept() {
                        let last = try journals[to].kept()[origin]?.last ?? 0
                        let changes = try journals[from].changes(of: origin, after: last, limit: 20)
                        _ = try journals[to].follow(changes, beyond: .none, at: now)
                    }
                }
            }
            if step.isMultiple(of: 600) {
                sent = try journals[1].kept()[journals[0].origin]?.last ?? 0
                versions.append(AppliedChanges([journals[0].origin: sent]))
            }
            guard step.isMultiple(of: 5) else { continue }
            let taken = step.isMultiple(of: 55) ? versions[0] : versions[versions.count - 1]
            for journal in journals {
                var all = try everything(journal, "ann", beyond: taken)
                var folded = try journal.recentChanges(ofUser: "ann", beyond: taken) ?? RecentMemberChanges()
                #expect(Effect(folded) == Effect(all), "step \(step)")
                (all.interactions, folded.interactions, folded.impressions) = ([], [], [:])
                // The journal itself has forgotten them.
                folded.forgottenIDs = []
                #expect(folded == all, "step \(step)")
            }
        }
        #expect(try everything(journals[0], "ann", beyond: versions[4]).interactions.count > 256)
        // Nothing grows with what the member did, but for the impressions of each group.
        #expect(try journals[0].recentChanges(ofUser: "ann")?.interactions.count ?? 0 < 700)
    }

    /// All interactions that a member's changes left, in the order in which they arrived, without a fold.
    private struct Replay {
        private var events: [(stamp: ChangeStamp, place: Int, record: InteractionRecord)] = []
        private var ended: [String: ChangeStamp] = [:]

        mutating func add(_ journaled: JournaledChange) {
            let stamp = journaled.stamp
            switch journaled.change {
            case .member(let change):
                if case .record(let records) = change.action {
                    events += records.enumerated().map { (stamp, $0, $1) }
                } else if case .forget(let id) = change.action {
                    events.removeAll {
                        $0.stamp < stamp && $0.record.kind.pairChange == nil && (id == nil || id == $0.record.id)
                    }
                }
            case .removal(let change):
                if case .user(_, let group, _) = change.subject {
                    ended[group] = max(ended[group] ?? stamp, stamp)
                } else {
                    events.removeAll { $0.stamp < stamp }
                    ended = ended.filter { $0.value >= stamp }
                }
            default: break
            }
        }

        var effect: Effect {
            var recent = RecentMemberChanges()
            recent.interactions = events.sorted { ($0.stamp, $0.place) < ($1.stamp, $1.place) }.filter { event in
                event.record.kind.pairChange?.source != .memberships
                    || ended[event.record.subjectID].map { $0 < event.stamp } ?? true
            }.map(\.record)
            var effect = Effect(recent)
            effect.impressions = effect.impressions.mapValues { $0.suffix(MemberFold.impressionLimit) }
            return effect
        }
    }

    /// Returns a change at a step: mostly interactions of few groups, at few times.
    private static func change(_ step: Int, _ generator: inout SeededGenerator) -> Change {
        func group() -> String { "group-\(Int.random(in: 0..<3, using: &generator))" }
        switch Int.random(in: 0..<1000, using: &generator) {
        case 0..<8:
            let id = "\(Int.random(in: max(0, step - 700)...step, using: &generator))-0"
            return .member(MemberChange(ofUser: "ann", .forget(id: id)))
        case 8: return .member(MemberChange(ofUser: "ann", .forget(id: nil)))
        case 9: return .removal(RemovalChange(.account("ann"), atMilliseconds: 1))
        case 10..<20:
            let ofMembers = RemovalChange.Subject.user("ann", ofGroup: group(), table: RelationSource.memberships.table)
            return .removal(RemovalChange(ofMembers, atMilliseconds: 1))
        default: break
        }
        let records = (0..<Int.random(in: 1...3, using: &generator)).map { place in
            let isShown = Int.random(in: 0..<5, using: &generator) < 3
            let kind = isShown ? .impression : Interaction.Kind.allCases.randomElement(using: &generator) ?? .click
            return InteractionRecord(
                id: "\(step)-\(place)", kind, subjectID: isShown ? "shown" : group(),
                atMilliseconds: Int64.random(in: 0..<60, using: &generator) * 400,
                seconds: kind == .view ? Int.random(in: 8...12, using: &generator) : nil)
        }
        return .member(MemberChange(ofUser: "ann", .record(records)))
    }

    @Test("Settled interactions have the effect of all, whatever comes late or is forgotten", arguments: 1...3)
    func settling(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var (fold, replay) = (MemberFold(beyond: .none), Replay())
        var waiting: [(due: Int, change: JournaledChange)] = []
        for step in 0..<1200 {
            let delay =
                switch Int.random(in: 0..<100, using: &generator) {
                case 0..<2: Int.random(in: 200...500, using: &generator)
                case 2..<20: Int.random(in: 1...40, using: &generator)
                default: 0
                }
            // Two changes of different journals may have the same milliseconds.
            let journaled = JournaledChange(
                origin: step.isMultiple(of: 2) ? "one" : "other", sequence: Int64(step),
                stampMilliseconds: Int64(step / 2), change: Self.change(step, &generator))
            waiting.append((step + delay, journaled))
            for (_, journaled) in waiting.filter({ $0.due <= step }) {
                fold.add(journaled, isRecent: true) { _ in nil }
                replay.add(journaled)
            }
            waiting.removeAll { $0.due <= step }
            guard Int.random(in: 0..<20, using: &generator) == 0 else { continue }
            fold.arrange()
            #expect(Effect(fold.recent) == replay.effect, "step \(step)")
        }
    }

    @Test("A join after the site removed the member counts, although an earlier one of a later time is settled")
    func settledJoinBeforeRemoval() {
        var fold = MemberFold(beyond: .none)
        func add(_ number: Int64, _ change: Change) {
            let journaled = JournaledChange(
                origin: "one", sequence: number, stampMilliseconds: number, change: change)
            fold.add(journaled, isRecent: true) { _ in nil }
        }
        func record(_ number: Int64, _ kind: Interaction.Kind, at time: Int64) {
            let record = InteractionRecord(id: "\(number)", kind, groupID: "g", atMilliseconds: time)
            add(number, .member(MemberChange(ofUser: "ann", .record([record]))))
        }
        record(1, .join, at: 90_000)
        let removed = RemovalChange.Subject.user("ann", ofGroup: "g", table: RelationSource.memberships.table)
        add(2, .removal(RemovalChange(removed, atMilliseconds: 2)))
        record(3, .join, at: 50_000)
        for number in 4...1000 { record(Int64(number), .impression, at: 60_000) }
        fold.arrange()
        #expect(fold.recent.interactions.map(\.id) == ["3"])
    }

    @Test("The later of two statements of interests stays, whichever is read first", arguments: [[5, 9], [9, 5]])
    func lateStatement(stamps: [Int64]) {
        var fold = MemberFold(beyond: .none)
        for stamp in stamps {
            let change = Change.member(MemberChange(ofUser: "ann", .state(interests: ["topic-\(stamp)"])))
            fold.add(
                JournaledChange(origin: "o", sequence: stamp, stampMilliseconds: stamp, change: change), isRecent: true
            ) { _ in nil }
        }
        #expect(fold.recent.interests == ["topic-9"] && fold.recent.interestsStamp == 9)
    }

    @Test("After a first reading, only new rows of a busy member are read, and what no longer counts is left out")
    func newRowsOnly() throws {
        let journal = try journal()
        func record(_ first: Int, _ count: Int) throws {
            let interactions = (first..<first + count).map {
                InteractionRecord(id: "\($0)", .impression, groupID: "g", atMilliseconds: Int64($0))
            }
            _ = try journal.record([.member(MemberChange(ofUser: "ann", .record(interactions)))], at: 1)
        }
        for batch in 0..<30 { try record(batch * 100, 100) }
        let group = BytewiseString("g")
        #expect(try journal.recentChanges(ofUser: "ann")?.impressions[group]?.count == MemberFold.impressionLimit)
        // A row that is read again would be found damaged.
        try journal.database.execute("UPDATE changes SET seal = seal + 1")
        try record(3000, 1)
        let recent = try journal.recentChanges(ofUser: "ann")
        #expect(recent?.impressions == [group: (2001...3000).map(Int64.init)])
        #expect(recent?.interactions == [])
        #expect(try journal.damagedChanges() == [])
    }

    @Test("A row that gets the key of a removed one is read")
    func keyGivenAgain() throws {
        let journal = try journal()
        func record(_ id: Int) throws {
            let interaction = InteractionRecord(id: "\(id)", .join, groupID: "g\(id)", atMilliseconds: Int64(id))
            _ = try journal.record([.member(MemberChange(ofUser: "ann", .record([interaction])))], at: 1)
        }
        for id in 1...50 { try record(id) }
        let taken = AppliedChanges([journal.origin: 10])
        #expect(try journal.recentChanges(ofUser: "ann", beyond: taken)?.interactions.count == 40)
        try journal.prune(AppliedChanges([journal.origin: 50]))
        try record(51)
        #expect(try journal.database.integer("SELECT max(change_key) FROM changes") == 1)
        #expect(try journal.recentChanges(ofUser: "ann", beyond: taken)?.interactions.map(\.id) == ["51"])
    }
}
