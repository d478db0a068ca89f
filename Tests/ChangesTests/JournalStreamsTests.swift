import Basics
import Model
import Redis
import SQLite
import TestSupport
import Testing

@testable import Changes

@Suite(
    "Streams of journals",
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct JournalStreamsTests {
    private let server: TemporaryRedis
    private let directory: TemporaryDirectory

    init() throws { (server, directory) = (try TemporaryRedis(), try TemporaryDirectory()) }

    private func streams() throws -> JournalStreams {
        try JournalStreams(
            RedisConnection(to: RedisAddress(server.url)), prefix: "coterie:", location: "the test's store")
    }

    private func redis(_ words: String...) throws -> RedisReply {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        var command = RedisCommand()
        for word in words { command.append(word) }
        return try connection.command(command)
    }

    private func changes(_ range: ClosedRange<Int64>, of origin: String = "one") -> [JournaledChange] {
        range.map {
            JournaledChange(
                origin: origin, sequence: $0, stampMilliseconds: 7 * $0, encoded: [0, UInt8($0 & 255), 0xFF])
        }
    }

    @Test("Changes arrive in their order, from any number on, in portions")
    func reading() throws {
        var streams = try streams()
        #expect(try streams.survey() == [:])
        #expect(try streams.changes(of: "one", after: 0, limit: 10).isEmpty)
        #expect(try streams.add(changes(5...300), to: "one", expecting: nil, isRemade: true))
        #expect(try streams.add(changes(1...2, of: "two"), to: "two", expecting: nil, isRemade: true))
        let one = StreamedNumbers(after: 4, last: 300, count: 296)
        #expect(try streams.survey() == ["one": one, "two": .init(after: 0, last: 2, count: 2)])
        #expect(try streams.add(changes(301...303), to: "one", expecting: one, isRemade: false))
        var read: [JournaledChange] = []
        while true {
            let portion = try streams.changes(of: "one", after: read.last?.sequence ?? 0, limit: 70)
            if portion.isEmpty { break }
            read += portion
        }
        #expect(read == changes(5...303))
        #expect(try streams.changes(of: "one", after: 301, limit: 70) == changes(302...303))
    }

    @Test("Nothing is added to a stream that is not what it was: the reader would not know of the gap")
    func comparison() throws {
        var streams = try streams()
        #expect(try streams.add(changes(1...5), to: "one", expecting: nil, isRemade: true))
        let seen = StreamedNumbers(after: 0, last: 5, count: 5)
        #expect(try !streams.add(changes(6...6), to: "one", expecting: nil, isRemade: true))
        // Another daemon was faster.
        #expect(try streams.add(changes(6...7), to: "one", expecting: seen, isRemade: false))
        #expect(try !streams.add(changes(6...7), to: "one", expecting: seen, isRemade: false))
        // An entry, the stream, or everything is lost.
        let longer = StreamedNumbers(after: 0, last: 7, count: 7)
        #expect(try redis("XDEL", "coterie:journal:one", "3-0") == .integer(1))
        #expect(try !streams.add(changes(8...8), to: "one", expecting: longer, isRemade: false))
        #expect(try streams.survey()["one"] == StreamedNumbers(after: 0, last: 7, count: 6))
        for loss in [["DEL", "coterie:journal:one"], ["FLUSHALL"]] {
            _ = try loss.count == 1 ? redis(loss[0]) : redis(loss[0], loss[1])
            #expect(try !streams.add(changes(8...8), to: "one", expecting: longer, isRemade: false))
            #expect(try streams.survey().isEmpty)
            #expect(try streams.add(changes(3...7), to: "one", expecting: nil, isRemade: true))
            #expect(try streams.survey()["one"] == StreamedNumbers(after: 2, last: 7, count: 5))
        }
        // A journal that the list of journals has lost is in it again when somebody wants to add to it.
        _ = try redis("DEL", "coterie:journals")
        #expect(try streams.survey().isEmpty)
        #expect(try !streams.add(changes(3...7), to: "one", expecting: nil, isRemade: true))
        #expect(try streams.survey()["one"]?.last == 7)
        // Made anew, it may begin and end elsewhere.
        let last = StreamedNumbers(after: 2, last: 7, count: 5)
        #expect(try streams.add(changes(1...4), to: "one", expecting: last, isRemade: true))
        #expect(try streams.survey()["one"] == StreamedNumbers(after: 0, last: 4, count: 4))
    }

    @Test("What all versions have is removed, and streams of which nothing is left")
    func trimming() throws {
        var streams = try streams()
        for name in ["one", "two", "three"] {
            #expect(try streams.add(changes(1...9, of: name), to: name, expecting: nil, isRemade: true))
        }
        try streams.trim(through: AppliedChanges(["one": 4, "two": 9, "other": 3]))
        #expect(try streams.survey().mapValues(\.after) == ["one": 4, "three": 0])
        #expect(try streams.changes(of: "one", after: 0, limit: 99) == changes(5...9))
        #expect(try redis("EXISTS", "coterie:journal:two") == .integer(0))
    }

    @Test("An entry without its seal is damaged, and one without a number is none")
    func badEntries() throws {
        _ = try redis("SADD", "coterie:journals", "one", "gone")
        let change = JournaledChange(
            origin: "one", sequence: 1, stampMilliseconds: 1,
            change: .site(SiteChange(ofGroup: "a", .hide, atMilliseconds: 1)))
        let hide = String(decoding: change.encoded, as: UTF8.self)
        _ = try redis("XADD", "coterie:journal:one", "1-0", "stamp", "1", "change", hide, "seal", change.sealText)
        _ = try redis("XADD", "coterie:journal:one", "1-1", "stamp", "1", "change", "x")
        _ = try redis("XADD", "coterie:journal:one", "2-0", "a", "b")
        _ = try redis("XADD", "coterie:journal:one", "3-0", "stamp", "-1", "change", hide)
        _ = try redis("XADD", "coterie:journal:one", "4-0", "stamp", "1", "change", hide)
        var streams = try streams()
        #expect(
            try streams.changes(of: "one", after: 0, limit: 9) == [change])
        #expect(try streams.survey().mapValues(\.isWhole) == ["one": false])
    }

    @Test("What somebody else adds is removed, and the stream is made anew; other streams are as they were")
    func foreign() throws {
        var streams = try streams()
        #expect(try streams.add(changes(1...5), to: "one", expecting: nil, isRemade: true))
        #expect(try streams.add(changes(1...2, of: "two"), to: "two", expecting: nil, isRemade: true))
        let journal = ["one": SequenceRange(after: 0, last: 6)]
        let greatest = "18446744073709551615-18446744073709551615"
        for command in [
            ["XADD", "*", "a", "b"], ["XADD", "7-1", "a", "b"], ["XADD", greatest, "a", "b"], ["SET", "x"],
        ] {
            var connection = try RedisConnection(to: RedisAddress(server.url))
            var words = RedisCommand(command[0], "coterie:journal:one")
            for word in command.dropFirst() { words.append(word) }
            _ = try connection.command(words)
            let found = try streams.survey()
            let seen = try #require(found["one"])
            let isStream = command[0] == "XADD"
            #expect(seen == StreamedNumbers(after: 0, last: isStream ? 5 : 0, count: isStream ? 5 : 0, isOpen: false))
            #expect(found["two"] == StreamedNumbers(after: 0, last: 2, count: 2))
            // The next number can only be added to a new stream.
            #expect(try !streams.add(changes(6...6), to: "one", expecting: seen, isRemade: false))
            let exchange = ChangeExchange(here: journal, streams: ["one": seen], prunable: .none)
            #expect(exchange.steps == [.add("one", after: 0, isRemade: true)] && exchange.waiting["one"]?.last == 6)
            try streams.trim(through: AppliedChanges(["two": 1]))
            #expect(try streams.add(changes(1...5), to: "one", expecting: seen, isRemade: true))
            #expect(try streams.survey()["one"] == StreamedNumbers(after: 0, last: 5, count: 5))
            let two = try streams.survey()["two"]
            #expect(try streams.add(changes(1...2, of: "two"), to: "two", expecting: two, isRemade: true))
        }
    }

    @Test("The store has a ledger with the key that came first, and no ids; it only grows")
    func ledger() throws {
        var streams = try streams()
        func removing(_ subject: RemovalChange.Subject, _ stamp: Int64) -> JournaledChange {
            JournaledChange(
                origin: "o", sequence: stamp, stampMilliseconds: stamp,
                change: .removal(RemovalChange(subject, atMilliseconds: 1)))
        }
        let (key, otherKey) = (Ledger.makeKey(), Ledger.makeKey())
        #expect(try streams.ledger() == nil && streams.ledgerRevision().isEmpty)
        try streams.noteForgotten(
            by: [removing(.member("ann", withPhotos: false), 7), removing(.account("bob"), 8)], key: key)
        let first = try streams.ledgerRevision()
        try streams.noteForgotten(by: [removing(.member("ann", withPhotos: false), 5)] + changes(1...2), key: key)
        #expect(try streams.ledgerRevision() != first)
        let ledger = try #require(try streams.ledger())
        #expect(ledger.key == key && ledger.times(of: "ann") == Ledger.Times(forgotten: 7))
        // Whoever was removed until a return is not forgotten.
        #expect(ledger.times(of: "bob") == Ledger.Times(forgotten: 8, readmitted: 8) && !ledger.isForgotten("bob"))
        #expect(ledger.times(of: "eve") == nil)
        var readmission = Ledger(key: key)
        readmission.note(Ledger.Times(readmitted: 9), of: ledger.digest(of: "ann"))
        #expect(try streams.add(readmission) && !streams.add(Ledger(key: otherKey)))
        #expect(try streams.ledger()?.isForgotten("ann") == false)
        for name in ["forgotten", "readmitted"] {
            #expect(try redis("ZSCORE", "coterie:ledger:\(name)", "ann") == .null)
        }
    }

    @Test("What streams have of a member is found, also in a change of a newer program, until it is erased")
    func traces() throws {
        var streams = try streams()
        let join = JournaledChange(
            origin: "one", sequence: 1, stampMilliseconds: 1,
            change: .member(MemberChange(ofUser: "ann", .state(interests: ["owls"]))))
        let newer = JournaledChange(
            origin: "one", sequence: 2, stampMilliseconds: 2,
            encoded: Array(#"{"v":9,"who":"\u0061nn","note":"bob's"}"#.utf8))
        let forgetting = JournaledChange(
            origin: "one", sequence: 3, stampMilliseconds: 3,
            change: .removal(RemovalChange(.member("ann", withPhotos: false), atMilliseconds: 1)))
        #expect(try streams.add([join, newer, forgetting], to: "one", expecting: nil, isRemade: true))
        let traces = try streams.traceCounts(of: ["ann", "bob"])
        #expect(traces == [BytewiseString("ann"): ["one": 2]])
        let seen = StreamedNumbers(after: 0, last: 3, count: 3)
        #expect(
            try streams.add([join.erased, newer.erased, forgetting], to: "one", expecting: seen, isRemade: true))
        #expect(try streams.traceCounts(of: ["ann", "bob"]) == [:])
    }

    @Test("An entry that has changed in any byte is removed, so that it is missing and comes again")
    func damagedEntries() throws {
        var streams = try streams()
        func fields() throws -> [[UInt8]] {
            let reply = try redis("XRANGE", "coterie:journal:one", "2-0", "2-0")
            guard case .array(let entries) = reply, case .array(let parts)? = entries.first,
                case .array(let fields) = parts[1]
            else { return [] }
            return fields.map { if case .bytes(let bytes) = $0 { bytes } else { [] } }
        }
        #expect(try streams.add(changes(1...3), to: "one", expecting: nil, isRemade: true))
        let whole = try fields()
        #expect(whole.count == 6)
        for (field, text) in whole.enumerated() {
            for index in text.indices {
                var damaged = whole
                damaged[field][index] ^= 1
                _ = try redis("DEL", "coterie:journal:one")
                for (id, fields) in [("1-0", whole), ("2-0", damaged)] {
                    var connection = try RedisConnection(to: RedisAddress(server.url))
                    var command = RedisCommand("XADD", "coterie:journal:one", id)
                    for field in fields { command.append(field) }
                    _ = try connection.command(command)
                }
                // The first has the seal of another number.
                #expect(try streams.changes(of: "one", after: 0, limit: 9).isEmpty, "field \(field), byte \(index)")
                let left = StreamedNumbers(after: 0, last: 0, count: 0, isOpen: false)
                #expect(try streams.survey()["one"] == left)
                #expect(try streams.add(changes(1...3), to: "one", expecting: left, isRemade: true))
            }
        }
        #expect(try streams.changes(of: "one", after: 0, limit: 9) == changes(1...3))
    }

    @Test("What a member may add in a day at one daemon takes at most 50 MB of the server's memory")
    func boundedMemory() throws {
        let journal = try ChangeJournal(path: directory.path + "/journal", mode: .recording)
        // The largest that a daemon accepts: texts of so many scalars, each of four bytes.
        func text(_ number: Int, _ length: Int) -> String {
            let digits = String(number)
            return digits + String(repeating: "\u{1F989}", count: length - digits.count)
        }
        let (statements, interactions) = (1000, 10_000)
        for number in 0..<statements {
            let texts = (0..<50).map { text(100 * number + $0, 100) }
            _ = try journal.record([.member(MemberChange(ofUser: "ann", .state(interests: texts)))], at: 1)
            // Each is sent before the next one replaces it.
            try send(journal)
        }
        let size = InteractionRecord(
            id: text(1, 128), .click, groupID: "g", atMilliseconds: 1, recommendationID: text(1, 128),
            variant: text(1, 128)
        ).keptByteCount
        // More is refused with the usual `--member-kept`.
        for number in 0..<min(interactions, (16 << 20) / size) {
            let record = InteractionRecord(
                id: text(number, 128), .click, groupID: "g", atMilliseconds: 1, recommendationID: text(number, 128),
                variant: text(number, 128))
            _ = try journal.record([.member(MemberChange(ofUser: "ann", .record([record])))], at: 1)
        }
        try send(journal)
        guard
            case .integer(let bytes) = try redis(
                "MEMORY", "USAGE", "coterie:journal:\(journal.origin)", "SAMPLES", "0")
        else { throw Failure(.corrupt, "there is no stream") }
        #expect((30 << 20...50_000_000).contains(bytes), "\(bytes)")
        // The journal itself keeps the last statement only.
        #expect(try journal.database.integer("SELECT count(*) FROM changes WHERE kind = 4") == 1)
    }

    /// Adds to the stream what it lacks of a journal.
    private func send(_ journal: ChangeJournal) throws {
        var streams = try streams()
        while true {
            let known = try streams.survey()[journal.origin]
            let changes = try journal.changes(of: journal.origin, after: known?.last ?? 0, limit: 500)
            if changes.isEmpty { return }
            #expect(try streams.add(changes, to: journal.origin, expecting: known, isRemade: known == nil))
        }
    }
}
