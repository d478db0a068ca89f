import TestSupport
import Testing

@testable import CatalogStore

@Suite("Plain decimals")
struct PlainDecimalTests {
    @Test("are the nearest number, as any other way to read them says")
    func nearest() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let digits = Int.random(in: 1...15, using: &generator)
            var text = String(Int.random(in: 0..<1_000_000_000_000_000, using: &generator)).prefix(digits)
            let point = Int.random(in: 1...text.count, using: &generator)
            if point < text.count { text.insert(".", at: text.index(text.startIndex, offsetBy: point)) }
            let written = (Bool.random(using: &generator) ? "-" : "") + text
            let number = Double(plainDecimal: written.utf8Span.span)
            #expect(number?.bitPattern == Double(written)?.bitPattern, "\(written)")
        }
    }

    @Test(
        "are nothing else",
        arguments: ["", "-", ".", ".5", "5.", "1.2.3", "1e5", "+1", " 1", "1 ", "0x1", "--1", "nan"])
    func others(text: String) { #expect(Double(plainDecimal: text.utf8Span.span) == nil) }
}
