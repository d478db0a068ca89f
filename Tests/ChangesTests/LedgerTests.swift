import Basics
import Changes
import Testing

@Suite("The ledger of forgotten members")
struct LedgerTests {
    private let key = [UInt8](repeating: 0x0b, count: 20)

    @Test("A digest is the beginning of HMAC-SHA256: the first vector of RFC 4231")
    func digest() {
        let ledger = Ledger(key: key)
        #expect(ledger.digest(of: "Hi There").text == "b0344c61d8db38535ca8afceaf0bf12b")
        #expect(Ledger.Digest("b0344c61d8db38535ca8afceaf0bf12b") == ledger.digest(of: "Hi There"))
        for text in ["", "b0", "b0344c61d8db38535ca8afceaf0bf12", "x0344c61d8db38535ca8afceaf0bf12b"] {
            #expect(Ledger.Digest(text) == nil, "\(text)")
        }
    }

    @Test("The later time decides, in whatever order entries come")
    func merging() {
        let entries = [
            Ledger.Times(forgotten: 5), Ledger.Times(readmitted: 7), Ledger.Times(forgotten: 9),
            Ledger.Times(forgotten: 3, readmitted: 6),
        ]
        let ledgers = entries.map { times in
            var ledger = Ledger(key: key)
            ledger.note(times, of: ledger.digest(of: "ann"))
            return ledger
        }
        #expect(ledgers.map { $0.isForgotten("ann") } == [true, false, true, false])
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            var all = Ledger(key: key)
            for index in order { all.merge(ledgers[index]) }
            #expect(all.times(of: "ann") == Ledger.Times(forgotten: 9, readmitted: 7) && all.isForgotten("ann"))
            #expect(all.times(of: "bob") == nil && !all.isForgotten("bob"))
            #expect(ledgers[2].beyond(ledgers[0]) == ledgers[2])
            #expect(ledgers[0].beyond(all).times.isEmpty)
        }
    }

    @Test("A ledger can be written and read; a text that is cut or changed is refused with its line")
    func text() throws {
        var ledger = Ledger(key: Ledger.makeKey())
        for (number, id) in ["ann", "bob", "é ✈"].enumerated() {
            ledger.note(Ledger.Times(forgotten: Int64(number), readmitted: 1), of: ledger.digest(of: id))
        }
        let text = ledger.text
        #expect(try Ledger(text: text) == ledger)
        #expect(try Ledger(text: Ledger(key: ledger.key).text).times.isEmpty)
        for broken in ["", "ann\n", String(text.dropLast()), String(text.dropFirst())] {
            #expect(throws: Failure.self, "\(broken)") { _ = try Ledger(text: broken) }
        }
        let wrong = text.replacing(" 1\n", with: " one\n", maxReplacements: 1)
        let error = #expect(throws: Failure.self) { _ = try Ledger(text: wrong) }
        #expect(error?.message.contains("line 2") == true)
    }
}
