import Answers
import Basics
import CatalogStore
import Changes
import CommandLine
import FoundationEssentials
import Model
import ModelStore
import Recommendation
import RecordReading
import Service

/// `coterie export recommendations`: the lists of all members, or of some, in the order of their ids.
struct ListExport {
    /// The inputs of the lists; a partial file is resumed only for the same inputs.
    struct Content: Codable, Equatable {
        var version: String
        var atMilliseconds: Int64
        var limit: Int
        var seed: UInt64
        var omitted: [String]
        /// The fingerprint of the settings of lists, the key of the rotation, and the release.
        var settings: String
        var isJSON: Bool
        var hasReasons: Bool
        /// The checksum of the users' ids, or `nil` for all users of the catalog.
        var users: String?
        /// The checksum of what is hidden, curated, removed or forgotten.
        var decided = ""
    }

    /// The number of members that a thread takes at a time.
    private static let portionCount = 16
    /// The mean number of portions that a thread takes before lists are written.
    ///
    /// It is large, so the wait for the last portion costs little.
    private static let portionsPerRound = 64

    private let parsed: ParsedCommand
    private let site: Site
    /// The ids of the file of users, or `nil` for all members.
    private let listed: [String]?
    /// The site for each thread.
    private let readers: [Site]
    private let progress = ProgressLine()
    private var content: Content

    init(_ parsed: ParsedCommand) throws {
        self.parsed = parsed
        listed = try parsed.textIfGiven("users").map(ParsedCommand.listedUserIDs)
        let site = try Site(parsed, of: listed.map { .some($0) } ?? .all)
        self.site = site
        content = Content(
            version: site.version.manifest.version.description, atMilliseconds: try parsed.planInstant(),
            limit: try parsed.integer("limit", in: 1...300), seed: try parsed.planSeed(),
            omitted: parsed.texts("without").sorted(),
            settings: parsed.listSettings(site.snapshot.planner.key), isJSON: parsed.flag("json"),
            hasReasons: parsed.flag("reasons"))
        content.decided = try Self.decided(site)
        readers = try (0..<parsed.threadCount()).map { _ in
            var own = site
            own.catalog = try parsed.openCatalogIfPresent()
            return own
        }
    }

    /// Returns a checksum of the site's decisions: it changes if a group is hidden or a member removed meanwhile.
    private static func decided(_ site: Site) throws -> String {
        let groups = (0..<site.model.groupCount).filter { !site.model.shows(UInt32($0)) }.map(String.init)
        let gone = (site.untaken?.forgottenMembers ?? []).union(site.removed.members).map(\.text).sorted()
        let ledger = try site.catalog?.ledger().text ?? ""
        let others = ["\(site.state.curations)", ledger, "\(try site.catalog?.latestRemovalStamp() ?? 0)"]
        return Checksum.text(of: Array((groups + [""] + gone + others).joined(separator: "\n").utf8))
    }

    /// Writes the lists.
    ///
    /// - Throws: among others `Failure`, after the other lists are written, if some users are unknown.
    mutating func run() throws {
        let unknown = try writeLists()
        if unknown.paused > 0 {
            let subject = unknown.paused == 1 ? "1 member has" : "\(unknown.paused.grouped) members have"
            printToStandardError("coterie: \(subject) paused the list, and none is written")
        }
        // Of all members, one is only unknown who went meanwhile, or whom a daemon has forgotten.
        guard unknown.count > 0, listed != nil else { return }
        let named = unknown.first.map { "\"\(shown($0))\"" }.joined(separator: ", ")
        let subject = unknown.count == 1 ? "1 user is" : "\(unknown.count.grouped) users are"
        throw Failure(
            .badData,
            "\(subject) unknown: \(named)\(unknown.count > unknown.first.count ? ", …" : ""); "
                + "the others have their lists")
    }

    /// Users without lists: those whom neither the catalog nor the version knows, and those who paused it.
    private struct UsersWithoutLists {
        /// The number of members who have paused the list.
        var paused = 0
        /// The number of unknown users.
        var count = 0
        /// The first unknown ids, in ascending order of their bytes; at most ten.
        var first: [String] = []

        mutating func add(_ ids: [String]) {
            count += ids.count
            first += ids.prefix(10 - first.count)
        }
    }

    private mutating func writeLists() throws -> UsersWithoutLists {
        let users = try userIDs()
        if listed != nil { content.users = Checksum.text(of: Array(users.joined(separator: "\n").utf8)) }
        let columns = ["user", "rank", "group", "score", "origin"] + (content.hasReasons ? ["reasons"] : [])
        let header = content.isJSON ? "" : TabSeparated.line(columns)
        progress.begin("lists")
        guard let path = parsed.textIfGiven("output"), path != "-" else {
            var output = try Output()
            try output.write(header)
            let unknown = try writeRounds(of: users, after: nil) { bytes, _ throws(Failure) in
                try output.write(bytes)
            }
            try output.flush()
            return unknown
        }
        let hasInstant = parsed.textIfGiven("at") != nil
        let file = try ResumableFile(path: path, content: content) { begun, now in
            // Without --at, a resumed file keeps the time at which it was begun.
            var now = now
            if !hasInstant { now.atMilliseconds = begun.atMilliseconds }
            return begun == now
        }
        content = file.content
        if file.position == nil { try file.append(Array(header.utf8), position: "") }
        let unknown = try writeRounds(of: users, after: file.position.flatMap { $0.isEmpty ? nil : $0 }) {
            bytes, last throws(Failure) in try file.append(bytes, position: last)
        }
        try file.finish()
        return unknown
    }

    /// Returns the ids in ascending order of their bytes: of all members of the catalog and the version, or of a file.
    private func userIDs() throws -> [String] {
        let known = try listed ?? site.catalog?.userIDs() ?? []
        let others = try listed == nil ? site.members?.memberIDs() ?? [] : []
        return Set((known + others).map(BytewiseString.init)).map(\.text)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func writeRounds(
        of users: [String], after first: String?, _ write: ([UInt8], _ last: String) throws(Failure) -> Void
    ) throws -> UsersWithoutLists {
        var done =
            first.map { id in users.indices.partitioningIndex { id.utf8.lexicographicallyPrecedes(users[$0].utf8) } }
            ?? 0
        var unknown = UsersWithoutLists()
        while done < users.count {
            let round = Array(users[done...].prefix(Self.portionCount * Self.portionsPerRound * readers.count))
            let taken = try site.taken(in: site.snapshot)
            let recent = try recentChanges(of: round, beyond: taken)
            // Each thread has a reader of its own.
            nonisolated(unsafe) let (export, readers) = (self, readers)
            let lists = unsafe try Parallel.map(
                round.count, inPortionsOf: Self.portionCount, threads: readers.count,
                state: { thread throws(any Error) in unsafe readers[thread] }
            ) { reader, members throws(any Error) in
                try unsafe export.lists(of: round[members], reader, recent)
            }
            // The catalog may have taken some of the changes meanwhile, which would then count twice.
            guard try site.taken(in: site.snapshot) == taken else { continue }
            var bytes: [UInt8] = []
            for list in lists {
                unknown.add(list.unknown)
                unknown.paused += list.paused
                bytes += list.bytes
            }
            done += round.count
            try write(bytes, users[done - 1])
            progress.show(done: done, total: users.count, unit: "members")
        }
        progress.clear()
        return unknown
    }

    /// Returns the changes of some members that are not taken.
    private func recentChanges(of users: [String], beyond taken: AppliedChanges) throws
        -> [BytewiseString: RecentMemberChanges]
    {
        var found: [BytewiseString: RecentMemberChanges] = [:]
        for user in users { found[BytewiseString(user)] = try site.recentChanges(ofUser: user, beyond: taken) }
        return found
    }

    private func lists(
        of users: ArraySlice<String>, _ reader: Site, _ recent: [BytewiseString: RecentMemberChanges]
    ) throws -> (bytes: [UInt8], unknown: [String], paused: Int) {
        var bytes: [UInt8] = []
        var (unknown, paused): ([String], Int) = ([], 0)
        let snapshot = site.snapshot
        // A resumed file keeps the time at which it was begun.
        let instant = content.atMilliseconds
        for user in users {
            let changes = recent[BytewiseString(user)]
            let known = try reader.knownState(
                ofUser: user, in: snapshot, without: changes?.forgottenIDs ?? [], atMilliseconds: instant)
            let profile = try reader.profile(
                ofUser: user, known, after: changes, in: snapshot, atMilliseconds: instant)
            guard let profile else {
                unknown.append(user)
                continue
            }
            let request = PlanRequest(
                profile: profile, atMilliseconds: instant, seed: content.seed, length: content.limit)
            guard !request.isPaused else {
                paused += 1
                continue
            }
            let list = MemberContext(snapshot, request).recommendations(
                snapshot.planner.plan(request), limit: content.limit, reasonLimit: content.hasReasons ? .max : 0)
            bytes += content.isJSON ? line(list) : rows(list)
        }
        return (bytes, unknown, paused)
    }

    private func line(_ list: Recommendations) -> [UInt8] {
        JSONWriter.object { json in
            json.member("userId", list.userId)
            json.objects("recommendations", list.recommendations) { json, row in
                json.member("groupId", row.group.group.groupId)
                json.member("score", row.group.score)
                json.member("origin", row.origin.rawValue)
                if content.hasReasons { json.member("reasons", seeds(row.reasons)) }
            }
        } + [UInt8(ascii: "\n")]
    }

    private func rows(_ list: Recommendations) -> [UInt8] {
        list.recommendations.flatMap { row in
            let group = row.group.group
            let score = Formats.significant(row.group.score, 6)
            var fields = [list.userId, String(group.rank), group.groupId, score, row.origin.rawValue]
            if content.hasReasons { fields.append(seeds(row.reasons).joined(separator: ";")) }
            return Array(TabSeparated.line(fields).utf8)
        }
    }

    /// Returns the ids of the joined groups that led to a group, the strongest first, each once.
    private func seeds(_ reasons: [GroupReason]) -> [String] {
        var seen: Set<String> = []
        return reasons.map(\.groupId).filter { seen.insert($0).inserted }
    }
}
