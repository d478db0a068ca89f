import CommandLine
import Testing

@Suite struct HelpPages {
    @Test func ofTheProgram() {
        #expect(
            sample.help == """
                Usage: sample COMMAND [OPTIONS] [ARGUMENTS]

                Finds the groups that someone would love to join

                Commands:
                  import      Read a community from files
                  neighbours  Show the groups that are most like one
                  check       Check the catalog

                "sample COMMAND --help" or "sample help COMMAND" shows the help of a command,
                "sample --version" the version.

                """)
    }

    @Test func ofACommand() {
        #expect(
            sample.help(for: sample.commands[0]) == """
                Usage: sample import --store FOLDER [OPTIONS] FILE...

                Read a community from files

                Every file is read as a stream. A record that cannot be used is left out,
                counted and shown with its line, and reading goes on.

                  user,group
                  7,12

                Arguments:
                  FILE  The files to read; - is standard input

                Options:
                  -s, --store FOLDER  Where the catalog lies (required)
                      --format NAME   How the files are written (one of: csv, tsv, jsonl)
                      --maximum-record-bytes BYTES
                                      Leave out records that are longer than this, each with a
                                      warning that shows where it begins (default: 1048576)
                      --label TEXT    A word to remember this import by (may be given more than
                                      once)
                  -v, --verbose       Tell more
                  -n, --dry-run       Only count: "what's in [it]"
                  -h, --help          Show this help

                Environment:
                  SAMPLE_STORE    Used when --store is not given
                  SAMPLE_VERBOSE  Used when --verbose is not given

                Examples:
                  sample import --store community members.csv
                  zcat members.csv.gz | sample import -s community -

                """)
    }

    @Test func ofACommandWithoutAnything() {
        #expect(
            sample.help(for: sample.commands[2]) == """
                Usage: sample check

                Check the catalog

                Options:
                  -h, --help  Show this help

                """)
    }

    @Test(arguments: [(80, 1), (81, 2)])
    func aLineMayHave80Characters(count: Int, lineCount: Int) {
        let summary = "a " + String(repeating: "b", count: count - 2)
        let program = CommandLineProgram(name: "p", summary: summary, version: "1", commands: [])
        let paragraphs = program.help.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
        #expect(paragraphs[1].count == lineCount)
    }

    @Test func noLineIsWiderThanATerminal() {
        for page in [sample.help] + sample.commands.map(sample.help) {
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { $0.count <= 80 && $0.last != " " })
        }
    }
}
