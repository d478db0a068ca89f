import Basics
import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Recompute
import Redis
import Similarity
import Synchronization
import TestSupport
import Testing

/// A recompute whose entries, users and photos are in a folder of tables.
@Suite("Recompute from tables")
struct TableTests {
    /// 2026-11-21T00:00:00Z.
    private static let now: Int64 = 1_795_219_200

    /// A community as files, of every kind, with dates, tags, places, owners and interests.
    private struct Files {
        var texts: [(kind: ImportKind, text: String)] = []
        let groups = (0..<40).map { "\($0 % 9 == 4 ? "secret" : "group")-\($0)" }
        let users = (0..<400).map { "user-\($0 * 7 % 400)" }

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
            func time() -> String { pick(0..<5) == 0 ? "" : String(TableTests.now - Int64(pick(0..<90_000_000))) }
            texts.append(
                (
                    .groups,
                    "group_id,visibility,title,topics\n"
                        + groups.map { "\($0),\($0.hasPrefix("secret") ? "private" : "public"),Title \($0),a;b\n" }
                        .joined()
                ))
            let stated = users.prefix(300).map { "\($0),\(pick(0..<3) == 0 ? "x;y" : "")\n" }
            texts.append((.users, "user_id,interests\n" + stated.joined()))
            let photos = (0..<900).map { "photo-\($0 * 11 % 900)" }
            let rows = photos.prefix(800).map { photo in
                let tags = (0..<pick(0..<4)).map { _ in (pick(0..<2) == 0 ? "T" : "t") + "ag\(pick(0..<40))" }
                let place = pick(0..<2) == 0 ? "," : "\(pick(0..<20)).05,5.5"
                return "\(photo),\(pick(0..<4) == 0 ? "" : users[pick(0..<400)]),"
                    + "\(pick(0..<5) == 0 ? "private" : "public"),\(tags.joined(separator: ";")),\(place)\n"
            }
            texts.append((.photos, "photo_id,user_id,visibility,tags,latitude,longitude\n" + rows.joined()))
            func entries(_ ids: [String]) -> String {
                var lines: [String] = []
                for (number, group) in groups.enumerated() {
                    for (index, id) in ids.enumerated() where (index &* (number + 3)) % 13 < 2 || pick(0..<9) == 0 {
                        lines.append("\(group),\(id),\(time())\n")
                    }
                }
                return lines.shuffled(using: &generator).joined()
            }
            texts.append((.memberships, "group_id,user_id,joined_at\n" + entries(users)))
            texts.append((.pools, "group_id,photo_id,added_at\n" + entries(photos)))
            let likes = (0..<3000).map { _ in "\(users[pick(0..<400)]),\(photos[pick(0..<900)]),\(time())\n" }
            texts.append((.favourites, "user_id,photo_id,added_at\n" + likes.joined()))
            let posts = (0..<4000).map { number in
                let group = groups[pick(0..<groups.count)]
                let time = TableTests.now - Int64(pick(0..<90_000_000))
                return "\(group),\(users[pick(0..<60)]),\(time),\(number % 3 == 0 ? "" : "p\(number)")\n"
            }
            texts.append((.posts, "group_id,user_id,posted_at,answers\n" + posts.joined()))
            let follows = (0..<3000).map { _ in "\(users[pick(0..<400)]),\(users[pick(0..<40)])\n" }
            texts.append((.follows, "user_id,followed_id\n" + follows.joined()))
        }
    }

    /// What members and administrators did since, the same in two catalogs.
    private func applyChanges(to path: String, _ files: Files) throws {
        var generator = SeededGenerator(seed: 99)
        let catalog = try Catalog(path: path, mode: .recording)
        let shown = files.groups.filter { !$0.hasPrefix("secret") }
        var changes: [Change] = []
        for index in 0..<400 {
            let user = index % 50 == 0 ? "newcomer-\(index)" : files.users[Int.random(in: 0..<400, using: &generator)]
            let kind =
                [Interaction.Kind.join, .leave, .join, .dismiss, .undismiss].randomElement(using: &generator) ?? .join
            let record = InteractionRecord(
                id: "change-\(index)", kind,
                groupID: shown[Int.random(in: 0..<shown.count, using: &generator)],
                atMilliseconds: (Self.now - Int64.random(in: 0..<80_000_000, using: &generator)) * 1000)
            changes.append(.member(MemberChange(ofUser: user, .record([record]))))
        }
        #expect(try catalog.take(changes) == 0)
        // Somebody without interests in the tables, and everybody who may have some.
        let said: [[String]] = [["owls"], [], [], [], [], []]
        let statements = zip(files.users[3...], said).map { user, interests in
            Change.member(MemberChange(ofUser: user, .state(interests: interests)))
        }
        try catalog.take(statements, stamp: Self.now * 1000)
        let curate = SiteChange.Action.curate(position: nil, startsAt: nil, expiresAt: nil)
        try catalog.take([
            .site(SiteChange(ofGroup: shown[5], .hide, atMilliseconds: Self.now * 1000)),
            .site(SiteChange(ofGroup: shown[8], curate, atMilliseconds: Self.now * 1000)),
        ])
        _ = try catalog.removal.forget([files.users[17], "nobody"], withPhotos: false, atMilliseconds: Self.now * 1000)
    }

    private func recompute(
        _ community: SmallCommunity, tables: String? = nil, into store: (any VersionStore)? = nil,
        finding: SharedFinding? = nil
    ) throws -> Manifest {
        var parameters = RecomputeParameters(threads: 2)
        parameters.publishesMembers = true
        var job = RecomputeJob(
            catalogPath: community.catalogPath, store: store ?? community.store, parameters: parameters,
            startedAtMilliseconds: Self.now * 1000)
        job.tablesPath = tables
        job.finding = finding
        return try job.run(observer: RecordingObserver()).manifest
    }

    /// Tables have no entries of private groups and photos, only their number: in which group they were, and who was
    /// forgotten since, they do not say.
    private static func comparable(_ manifest: Manifest) -> [Manifest.RelationReport] {
        manifest.relations.map { report in
            var report = report
            (report.entriesOfPrivateGroups, report.entriesOfPrivatePhotos) = (0, 0)
            return report
        }
    }

    private func expectSame(_ one: Manifest, _ other: Manifest) {
        #expect(one.sections == other.sections && one.version == other.version)
        #expect(Self.comparable(one) == Self.comparable(other))
        #expect(one.groups == other.groups && one.memberEvidence == other.memberEvidence)
        #expect(one.members == other.members)
    }

    @Test(
        "makes the version of the whole catalog from tables and a catalog that only knows what happened since",
        arguments: [7, 1000, 1 << 20])
    func sameVersion(rowsPerPart: Int) throws {
        let files = Files(seed: UInt64(rowsPerPart))
        let (whole, small, source) = (try SmallCommunity(), try SmallCommunity(), try SmallCommunity())
        for (kind, text) in files.texts {
            try whole.importing(kind, text)
            try source.importing(kind, text)
            if kind == .groups { try small.importing(kind, text) }
        }
        let tables = small.directory.path + "/tables"
        _ = try Matrices(of: Facts(path: source.catalogPath), threads: 1)
            .exportTables(to: tables, relations: .standard, rowsPerPart: rowsPerPart)
        expectSame(try recompute(source), try recompute(small, tables: tables))
        for community in [whole, small] { try applyChanges(to: community.catalogPath, files) }
        let (one, other) = (SmallStore(whole), SmallStore(small))
        expectSame(try recompute(whole, into: one.store), try recompute(small, tables: tables, into: other.store))
        guard TemporaryRedis.isInstalled else { return }
        let servers = [try TemporaryRedis(), try TemporaryRedis()]
        let stores = try servers.enumerated().map { number, server in
            RedisStore(try RedisAddress(server.url), cacheDirectory: "\(small.directory.path)/cache-\(number)")
        }
        let all = try recompute(whole, into: stores[0])
        #expect(all.members?.valueCount ?? 0 > 300)
        expectSame(all, try recompute(small, tables: tables, into: stores[1]))
        withExtendedLifetime(servers) {}
    }

    @Test("estimates the work of tables as that of the catalog that has their entries")
    func estimates() throws {
        let source = try SmallCommunity()
        let rows = (0..<900).map { "g\($0 % 30),u\($0 * $0 % 71),\(Self.now - Int64($0))\n" }
        try source.importing(.memberships, "group_id,user_id,joined_at\n" + rows.joined())
        let tables = source.directory.path + "/tables"
        let catalog = try Matrices(of: Facts(path: source.catalogPath), threads: 1)
        _ = try catalog.exportTables(to: tables, relations: .standard, rowsPerPart: 1000)
        let sources = RelationTable.standard.tabled.compactMap(\.source)
        let estimates = try TableSnapshot(tables, catalog).workEstimates(sources, recentWeeks: 2)
        #expect(try estimates == catalog.workEstimates(sources, recentWeeks: 2))
        let members = try #require(zip(sources, estimates).first { $0.0.table == "memberships" }?.1)
        #expect(members.rows > 500 && members.recentRows == members.rows && members.increments > 5000)
    }

    /// Another store beside that of a community.
    private struct SmallStore {
        let store: FolderStore
        init(_ community: SmallCommunity) { store = FolderStore(community.directory.path + "/other") }
    }

    @Test("others find the neighbours: in any order, some twice, and the folder is empty afterwards")
    func shared() throws {
        let community = try SmallCommunity.random(seed: 12)
        let expected = try recompute(community)
        let folder = community.directory.path + "/shared"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let orders = Mutex<[String]>([])
        let finding = SharedFinding(folder: folder, partCount: 5, blockRows: 3) { order throws(Failure) in
            orders.withLock { $0.append(order.relation) }
            for part in order.parts.reversed() + order.parts.prefix(2) {
                _ = try PairFile.write(
                    order.search, rows: part.first..<part.end, to: part.block, threads: 1, path: .portable,
                    rowsAtOnce: 2)
            }
        }
        let other = FolderStore(community.directory.path + "/other")
        expectSame(expected, try recompute(community, into: other, finding: finding))
        #expect(orders.withLock { $0 } == ["photos", "members"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        let lazy = SharedFinding(folder: folder, partCount: 5, blockRows: nil) { _ in }
        #expect(throws: Failure.self) { try recompute(community, into: other, finding: lazy) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try other.current() == expected.version)
    }

    @Test("tables that are damaged, of another format or out of order are refused")
    func damaged() throws {
        let files = Files(seed: 4)
        let community = try SmallCommunity()
        for (kind, text) in files.texts { try community.importing(kind, text) }
        func export(_ name: String) throws -> String {
            let path = community.directory.path + "/" + name
            _ = try Matrices(of: Facts(path: community.catalogPath), threads: 1)
                .exportTables(to: path, relations: .standard, rowsPerPart: 500)
            return path
        }
        func code(_ tables: String) -> Failure.Code? {
            do {
                _ = try recompute(community, tables: tables)
                return nil
            } catch { return (error as? Failure)?.code }
        }
        #expect(code(community.directory.path + "/none") == .missing)
        let flipped = try export("flipped")
        let file = URL(fileURLWithPath: flipped + "/memberships-00001.table")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        #expect(code(flipped) == .badData)
        let short = try export("short")
        try Data(bytes.dropLast(4)).write(to: URL(fileURLWithPath: short + "/users-00000.table"))
        #expect(code(short) == .badData)
        func edit(_ name: String, _ replacing: String, _ by: String) throws -> String {
            let path = try export(name)
            let manifest = path + "/manifest.json"
            let text = try String(contentsOfFile: manifest, encoding: .utf8)
            #expect(text.contains(replacing))
            try text.replacingOccurrences(of: replacing, with: by)
                .write(toFile: manifest, atomically: true, encoding: .utf8)
            return path
        }
        #expect(code(try edit("format", "\"format\" : 1", "\"format\" : 2")) == .badData)
        #expect(code(try edit("column", "\"entry\"", "\"entries\"")) == .badData)
        // The second part once more instead of the first.
        let swapped = try export("swapped")
        let manifest = URL(fileURLWithPath: swapped + "/manifest.json")
        var json = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: manifest)) as? [String: Any])
        var tables = try #require(json["tables"] as? [String: [[String: Any]]])
        let second = try #require(tables["memberships"]?[1])
        tables["memberships"]?[0] = second
        json["tables"] = tables
        try JSONSerialization.data(withJSONObject: json).write(to: manifest)
        #expect(code(swapped) == .badData)
    }
}
