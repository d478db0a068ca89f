import Changes
import Foundation
import Model
import Testing

@Suite("Changes that a version includes")
struct TakenChangesTests {
    @Test("are those of each journal up to a number")
    func numbers() throws {
        let taken = AppliedChanges(["a": 3, "b": 1])
        #expect(taken.contains(3, of: "a") && !taken.contains(4, of: "a") && !taken.contains(1, of: "c"))
        #expect(try JSONDecoder().decode(AppliedChanges.self, from: JSONEncoder().encode(taken)) == taken)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AppliedChanges.self, from: Data(#"{"a\"]":1}"#.utf8))
        }
    }

    @Test("of several versions are those that all of them include")
    func common() {
        let common = AppliedChanges.inAll([AppliedChanges(["a": 3, "b": 1]), AppliedChanges(["a": 2, "c": 9])])
        #expect(common.contains(2, of: "a") && !common.contains(3, of: "a"))
        #expect(!common.contains(1, of: "b") && !common.contains(1, of: "c"))
        #expect(AppliedChanges.inAll([]) == AppliedChanges())
    }

    @Test("A place takes the change after its last one, and no other")
    func verdicts() {
        var numbers = SequenceRange(after: 2, last: 4)
        #expect([4, 5, 6].map(numbers.verdict) == [.repeated, .next, .missing])
        numbers.dispense(through: 3)
        #expect(numbers == SequenceRange(after: 3, last: 4) && !numbers.isEmpty)
        numbers.dispense(through: 9)
        #expect(numbers == SequenceRange(after: 9, last: 9) && numbers.isEmpty && numbers.verdict(on: 10) == .next)
    }

    @Test("A change comes after all that were known, whatever the clock says")
    func stamps() {
        #expect(ChangeStamp.milliseconds(at: 50, after: 7) == 50)
        #expect(ChangeStamp.milliseconds(at: 50, after: 50) == 51)
        #expect(ChangeStamp.milliseconds(at: 50, after: 1000) == 1001)
        #expect(ChangeStamp.milliseconds(at: .max, after: 3) == ChangeStamp.bounds.upperBound)
    }
}
