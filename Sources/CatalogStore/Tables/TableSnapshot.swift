package import Basics
import Changes
package import Model
import SQLite
import Synchronization

/// The entries, users and photos of a folder of tables, together with a snapshot of the catalog.
///
/// The catalog has the groups and their visibility, the forgotten members, and the interactions. Joins and leaves are
/// replayed on the tables as an import replays them. The memberships, pools and photos of the catalog are not read.
package final class TableSnapshot: EntrySource {
    let snapshot: Matrices
    let folder: TableFolder
    let numbers: TableNumbers

    /// Opens and checks the tables.
    package init(_ path: String, _ snapshot: Matrices) throws(Failure) {
        self.snapshot = snapshot
        folder = try TableFolder(path)
        numbers = try TableNumbers(folder, snapshot)
    }

    /// Returns the users of the tables, then the users that only the catalog has.
    ///
    /// Interests in the catalog override those in the tables.
    package func users() throws(Failure) -> UserTexts {
        var users = UserTexts()
        for part in folder["users"] {
            for row in 0..<part.rowCount {
                let column = users.ids.count
                part.withText("id", row: row) { users.ids.append($0) }
                if let stated = numbers.interests[UInt32(column)] {
                    users.interests.append(stated.utf8Span.span)
                } else if numbers.isForgotten.contains(column) {
                    users.interests.append([UInt8]())
                } else {
                    part.withText("interests", row: row) { users.interests.append($0) }
                }
            }
        }
        users.interestsStamps = numbers.interestsStamps
        for id in numbers.addedUsers {
            users.interests.append((numbers.interests[UInt32(users.ids.count)] ?? "").utf8Span.span)
            users.ids.append(id.utf8Span.span)
        }
        return users
    }

    package func shownArms() throws(Failure) -> [UInt32: [String: String]] {
        let arms = try snapshot.shownArms().compactMap { key, arms in
            numbers.columnOfKey[Int64(key)].map { ($0, arms) }
        }
        return Dictionary(uniqueKeysWithValues: arms)
    }

    package func forEachMember(impressionsSince: Int64, _ body: (_ column: Int, [Interaction], Pause?) -> Void)
        throws(Failure)
    {
        try snapshot.forEachMember(impressionsSince: impressionsSince) { key, interactions, pause in
            if let column = numbers.columnOfKey[Int64(key)] { body(Int(column), interactions, pause) }
        }
    }
}

/// The numbers of groups and users in a folder of tables, matched with the catalog.
struct TableNumbers: Sendable {
    /// The matrix row of each group of the catalog, or −1 if it is not shown; by the group's number.
    ///
    /// Numbers are from 1, in the order of the groups' ids.
    let rowOfGroup: [Int32]
    /// The number of each group of the tables in `rowOfGroup`; 0 if the catalog does not have the group.
    let groupOfTable: [UInt32]
    /// The columns of the users with interests, interactions or shown arms in the catalog, by user key.
    private(set) var columnOfKey: [Int64: UInt32] = [:]
    /// The users that the tables do not have; their columns follow the columns of the tables.
    private(set) var addedUsers: [String] = []
    /// The interests that users stated in the catalog, by column.
    private(set) var interests: [UInt32: String] = [:]
    /// The stamps of these statements, by column.
    private(set) var interestsStamps: [UInt32: Int64] = [:]
    /// The columns of forgotten members.
    private(set) var isForgotten: BitSet
    /// The last join or leave of each member in each group, by the group's number.
    private(set) var settled: [UInt32: [SettledMembership]] = [:]

    var columnCount: Int { tableUsers + addedUsers.count }
    private let tableUsers: Int

    init(_ folder: TableFolder, _ snapshot: Matrices) throws(Failure) {
        let groups = try snapshot.groups()
        var rowCount: Int32 = 0
        rowOfGroup =
            [-1]
            + groups.map { group in
                guard group.isShown else { return -1 }
                defer { rowCount += 1 }
                return rowCount
            }
        groupOfTable = Self.merge(folder, groups)
        tableUsers = folder.manifest.rowCount("users")
        isForgotten = BitSet(count: tableUsers)
        try readUsers(folder, snapshot.database)
        let numbers = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($0.element.key, $0.offset + 1) })
        try readSettled(snapshot.database, numbers)
    }

    /// Matches the groups of the tables with the catalog's; both are in the order of their ids' bytes.
    private static func merge(_ folder: TableFolder, _ groups: [GroupRecord]) -> [UInt32] {
        var numbers: [UInt32] = []
        var next = 0
        for part in folder["groups"] {
            for row in 0..<part.rowCount {
                var order = 1
                while next < groups.count {
                    order = part.compare("id", row: row, with: groups[next].id.utf8Span.span)
                    if order <= 0 { break }
                    next += 1
                }
                numbers.append(order == 0 ? UInt32(next + 1) : 0)
                if order == 0 { next += 1 }
            }
        }
        return numbers
    }

    private mutating func readUsers(_ folder: TableFolder, _ database: ReadingDatabase) throws(Failure) {
        let users = try database.prepare(
            """
            SELECT user_key, user_id, interests, interests_stamp FROM users
            WHERE interests IS NOT NULL OR interests_stamp IS NOT NULL
                OR user_key IN (SELECT user_key FROM interactions)
                OR user_key IN (SELECT user_key FROM (\(ExposureRecord.selectShownArms))) ORDER BY user_id
            """)
        while try users.step() {
            let id = users.text(1)
            var column = folder.row(of: id, in: "id", of: "users")
            if column == nil {
                column = UInt32(columnCount)
                addedUsers.append(id)
            }
            columnOfKey[users.integer(0)] = column
            guard let column else { continue }
            interestsStamps[column] = users.optionalInteger(3)
            // Whoever stated no interests has none, whatever the tables say.
            if interestsStamps[column] != nil || !users.isNull(2) { interests[column] = users.text(2) }
        }
        let ledger = try LedgerTable(database).content()
        guard !ledger.times.isEmpty else { return }
        for part in folder["users"] {
            for row in 0..<part.rowCount where ledger.isForgotten(part.text("id", row: row)) {
                isForgotten.insert(part.firstRow + row)
            }
        }
    }

    private mutating func readSettled(_ database: ReadingDatabase, _ numbers: [Int64: Int]) throws(Failure) {
        let rows = try database.prepare(
            """
            SELECT group_key, user_key, kind, occurred_at FROM interactions WHERE \(RelationSource.memberships.isChanged)
            ORDER BY group_key, user_key, occurred_at / 1000, interaction_key
            """)
        let latest = try database.integer("SELECT \(PairEvents.latestTime)") ?? .max
        while try rows.step() {
            guard let group = numbers[rows.integer(0)], let column = columnOfKey[rows.integer(1)] else { continue }
            let last = SettledMembership(
                column: column, hasJoined: rows.integer(2) == Interaction.Kind.join.number,
                seconds: rows.integer(3) / 1000, latestSeconds: latest)
            let number = UInt32(group)
            if settled[number]?.last?.column == column { settled[number]?.removeLast() }
            settled[number, default: []].append(last)
        }
        for group in settled.keys { settled[group]?.sort { $0.column < $1.column } }
    }
}

/// An entry of a group: a column of the matrix, and its time in Unix seconds, if it is known.
struct TableEntry: Sendable, Equatable {
    var column: UInt32
    var time: Int64?
}

/// The latest of a member's joins and leaves of a group.
struct SettledMembership: Sendable {
    let column: UInt32
    let hasJoined: Bool
    /// The time, in Unix seconds.
    let seconds: Int64
    /// The latest time of a membership that is not still to come, in Unix seconds.
    let latestSeconds: Int64

    /// Returns the membership after this join or leave, as `PairEvents` computes it in the catalog.
    ///
    /// - Parameter entry: the membership before, or `nil` if there is none.
    /// - Returns: `nil` if there is no membership afterwards.
    func settle(_ entry: TableEntry?) -> TableEntry? {
        let time = entry?.time.flatMap { $0 > latestSeconds ? nil : $0 }
        var state = PairState(holds: entry != nil, seconds: time)
        guard state.settle(hasJoined, atSeconds: seconds) else { return entry }
        return state.holds ? TableEntry(column: column, time: state.seconds) : nil
    }
}

extension TableSnapshot {
    private static let photosPerRange = 1 << 15

    package func hasPhotoOwners() throws(Failure) -> Bool { folder["photos"].contains { $0.has("owner") } }

    package var ownerOffset: Int { 1 }

    package func hasPhotoContent() throws(Failure) -> Bool {
        folder["photos"].contains { $0.has("tags") || $0.has("latitude") }
    }

    package func photoContent(
        minimumPhotos: Int, mostTags: Int, progress: @escaping @Sendable (_ photos: Int) -> Void
    ) throws(Failure) -> PhotoContent {
        try snapshot.content(minimumPhotos: minimumPhotos) { choice throws(Failure) in
            try readPhotos(TagNumbers(choice, mostTags: mostTags), progress)
        }
    }

    private func readPhotos(_ tagNumbers: TagNumbers, _ progress: @escaping @Sendable (_ photos: Int) -> Void)
        throws(Failure) -> [PhotoReader]
    {
        let ranges = folder["photos"].flatMap { part in
            stride(from: 0, to: part.rowCount, by: Self.photosPerRange).map { first in
                (part: part, rows: first..<min(first + Self.photosPerRange, part.rowCount))
            }
        }
        let next = Atomic<Int>(0)
        let photosRead = Atomic<Int>(0)
        let forgotten = numbers.isForgotten
        return try snapshot.readParts(snapshot.connections.count) { _, _ throws(Failure) in
            var reader = PhotoReader(tagNumbers)
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < ranges.count {
                reader.read(ranges[index].part, ranges[index].rows, index: index, forgotten: forgotten)
                progress(photosRead.add(ranges[index].rows.count, ordering: .relaxed).newValue)
            }
            return reader
        }
    }
}

extension TableSnapshot {
    package func hasRows(_ source: RelationSource) throws(Failure) -> Bool { rowCount(source) > 0 }

    package func rowCount(_ source: RelationSource) -> Int { folder.manifest.rowCount(source.table) }

    package func unlistedUsers() throws(Failure) -> Set<UInt32> {
        let ids = try snapshot.database.prepare("SELECT user_id FROM users WHERE listed = 0").texts()
        return Set(ids.compactMap { folder.row(of: $0, in: "id", of: "users") })
    }
}

extension TableSnapshot {
    private static let sampledEntries = 20_000
    private static let rowsPerSample = 64

    package func workEstimates(_ sources: [RelationSource], recentWeeks: Int) throws(Failure) -> [WorkEstimate] {
        var estimates: [WorkEstimate] = []
        for source in sources { estimates.append(try workEstimate(source, recentWeeks: recentWeeks)) }
        return estimates
    }

    /// Counts the rows, and estimates Σ d² and recent rows from samples.
    private func workEstimate(_ source: RelationSource, recentWeeks: Int) throws(Failure) -> WorkEstimate {
        let parts = folder[source.table]
        // Later joins and leaves are added.
        let isMembership = source.table == RelationSource.memberships.table
        let said = isMembership ? numbers.settled.values.reduce(0) { $0 + $1.count } : 0
        let rows = folder.manifest.rowCount(source.table) + said
        let entities = folder.manifest.rowCount(source.entityTable.rawValue)
        let step = UInt32(clamping: max(1, entities / Self.sampledEntries))
        var degrees = [Double](repeating: 0, count: entities / Int(step) + 1)
        var last = Int64.min
        for part in parts {
            part.withColumn("entry", of: UInt32.self) { entries in
                for row in 0..<entries.count where entries[row].isMultiple(of: step) {
                    if Int(entries[row] / step) < degrees.count { degrees[Int(entries[row] / step)] += 1 }
                }
            }
            forEachSampledTime(of: part) { last = max(last, $0) }
        }
        let sum = degrees.reduce(0, +)
        let squares = degrees.reduce(0) { $0 + $1 * $1 }
        var recent = 0
        let first = last == .min ? last : last - Int64(recentWeeks) * ActivityCalendar.weekSeconds
        for part in parts { forEachSampledTime(of: part) { if $0 > first { recent += Self.rowsPerSample } } }
        return WorkEstimate(
            rows: rows, increments: sum > 0 ? Double(rows) * squares / sum : 0,
            hasDates: parts.contains { $0.has("time") }, recentRows: min(recent, rows))
    }

    private func forEachSampledTime(of part: TablePart, _ body: (Int64) -> Void) {
        part.withColumn("time", of: Int64.self) { times in
            for row in stride(from: 0, to: times.count, by: Self.rowsPerSample) where times[row] != .min {
                body(times[row])
            }
        }
    }

    package func contentEstimate() throws(Failure) -> ContentEstimate {
        let parts = folder["photos"]
        let photos = folder.manifest.rowCount("photos")
        guard photos > 0, try hasPhotoContent() else { return ContentEstimate() }
        var tags = 0
        for part in parts where part.has("tags") {
            for row in stride(from: 0, to: part.rowCount, by: Self.rowsPerSample) {
                tags += part.withText("tags", row: row) { text in
                    (0..<text.count).reduce(text.isEmpty ? 0 : 1) { $0 + (text[$1] == UInt8(ascii: ";") ? 1 : 0) }
                }
            }
        }
        return ContentEstimate(
            photos: photos, tags: tags * Self.rowsPerSample, hasPlaces: parts.contains { $0.has("latitude") })
    }
}
