import CommandLine
import Foundation
import TestSupport
import Testing

@Suite("Formats")
struct FormatsTests {
    @Test("significant digits are those of printf")
    func significant() {
        var generator = SeededGenerator(seed: 1)
        var values: [Double] = [
            0, -0.0, 1, 0.001, 0.00099999999, 0.01, 0.5, 9.5, 99_999.95, 999_999.5, 999_999.4, 1e6, 123_456.5,
            0.1234565, 1e-5, 1e300, -2.5, .infinity, 100, 120_000, 2.000005,
        ]
        for _ in 0..<20_000 {
            let value = exp(Double.random(in: -12...18, using: &generator))
            // Halves are what is rounded either way.
            values += [value, value.rounded(), (value * 1000).rounded() / 1000 + 0.0005, Double(Float(value))]
        }
        for value in values {
            for digits in [1, 2, 4, 6, 9, 12] {
                #expect(Formats.significant(value, digits) == String(format: "%.\(digits)g", value))
            }
        }
    }

    @Test(
        "Text for a terminal has no character that moves the cursor or turns text around; joiners stay",
        arguments: [
            ("a\u{1B}[2Jb", "a [2Jb"), ("a\nb\r\nc\u{2028}d\u{85}e", "a b  c d e"),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("\u{2066}a\u{2069}\u{200F}b\u{202C}", "ab"),
            ("e\u{301}\u{202E}\u{301}", "e\u{301}\u{301}"), ("👩‍👩‍👧 می‌خواهم", "👩‍👩‍👧 می‌خواهم"),
            ("שלום Straße", "שלום Straße"), ("", ""),
        ])
    func printableText(text: String, shown: String) {
        // Compared by scalars: equal characters may have different ones.
        #expect(Array(printable(text).unicodeScalars) == Array(shown.unicodeScalars))
    }
}
