import Basics
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

    @Test("Differences have a sign, and sizes a unit")
    func units() {
        #expect(
            [0.05, -0.123, 0, -0.0001, .infinity].map(Formats.difference) == ["+5.0%", "−12.3%", "0.0%", "0.0%", "–"])
        #expect(
            [0, 1023, 1024, 1_048_575, 1 << 20, 3 << 30].map(Formats.bytes) == [
                "0 B", "1023 B", "1.0 KiB", "1024.0 KiB", "1.0 MiB", "3.0 GiB",
            ])
    }
}

@Suite("Words of commands to copy")
struct ShellWordsTests {
    @Test(
        "A shell reads each word as it was",
        arguments: [
            "plain", "", "two words", "it's", "\"it's\" $HOME", "`x`\\", "a\nb", "a\u{1F}c'\u{200B}\\é", "*", "~", "é",
            "#1", "!x'",
        ])
    func quoting(text: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "printf %s \(ShellWords.quoted(text))"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: output, as: UTF8.self) == text)
        #expect(!ShellWords.quoted(text).contains("\n"))
    }

    @Test("No id and no file is taken for an option")
    func dashes() {
        #expect(ShellWords.ids("owls", "bird watch") == "owls 'bird watch'")
        #expect(ShellWords.ids("owls", "-x") == "-- owls -x")
        #expect(ShellWords.file("-x.csv") == "./-x.csv" && ShellWords.file("standard input") == "FILE")
    }
}
