import Basics
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

@Suite("Forgotten members of a published version")
struct MemberErasureTests {
    private static let groupCount = 40

    private func isForgotten(_ id: String) -> Bool { id.utf8.reduce(0) { $0 &+ Int($1) }.isMultiple(of: 3) }

    /// Erases a third of the members of a version.
    private func erase(_ version: VersionName, _ store: any VersionStore, mark: String = "m", at now: Int64 = 5) throws
        -> Int
    {
        try store.eraseMembers(of: version, mark: mark, at: now) { id in
            isForgotten(String(decoding: id, as: UTF8.self))
        }
    }

    /// Requires the members of a loaded version to be those who are left, or all.
    private func expect(_ members: SampleMembers, _ loaded: LoadedVersion, _ store: any VersionStore, erased: Bool)
        throws
    {
        let table = try #require(try store.members(of: loaded))
        try table.verify()
        for user in members.users {
            #expect(try table.member(withID: user.id) == (erased && isForgotten(user.id) ? nil : user.member))
        }
    }

    @Test("are gone from it, also for who loaded it before; all else stays", arguments: StoreUnderTest.Kind.available)
    func erased(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let members = SampleMembers(userCount: 400, groupCount: Self.groupCount)
        let model = try SampleModel.model(groupCount: Self.groupCount)
        let other = try subject.publish(1, model, members: members)
        let written = try subject.publish(2, model, members: members)
        let before = try subject.store.load(written.version)
        let forgotten = members.users.count { isForgotten($0.id) }
        #expect(try erase(written.version, subject.store) == forgotten && forgotten > 100)

        let loaded = try subject.store.load(written.version)
        #expect(loaded.manifest.members?.valueCount == 400 - forgotten)
        #expect(loaded.manifest.erasure == .init(number: 1, forgotten: "m", atMilliseconds: 5))
        #expect(try encodedAgain(loaded.model) == model)
        for version in [loaded, before] { try expect(members, version, subject.store, erased: true) }
        try expect(members, subject.store.load(other.version), subject.store, erased: false)
        // Whoever is asked again about the same members changes the mark alone.
        #expect(try erase(written.version, subject.store, mark: "n", at: 9) == 0)
        let again = try subject.store.load(written.version)
        #expect(again.manifest.erasure == .init(number: 1, forgotten: "n", atMilliseconds: 5))
        #expect(again.manifest.members == loaded.manifest.members)
        #expect(try subject.store.prune(keeping: 1) == [other.version])
    }

    @Test(
        "can be replaced by others, also those of another number, in all copies",
        arguments: StoreUnderTest.Kind.available)
    func replaced(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: Self.groupCount)
        let written = try subject.publish(
            1, model, members: SampleMembers(userCount: 400, groupCount: Self.groupCount))
        let before = try subject.store.load(written.version)
        _ = try subject.store.members(of: before)
        // So many that buckets stay empty, so few, and so many again.
        for (number, count) in [3, 900].enumerated() {
            let members = SampleMembers(userCount: count, groupCount: Self.groupCount)
            if let server = subject.server {
                // What a killed process left.
                var connection = try RedisConnection(to: RedisAddress(server.url))
                _ = try connection.command("SET", "coterie:\(written.version):renewed:1", "half")
            }
            let state = Manifest.MembersState(
                atMilliseconds: Int64(number), taken: AppliedChanges(["a": 7]), memberChanges: Int64(count))
            try subject.store.replaceMembers(of: written.version, by: members) { $0.renewed(state, without: "m") }
            let loaded = try subject.store.load(written.version)
            #expect(loaded.manifest.membersState == state && loaded.manifest.erasure?.number == number + 1)
            #expect(loaded.manifest.members?.bucketCount == written.members?.bucketCount)
            for version in [loaded, before] {
                let table = try #require(try subject.store.members(of: version))
                try table.verify()
                #expect(try table.memberIDs().count == count)
                for user in members.users { #expect(try table.member(withID: user.id) == user.member) }
            }
            #expect(try encodedAgain(loaded.model) == model)
        }
        #expect(try erase(written.version, subject.store) > 200)
        #expect(try subject.store.load(written.version).manifest.membersState.memberChanges == 900)
        if let server = subject.server {
            var connection = try RedisConnection(to: RedisAddress(server.url))
            #expect(try connection.command("KEYS", "*renewed*") == .array([]))
        }
    }

    @Test("leave no byte in a folder, nor in the copies that a machine keeps of a version in Redis")
    func bytes() throws {
        for kind in StoreUnderTest.Kind.available {
            let subject = try StoreUnderTest(kind)
            let members = SampleMembers([("laura-100", [1, 2]), ("ann", [2])])
            let written = try subject.publish(1, SampleModel.model(groupCount: 5), members: members)
            _ = try subject.store.members(of: subject.store.load(written.version))
            func places() throws -> [String] {
                let files = try #require(FileManager.default.enumerator(atPath: subject.directory.path))
                return files.compactMap { $0 as? String }.filter {
                    FileManager.default.contents(atPath: "\(subject.directory.path)/\($0)")?
                        .range(of: Data("laura-100".utf8)) != nil
                }
            }
            #expect(try places().count == 1)
            _ = try subject.store.eraseMembers(of: written.version, mark: "m", at: 1) { $0.count == 9 }
            let table = try subject.store.members(of: subject.store.load(written.version))
            #expect(try table?.memberIDs() == ["ann"])
            #expect(try places().isEmpty)
        }
    }
}
