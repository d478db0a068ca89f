import CommandLine
import Testing

@Suite("Text on a terminal")
struct PrintableTests {
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
