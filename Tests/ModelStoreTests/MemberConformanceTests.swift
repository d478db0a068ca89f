import Basics
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

/// The conformance suite for the members that stores publish with versions.
@Suite("Every store, with members")
struct MemberConformanceTests {
    /// The last are users of one bucket whose groups do not fit into one command of Redis.
    @Test(
        "stores the groups and the feedback of each user", arguments: StoreUnderTest.Kind.available,
        [(0, 9), (1, 150), (64, 150), (65, 150), (1000, 150), (64, 12_000)])
    func members(kind: StoreUnderTest.Kind, size: (users: Int, groups: Int)) throws {
        let subject = try StoreUnderTest(kind)
        let members = SampleMembers(userCount: size.users, groupCount: size.groups)
        let written = try subject.publish(1, SampleModel.model(groupCount: size.groups), members: members)
        let loaded = try subject.store.load(written.version)
        #expect(loaded.manifest == written && written.members != nil)
        let table = try #require(try subject.store.members(of: loaded))
        for user in members.users { #expect(try table.member(withID: user.id) == user.member) }
        #expect(try table.member(withID: "nobody") == nil)
        let ids = members.users.map(\.id).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try table.memberIDs() == ids)
    }

    @Test("reports the same members alike", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func sameReport() throws {
        let members = SampleMembers(userCount: 500, groupCount: 40)
        let reports = try StoreUnderTest.Kind.allCases.map { kind in
            try StoreUnderTest(kind).publish(1, SampleModel.model(groupCount: 40), members: members).members
        }
        #expect(reports[0] != nil && reports[0] == reports[1])
    }

    @Test("has versions without members beside those with members", arguments: StoreUnderTest.Kind.available)
    func none(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 9)
        try subject.publish(1, model, members: SampleMembers(userCount: 5, groupCount: 9))
        let bare = try subject.publish(2, model)
        #expect(bare.members == nil)
        #expect(try subject.store.members(of: subject.store.load(bare.version)) == nil)
    }

    @Test("refuses repeated users, and groups that do not exist", arguments: StoreUnderTest.Kind.available)
    func badMembers(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 5)
        for users in [[("a", [1]), ("a", [2])], [("a", [5])], [("a", [2, 1])]] as [[(id: String, groups: [UInt32])]] {
            #expect(errorCode { try subject.publish(1, model, members: SampleMembers(users)) } == .corrupt)
        }
        #expect(try subject.store.versions().isEmpty)
        #expect(try subject.remains().isEmpty)
    }

    @Test("finds damaged or missing members, and still loads the groups", arguments: StoreUnderTest.Kind.available)
    func damage(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 40)
        let written = try subject.publish(1, model, members: SampleMembers(userCount: 100, groupCount: 40))
        for damage in [subject.damageMembers, subject.removeMembers] {
            try damage(written.version)
            let loaded = try subject.store.load(written.version)
            #expect(try encodedAgain(loaded.model) == model)
            #expect(errorCode { try subject.store.members(of: loaded)?.verify() } == .corrupt)
        }
    }

    @Test("removes the members with the version", arguments: StoreUnderTest.Kind.available)
    func pruning(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 40)
        let members = SampleMembers(userCount: 300, groupCount: 40)
        try subject.publish(1, model, members: members)
        let before = try subject.remains().count
        try subject.publish(2, model, members: members)
        #expect(try subject.store.prune(keeping: 1).count == 1)
        #expect(try subject.remains().count == before)
    }

    @Test("reports the bytes of members as it publishes them", arguments: StoreUnderTest.Kind.available)
    func progress(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 30)
        let reports = Recorder<[Int]>()
        _ = try subject.store.publish(
            model, manifest: SampleModel.manifest(1, groupCount: 30),
            members: SampleMembers(userCount: 300, groupCount: 30)
        ) { reports.append([$0, $1]) }
        let last = try #require(reports.values.map { $0[0] }.max())
        #expect(last == reports.values[0][1])
    }

    @Test("is a file that only its owner may read")
    func permissions() throws {
        let subject = try StoreUnderTest(.folder)
        let members = SampleMembers(userCount: 5, groupCount: 9)
        let version = try subject.publish(1, SampleModel.model(groupCount: 9), members: members).version
        let path = "\(subject.directory.path)/store/versions/\(version)/members"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o400)
    }
}

extension StoreUnderTest {
    /// The keys or files of all versions.
    fileprivate func remains() throws -> [String] {
        guard let server else {
            return try FileManager.default.subpathsOfDirectory(atPath: directory.path + "/store/versions")
        }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        guard case .array(let keys) = try connection.command("KEYS", "coterie:*") else { return [] }
        return keys.compactMap(\.text)
    }

    /// Changes one byte of the members of a version.
    fileprivate func damageMembers(_ version: VersionName) throws {
        guard let server else {
            let url = URL(fileURLWithPath: "\(directory.path)/store/versions/\(version)/members")
            var bytes = try Data(contentsOf: url)
            bytes[bytes.count / 2] ^= 0x10
            return try bytes.write(to: url, options: .atomic)
        }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("SETRANGE", "coterie:\(version):users:0", "9", "~")
    }

    /// Removes members of a version.
    fileprivate func removeMembers(_ version: VersionName) throws {
        guard let server else {
            return try Data().write(
                to: URL(fileURLWithPath: "\(directory.path)/store/versions/\(version)/members"), options: .atomic)
        }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("DEL", "coterie:\(version):users:0")
    }
}
