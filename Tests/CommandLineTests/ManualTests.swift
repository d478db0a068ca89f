@testable import CommandLine
import Foundation
import Testing

@Suite struct ManualPages {
    @Test func ofEveryCommand() {
        #expect(sample.manualPages.map(\.name) == ["sample", "sample-import", "sample-neighbours", "sample-check"])
    }

    @Test func ofACommand() throws {
        let page = try #require(sample.manualPages.first { $0.name == "sample-neighbours" })
        #expect(
            page.text == #"""
                .TH SAMPLE\-NEIGHBOURS 1 "" "sample 1.2.3" "sample"
                .SH NAME
                sample\-neighbours \- Show the groups that are most like one
                .SH SYNOPSIS
                sample neighbours [OPTIONS] GROUP [OTHER]
                .SH ARGUMENTS
                .TP
                .B GROUP
                The group's id
                .TP
                .B OTHER
                Another one
                .SH OPTIONS
                .TP
                .B \-l, \-\-limit N
                How many (default: 20)
                .TP
                .B \-\-floor SCORE
                The least similarity
                .TP
                .B \-\-by RELATION
                What to compare (one of: members, photos; default: members)
                .TP
                .B \-\-table FILE
                Where to write
                .TP
                .B \-h, \-\-help
                Show this help
                .SH ENVIRONMENT
                .TP
                .B SAMPLE_LIMIT
                Used when \-\-limit is not given
                .TP
                .B SAMPLE_BY
                Used when \-\-by is not given
                .SH SEE ALSO
                sample(1)

                """#)
    }

    @Test func charactersThatMeanSomethingElse() {
        #expect(ManualPage.escaped("a\\b --c\n.d\n'e") == "a\\eb \\-\\-c\n\\&.d\n\\&'e")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff"), "groff is not installed"))
    func withoutWarnings() throws {
        for page in sample.manualPages {
            let groff = Process()
            groff.executableURL = URL(fileURLWithPath: "/usr/bin/groff")
            groff.arguments = ["-man", "-ww", "-Tutf8", "-z"]
            let (input, errors) = (Pipe(), Pipe())
            (groff.standardInput, groff.standardError) = (input, errors)
            try groff.run()
            try input.fileHandleForWriting.write(contentsOf: Data(page.text.utf8))
            try input.fileHandleForWriting.close()
            let said = errors.fileHandleForReading.readDataToEndOfFile()
            groff.waitUntilExit()
            #expect(String(decoding: said, as: UTF8.self) == "", "\(page.name)")
        }
    }
}
