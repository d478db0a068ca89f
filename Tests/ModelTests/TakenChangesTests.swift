import Foundation
import Model
import Testing

@Suite("Changes that a version includes")
struct TakenChangesTests {
    @Test("are those of each journal up to a number")
    func numbers() throws {
        let taken = TakenChanges(["a": 3, "b": 1])
        #expect(taken.contains(3, of: "a") && !taken.contains(4, of: "a") && !taken.contains(1, of: "c"))
        #expect(taken.json == #"{"a":3,"b":1}"#)
        #expect(try JSONDecoder().decode(TakenChanges.self, from: JSONEncoder().encode(taken)) == taken)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TakenChanges.self, from: Data(#"{"a\"]":1}"#.utf8))
        }
    }

    @Test("of several versions are those that all of them include")
    func common() {
        let common = TakenChanges.inAll([TakenChanges(["a": 3, "b": 1]), TakenChanges(["a": 2, "c": 9])])
        #expect(common.contains(2, of: "a") && !common.contains(3, of: "a"))
        #expect(!common.contains(1, of: "b") && !common.contains(1, of: "c"))
        #expect(TakenChanges.inAll([]) == TakenChanges())
    }

    @Test("Positions in the stream are ordered as their sortable texts, and read from both forms")
    func positions() throws {
        let texts = ["0-0", "0-5", "5-0", "5-18446744073709551615", "1795284306192-3", "18446744073709551615-0"]
        let positions = try texts.map { try #require(StreamPosition($0)) }
        #expect(positions.map(\.description) == texts)
        for (one, other) in zip(positions, positions.dropFirst()) {
            #expect(one < other && one.sortable < other.sortable)
        }
        #expect(positions.map { StreamPosition($0.sortable) } == positions)
        for text in ["", "-", "5", "5-", "-5", "a-5", "5-5-5", "+5--5", "18446744073709551616-0"] {
            #expect(StreamPosition(text) == nil, "\(text)")
        }
    }
}
