import Basics
import Foundation
import Model
import TestSupport
import Testing

@testable import ModelStore

@Suite("The local table of published members")
struct PublishedMembersTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let coding = MemberCoding(createdAtMilliseconds: 0, groupCount: 10)

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/members"
    }

    /// Writes a file, and returns the report on it.
    private func write(_ users: [[String: [UInt8]]]) throws -> Manifest.MembersReport {
        try? FileManager.default.removeItem(atPath: path)
        var writer = try PublishedMembersWriter(path)
        var checksum = MembersChecksum()
        for (number, bucket) in users.enumerated() {
            var packed: [UInt8] = []
            for (user, value) in bucket.sorted(by: { $0.key < $1.key }) {
                let id = Array(user.utf8)
                PackedUsers.append(id.span, to: &packed)
                PackedUsers.append(value.span, to: &packed)
            }
            try writer.append(
                packed.span, checksum: checksum.add(packed.span, userCount: bucket.count, number: number))
        }
        try writer.finish()
        return checksum.report(bucketCount: users.count)
    }

    private func value(_ groups: UInt32...) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try #require(coding.append(PublishedMember(joined: groups.map { .init(group: $0) }), to: &bytes))
        return bytes
    }

    @Test("keeps each user's value")
    func users() throws {
        let report = try write([["a": value(1, 3), "ab": value()]])
        let table = try PublishedMembers(path, report, coding)
        #expect(try table.member(withID: "a") == PublishedMember(joined: [.init(group: 1), .init(group: 3)]))
        #expect(try table.member(withID: "ab") == PublishedMember())
        for absent in ["", "b", "abc"] { #expect(try table.member(withID: absent) == nil) }
        #expect(try table.memberIDs() == ["a", "ab"])
    }

    @Test("is readable by its owner only")
    func permissions() throws {
        _ = try write([[:]])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o400)
    }

    @Test("opens by its table alone; damage of a bucket shows when one of its members is read, and names the file")
    func bucketDamage() throws {
        let users = try (0..<4).map { number in [String(number): try value(UInt32(number))] }
        // The user with an id is in a bucket by its hash.
        let buckets = (0..<4).map { bucket in
            users.reduce(into: [String: [UInt8]]()) { all, user in
                for (id, value) in user where RedisLayout.bucket(ofUser: id.utf8Span.span, of: 4) == bucket {
                    all[id] = value
                }
            }
        }
        let report = try write(buckets)
        let intact = try Data(contentsOf: URL(fileURLWithPath: path))
        let bucketBytes = buckets.flatMap(\.values).reduce(0) { $0 + $1.count + 3 }
        var refused: Set<String> = []
        for place in 8..<8 + bucketBytes {
            var bytes = intact
            bytes[place] ^= 0x10
            try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
            let table = try PublishedMembers(path, report, coding)
            #expect(errorCode { try table.verify() } == .corrupt)
            let failures = (0..<4).map(String.init).filter { id in errorCode { _ = try table.member(withID: id) } != nil
            }
            #expect(
                !failures.isEmpty
                    && Set(failures.map { RedisLayout.bucket(ofUser: $0.utf8Span.span, of: 4) }).count == 1)
            refused.formUnion(failures)
            let error = #expect(throws: Failure.self) { try table.verify() }
            #expect(error?.message.contains(path) == true && error?.message.contains("recompute") == true)
        }
        #expect(refused.count == 4)
        // A file that is damaged while it is open.
        try intact.write(to: URL(fileURLWithPath: path), options: .atomic)
        let table = try PublishedMembers(path, report, coding)
        try table.verify()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: 9)
        #expect(errorCode { try table.verify() } == .corrupt)
    }

    @Test("reports damage at any other byte when it is opened, and never crashes the reader", arguments: 0..<4)
    func damage(seed: UInt64) throws {
        let report = try write([["a": value(1, 2)], ["b": value(0)], ["c": value()], [:]])
        let intact = try Data(contentsOf: URL(fileURLWithPath: path))
        // Of another manifest.
        for other in [
            Manifest.MembersReport(bucketCount: 3, valueCount: 3, checksum: report.checksum),
            .init(bucketCount: 0, valueCount: 3, checksum: report.checksum),
            .init(bucketCount: .max, valueCount: 3, checksum: report.checksum),
            .init(bucketCount: 4, valueCount: 3, checksum: "000000000000000a"),
        ] {
            #expect(errorCode { _ = try PublishedMembers(path, other, coding) } == .corrupt)
        }
        var generator = SeededGenerator(seed: seed)
        let table = intact.count - 5 * 16..<intact.count
        for place in Array(0..<8) + Array(table) {
            var bytes = intact
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(errorCode { _ = try PublishedMembers(path, report, coding) } == .corrupt, "byte \(place)")
        }
        for count in 0..<intact.count {
            try intact.prefix(count).write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(errorCode { _ = try PublishedMembers(path, report, coding) } == .corrupt)
        }
    }

    @Test("names the bucket of a malformed value")
    func badValue() throws {
        let report = try write([["a": [0x80]]])
        let table = try PublishedMembers(path, report, coding)
        let error = #expect(throws: Failure.self) { try table.member(withID: "a") }
        #expect(error?.code == .corrupt && error?.message.contains("bucket 0") == true)
    }
}
