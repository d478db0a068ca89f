import Testing

@testable import coterie

@Suite("Numbers of a report")
struct ExperimentWordsTests {
    @Test("have four decimals below 1 and three above")
    func short() {
        let numbers = [0, 0.00005, 0.00012, -0.98765, 0.99994, 1.23456, -1.99951, 9999.4321, 10_000.4]
        #expect(
            numbers.map(ExperimentWords.short) == [
                "0", "below .0001", "0.0001", "-0.9877", "0.9999", "1.235", "-2.0", "9999.432", "10000.0",
            ])
    }
}
