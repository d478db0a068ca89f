import Foundation
import Model
import Redis
import TestSupport
import Testing

@testable import ModelStore

@Suite(
    "Members that an earlier program published as hashes",
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct EarlierPackingTests {
    private let members = SampleMembers(userCount: 200, groupCount: 40)

    @Test("are read, and found damaged, like those of today; their version is removed as a whole")
    func hashes() throws {
        let subject = try StoreUnderTest(.redis)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        let version = try subject.publish(1, SampleModel.model(groupCount: 40), members: members).version
        try repack(version, subject, &connection)
        let loaded = try subject.store.load(version)
        let table = try #require(try subject.shared.members(of: loaded))
        for user in members.users { #expect(try table.member(withID: user.id) == user.member) }
        #expect(try table.member(withID: "nobody") == nil)

        let folder = try TemporaryDirectory()
        let other = RedisStore(try RedisAddress(#require(subject.server).url), cacheDirectory: folder.path)
        _ = try connection.command("HDEL", "coterie:\(version):joined:0", "\(members.users[7].id)")
        _ = try connection.command("DEL", "coterie:\(version):joined:1")
        #expect(errorCode { _ = try other.members(of: other.load(version)) } == .corrupt)

        try subject.publish(2, SampleModel.model(groupCount: 40))
        try subject.publish(3, SampleModel.model(groupCount: 40))
        #expect(try subject.store.prune(keeping: 1).contains(version))
        guard case .array(let keys) = try connection.command("KEYS", "coterie:\(version):*") else { return }
        #expect(keys.isEmpty)
    }

    @Test("of a packing that this program does not know are refused")
    func unknown() throws {
        let subject = try StoreUnderTest(.redis)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        let version = try subject.publish(1, SampleModel.model(groupCount: 40), members: members).version
        _ = try connection.command("HSET", "coterie:\(version):shape", "packing", "3")
        #expect(errorCode { _ = try subject.store.load(version) } == .corrupt)
    }

    /// Stores the members of a version as they were stored before they were packed.
    private func repack(_ version: VersionName, _ subject: StoreUnderTest, _ connection: inout RedisConnection) throws {
        let shape = "coterie:\(version):shape"
        var checksum = MembersChecksum()
        let count = try #require(try connection.command("HGET", shape, "buckets").text.flatMap { Int($0) })
        for kind in RedisLayout.UserValues.allCases {
            for number in 0..<count {
                let key = "coterie:\(version):\(kind.rawValue):\(number)"
                guard case .bytes(let bucket) = try connection.command("GET", key) else { continue }
                let isSound = checksum.addUserByUser(bucket.span, of: kind, number: number)
                #expect(isSound)
                _ = try connection.command("DEL", key)
                var command = RedisCommand("HSET", key)
                _ = PackedUsers.forEach(in: bucket.span) { id, value in
                    command.append(bucket[id])
                    command.append(bucket[value])
                    return true
                }
                _ = try connection.command(command)
            }
        }
        _ = try connection.command("HDEL", shape, "packing")
        var manifest = try #require(try subject.store.versions().first { $0.version == version })
        manifest.members = checksum.report(bucketCount: count)
        var command = RedisCommand("SET", "coterie:\(version):manifest")
        command.append(try ManifestJSON.encode(manifest))
        _ = try connection.command(command)
    }
}
