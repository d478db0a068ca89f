import RecordReading
import Testing

@Suite struct DecimalNumbers {
    private func integer(_ text: String) -> Int64? { DecimalNumber.integer(text.utf8Span.span) }
    private func real(_ text: String) -> Double? { DecimalNumber.real(text.utf8Span.span) }

    @Test(arguments: [
        "0", "-0", "007", "42", "-42", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "-9223372036854775809", "99999999999999999999", "123456789012345678901234567890",
    ])
    func integersAreThoseOfTheLibrary(text: String) {
        #expect(integer(text) == Int64(text))
    }

    @Test(arguments: ["", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "a", "--1", "１"])
    func notIntegers(text: String) { #expect(integer(text) == nil) }

    @Test(arguments: ["0", "-0", "1.5", "-1.5e-3", "1E+5", "123456789.25", "1e308", "5e-324", "0.1"])
    func realsAreThoseOfTheLibrary(text: String) { #expect(real(text) == Double(text)) }

    @Test(arguments: [
        "", "-", ".5", "1.", "1e", "1e+", "nan", "inf", "infinity", "0x1p3", "1e999", "+1", " 1", "1 ", "1,5",
    ])
    func notReals(text: String) { #expect(real(text) == nil) }

    @Test func randomNumbersComeBack() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let whole = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
            #expect(integer("\(whole)") == whole)
            let exponent = Double.random(in: -300...300, using: &random)
            let value = Double.random(in: -1...1, using: &random) * exponent
            #expect(real("\(value)") == value)
        }
    }
}
