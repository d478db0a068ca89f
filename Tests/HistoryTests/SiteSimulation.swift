import Basics
import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import TestSupport

/// A site whose members act while everything happens to it that may, step by step.
///
/// Daemons end and start again, exchange late and in any order, and their clock steps both ways. Files come, changes are
/// applied by one process or two, and commands die between two steps. Versions are made, pruned and rolled back, the
/// catalog is restored, and the server loses its streams. A plain model knows what must be shown and what must be gone.
struct SiteSimulation {
    /// A mistake that a program could make; the model must notice it.
    enum Mistake: CaseIterable {
        /// An action, a decision, a forgetting or a group that turned private is acknowledged, and gets lost.
        case lostAction, lostDecision, lostForgetting, lostFile
        /// Actions are dated a day early.
        case earlyActions
        /// A daemon that starts again has lost its journal.
        case lostJournal
        /// A daemon does not hear of others.
        case deafDaemon
        /// The first state of the site that was published stays.
        case firstSite
    }

    /// A thing that was found wrong.
    struct Fault: Hashable, CustomStringConvertible {
        let step: Int
        let description: String
    }

    /// The facts that all readers must tell.
    private struct Truth {
        /// The groups of each member, and the groups that a member dismissed.
        var joined: [String: Set<String>] = [:]
        var dismissed: [String: Set<String>] = [:]
        var forgotten: Set<String> = []
        var hidden: Set<String> = []
        var withdrawn: Set<String> = []
        /// The members about whom a file says something that the serving version may lack.
        var changedByFiles: Set<String> = []
    }

    /// Members who only act, and members of whom files tell as well.
    private static let members = (0..<6).map { "a\($0)" } + (0..<4).map { "f\($0)" }
    private static let joinable = Array(Names.groups.prefix(12))
    private static let hideable = Array(Names.groups[14..<17])
    /// Groups that only commands hide.
    private static let hiddenByCommands = Array(Names.groups[12..<14])
    private static let withdrawable = Array(Names.groups.suffix(3))

    private let site: SiteUnderTest
    private let clock = TestClock()
    private let daemonCount: Int
    private var random: SeededGenerator
    private let mistake: Mistake?
    private var truth = Truth()
    private var step = 0
    /// Whether there is a copy of the catalog, and the journals have all that came since.
    private var hasCopy = false
    private var firstSite: PublishedSite?
    private(set) var faults: [Fault] = []
    private(set) var log: [String] = []

    init(inRedis: Bool, seed: UInt64, _ mistake: Mistake? = nil) throws {
        self.mistake = mistake
        random = SeededGenerator(seed: seed)
        site = try SiteUnderTest(inRedis: inRedis, clock)
        daemonCount = inRedis ? 3 : 2
    }

    /// Does a number of random steps, and looks at all daemons now and then, and at the end.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            // The time of an event is never ahead of a clock, however that steps.
            clock.now = time + Int64.random(in: 0...3_600_000, using: &random)
            try act()
            if step.isMultiple(of: 30) || step == steps { try settle() }
        }
    }

    /// The time of the present step, in Unix milliseconds.
    private var time: Int64 { Timeline.start + Int64(step) * 60_000 }

    private mutating func act() throws {
        let daemon = Int.random(in: 0..<daemonCount, using: &random)
        if hasCopy, Int.random(in: 0..<6, using: &random) == 0 {
            hasCopy = false
            return try note("the catalog is restored") { site in try site.restore() }
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: try memberActs(at: daemon)
        case 45..<52: try importMembership()
        case 52..<57: try decide(at: daemon)
        case 57..<60: try withdraw()
        case 60..<62: try forget(at: daemon)
        case 62..<75 where mistake == .deafDaemon && daemon == 0: break
        case 62..<75: try note("daemon \(daemon) exchanges") { site in try site.exchange(daemon) }
        case 75..<80: try note("apply") { site in _ = try site.apply() }
        case 80..<82: try note("two apply") { site in site.applyTwice() }
        case 82..<84:
            let now = clock.now
            try note("recompute") { site in try site.recompute(at: now) }
            (truth.changedByFiles, hasCopy) = ([], false)
        case 84..<86:
            try note("the catalog is copied") { site in try site.copy() }
            hasCopy = true
        case 86..<89:
            let number = Int.random(in: 0..<9, using: &random)
            try note("make version \(number) current") { site in try site.makeCurrent(number) }
            truth.changedByFiles = Set(Self.members.filter { $0.hasPrefix("f") })
        case 89..<91: try note("prune") { site in _ = try site.store.prune(keeping: 2) }
        case 91..<97:
            let losesJournal = mistake == .lostJournal
            try note("daemon \(daemon) is killed and starts") { site in
                try site.restart(daemon, losingJournal: losesJournal)
            }
        case 97: try decideByCommand()
        default:
            try note("the store loses streams and the state of the site") { site in try site.loseStreams() }
            hasCopy = false
        }
    }

    private mutating func note(_ words: String, _ body: (SiteUnderTest) throws -> Void) throws {
        log.append("\(step). \(words)")
        do { try body(site) } catch let error as Failure where error.code == .busy { log.append("    busy") }
    }

    private mutating func memberActs(at daemon: Int) throws {
        let (member, group) = (pick(Self.members), pick(Self.joinable))
        let kind = pick([Interaction.Kind.join, .join, .leave, .dismiss, .undismiss])
        let instant = mistake == .earlyActions && step.isMultiple(of: 3) ? time - 86_400_000 : time
        let record = InteractionRecord(id: "\(step)", kind, subjectID: group, atMilliseconds: instant, seconds: nil)
        let isLost = mistake == .lostAction && step.isMultiple(of: 5)
        try note("\(member) \(kind.rawValue) \(group) at daemon \(daemon)") { site in
            guard !isLost else { return }
            _ = try site.appliers[daemon](.member(MemberChange(ofUser: member, .record([record]))))
        }
        guard !truth.forgotten.contains(member) else { return }
        switch kind {
        case .join: truth.joined[member, default: []].insert(group)
        case .leave: truth.joined[member, default: []].remove(group)
        case .dismiss: truth.dismissed[member, default: []].insert(group)
        default: truth.dismissed[member, default: []].remove(group)
        }
    }

    private mutating func importMembership() throws {
        let (member, group) = (pick(Self.members.filter { $0.hasPrefix("f") }), pick(Self.joinable))
        let row = FileKind.membership.row(member, group, time / 1000)
        try note("a file says that \(member) is in \(group)") { site in try site.importing([.membership: [row]]) }
        hasCopy = false
        guard !truth.forgotten.contains(member) else { return }
        truth.joined[member, default: []].insert(group)
        truth.changedByFiles.insert(member)
    }

    private mutating func decide(at daemon: Int) throws {
        let group = pick(Self.hideable)
        let isHidden = Bool.random(using: &random)
        // Clocks decide between daemons that do not know of each other.
        try site.exchange()
        let change = SiteChange(ofGroup: group, isHidden ? .hide : .unhide, atMilliseconds: clock.now)
        let isLost = mistake == .lostDecision
        var isTaken = true
        try note("\(group) is \(isHidden ? "hidden" : "shown") at daemon \(daemon)") { site in
            guard !isLost else { return }
            isTaken = try site.appliers[daemon](.site(change))
            try site.exchange()
        }
        if !isTaken { fault("daemon \(daemon) refuses to \(isHidden ? "hide" : "show") \(group)") }
        if isHidden { truth.hidden.insert(group) } else { truth.hidden.remove(group) }
    }

    /// A command records a decision, and is killed before it sends or applies it.
    private mutating func decideByCommand() throws {
        let group = pick(Self.hiddenByCommands)
        let isHidden = Bool.random(using: &random)
        // The latest time that a clock shows: what the command overrules is older.
        let now = time + 3_600_000
        let change = SiteChange(ofGroup: group, isHidden ? .hide : .unhide, atMilliseconds: now)
        try note("a command \(isHidden ? "hides" : "shows") \(group), and is killed") { site in
            try site.record(.site(change), at: now)
        }
        if isHidden { truth.hidden.insert(group) } else { truth.hidden.remove(group) }
    }

    private mutating func withdraw() throws {
        let group = pick(Self.withdrawable)
        let (isPrivate, isCut) = (Bool.random(using: &random), Bool.random(using: &random))
        let isLost = mistake == .lostFile
        let words = "a file says that \(group) is \(isPrivate ? "private" : "public")"
        try note(words + (isCut ? ", and the import is killed at its end" : "")) { site in
            guard !isLost else { return }
            try site.importGroup(group, visibility: isPrivate ? "private" : "public", tellsStore: !isCut)
        }
        hasCopy = false
        if isPrivate { truth.withdrawn.insert(group) } else { truth.withdrawn.remove(group) }
    }

    private mutating func forget(at daemon: Int) throws {
        let member = pick(Self.members)
        // A command that finds nobody notes the id alone.
        guard truth.joined[member] != nil || truth.dismissed[member] != nil else { return }
        let now = clock.now
        let isLost = mistake == .lostForgetting
        try note("\(member) is forgotten at daemon \(daemon)") { site in
            guard !isLost else { return }
            _ = try site.appliers[daemon](
                .removal(RemovalChange(.member(member, withPhotos: false), atMilliseconds: now)))
        }
        truth.forgotten.insert(member)
        (truth.joined[member], truth.dismissed[member]) = (nil, nil)
    }

    /// Lets everything arrive, and compares what daemons show with the truth.
    private mutating func settle() throws {
        clock.now = time + 3_600_000
        let deaf = mistake == .deafDaemon ? 0 : nil
        for _ in 0..<2 {
            try site.exchange(without: deaf)
            for warning in try site.apply() { log.append("    \(warning)") }
        }
        if mistake == .firstSite {
            firstSite = try firstSite ?? site.store.site()
            if let firstSite { try site.store.setSite(firstSite) }
        }
        try site.exchange(without: deaf)
        for reader in try site.readers(of: Self.members) {
            for group in truth.hidden.union(truth.withdrawn) where reader.shows(group) {
                fault("\(reader.name.rawValue) shows \(group)")
            }
            for member in Self.members {
                if reader.name.readsVersions, truth.changedByFiles.contains(member) { continue }
                let answer = try reader.answer(member, at: clock.now, isThorough: false)
                let joined = (truth.joined[member] ?? []).filter(reader.shows).sorted()
                let dismissed = (truth.dismissed[member] ?? []).filter(reader.shows).sorted()
                for (field, expected) in [(Field.joined, joined), (.dismissed, dismissed)]
                where answer[field] != expected {
                    let said = answer[field] ?? []
                    fault("\(reader.name.rawValue) says \(member) \(field.rawValue) \(said), not \(expected)")
                }
            }
        }
    }

    private mutating func fault(_ words: String) { faults.append(Fault(step: step, description: words)) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
