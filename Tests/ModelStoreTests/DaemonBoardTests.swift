import Foundation
import ModelStore
import Redis
import TestSupport
import Testing

@Suite("What daemons say on a store")
struct DaemonBoardTests {
    private func texts(_ board: any DaemonBoard) throws -> [String] {
        try board.reports().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Is what each said last, in the order of their ids, until it is withdrawn",
        arguments: StoreUnderTest.Kind.available)
    func reports(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let board = try #require(subject.store.board)
        #expect(try board.reports().isEmpty)
        try board.post(Array("b1".utf8), ofDaemon: "b-2")
        try board.post(Array("a1".utf8), ofDaemon: "a-1")
        try board.post(Array("b2".utf8), ofDaemon: "b-2")
        #expect(try texts(board) == ["a1", "b2"])
        try board.withdraw("a-1")
        try board.withdraw("a-1")
        #expect(try texts(board) == ["b2"])
        #expect(try subject.store.versionNames().isEmpty)
        let lists = try #require(subject.store.board(of: .lists))
        try lists.post(Array("1".utf8), ofDaemon: "b-2")
        #expect(try texts(board) == ["b2"] && texts(lists) == ["1"])
    }

    @Test("Is gone when a daemon has said nothing for long", arguments: StoreUnderTest.Kind.available)
    func lifetime(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let board = try #require(subject.store.board)
        try board.post(Array("old".utf8), ofDaemon: "old")
        try board.post(Array("new".utf8), ofDaemon: "new")
        let lists = try #require(subject.store.board(of: .lists))
        try lists.post(Array("1".utf8), ofDaemon: "a")
        if let server = subject.server {
            var connection = try RedisConnection(to: RedisAddress(server.url))
            let seconds = try connection.command(RedisCommand("TTL", "coterie:daemon:old"))
            #expect((1...20).contains { seconds == .integer($0) })
            let days = try connection.command(RedisCommand("TTL", "coterie:list:a"))
            #expect((3_023_990...3_024_000).contains { days == .integer($0) })
            _ = try connection.command(RedisCommand("DEL", "coterie:daemon:old"))
        } else {
            let path = subject.directory.path + "/store/daemons/old"
            for (path, days) in [(path, 0.001), (subject.directory.path + "/store/lists/a", 34.9)] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -86_400 * days)], ofItemAtPath: path)
            }
        }
        #expect(try texts(lists) == ["1"])
        #expect(try texts(board) == ["new"])
        try board.post(Array("newer".utf8), ofDaemon: "new")
        #expect(try texts(board) == ["newer"])
        if subject.server == nil {
            let names = try FileManager.default.contentsOfDirectory(atPath: subject.directory.path + "/store/daemons")
            #expect(names == ["new"])
        }
    }
}
