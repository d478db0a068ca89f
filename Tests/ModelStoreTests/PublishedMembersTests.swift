import Foundation
import Model
import TestSupport
import Testing

@testable import ModelStore

@Suite("The local table of published members")
struct PublishedMembersTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/members"
    }

    private static func report(_ bucketCount: Int, _ checksum: UInt8 = 7) -> Manifest.MembersReport {
        .init(bucketCount: bucketCount, valueCount: 3, checksum: "00000000000000a\(checksum)")
    }

    private func write(_ users: [[String: [UInt8]]], groupCount: Int = 10) throws {
        try? FileManager.default.removeItem(atPath: path)
        var writer = try PublishedMembersWriter(path)
        for bucket in users {
            var packed: [UInt8] = []
            for (user, value) in bucket.sorted(by: { $0.key < $1.key }) {
                let id = Array(user.utf8)
                PackedUsers.append(id.span, to: &packed)
                PackedUsers.append(value.span, to: &packed)
            }
            try writer.append(packed.span)
        }
        try writer.finish(Self.report(users.count / 2), groupCount: groupCount)
    }

    @Test("keeps each user's joined groups and feedback")
    func users() throws {
        try write([["a": [1, 2], "ab": []], ["ab": [0, 1, 3, 9], "c": [0, 0, 0x78]]])
        let table = try PublishedMembers(path, Self.report(1), groupCount: 10)
        #expect(try table.member(withID: "a") == PublishedMember(joined: [1, 3]))
        #expect(
            try table.member(withID: "ab")
                == PublishedMember(feedback: .init(exposures: [.init(group: 3, impressions: 0.009)])))
        #expect(try table.member(withID: "c") == PublishedMember(feedback: .init(interestBytes: [0x78])))
        for absent in ["", "b", "abc"] { #expect(try table.member(withID: absent) == nil) }
    }

    @Test("is readable by its owner only")
    func permissions() throws {
        try write([[:], [:]])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o400)
    }

    @Test("reports damage at any byte, and never crashes the reader", arguments: 0..<4)
    func damage(seed: UInt64) throws {
        try write([["a": [1, 2]], ["b": [0]], ["a": [0, 0]], [:]])
        let intact = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(errorCode { _ = try PublishedMembers(path, Self.report(2), groupCount: 11) } == .corrupt)
        // Of another manifest.
        for other in [Self.report(1), Self.report(2, 8)] {
            #expect(errorCode { _ = try PublishedMembers(path, other, groupCount: 10) } == .corrupt)
        }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var bytes = intact
            if Bool.random(using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            } else {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            }
            try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(errorCode { _ = try PublishedMembers(path, Self.report(2), groupCount: 10) } == .corrupt)
        }
    }

    @Test("names the bucket of a malformed value")
    func badValue() throws {
        try write([["a": [0x80]], [:]])
        let table = try PublishedMembers(path, Self.report(1), groupCount: 10)
        #expect(errorCode { _ = try table.member(withID: "a") } == .corrupt)
    }
}
