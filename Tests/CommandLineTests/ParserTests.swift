import CommandLine
import Testing

@Suite struct CommandLines {
    @Test(arguments: [
        "import --store here --format csv a b", "import a b --store=here --format=csv",
        "import -s here --format csv a b",
        "import a -shere b --format csv", "import --store here --format csv -- a b",
    ])
    func optionsMayBeAnywhereInAnySpelling(line: String) throws {
        let command = try run(line)
        #expect(command.name == "import")
        #expect(command.text("store") == "here")
        #expect(command.textIfGiven("format") == "csv")
        #expect(command.arguments == ["a", "b"])
        #expect(!command.flag("verbose"))
    }

    @Test func twoHyphensEndTheOptionsAndOneHyphenIsAnArgument() throws {
        #expect(try run("import -s x - -- --verbose -v --").arguments == ["-", "--verbose", "-v", "--"])
        #expect(try run("import -s - -").text("store") == "-")
    }

    @Test func flagsMayShareAHyphen() throws {
        let command = try run("import -vnshere a")
        #expect(command.flag("verbose") && command.flag("dry-run"))
        #expect(command.text("store") == "here")
    }

    @Test func valuesMayBeEmptyOrNegativeOrHaveEqualsSigns() throws {
        #expect(try run("import -s x --label= --label=a=b a").texts("label") == ["", "a=b"])
        #expect(try run("neighbours g --floor -5").numberIfGiven("floor", in: -10...10) == -5)
        #expect(try run("neighbours g --table --other").text("table") == "--other")
    }

    @Test func theCommandLineOverridesTheEnvironmentAndThatTheDefault() throws {
        #expect(try run("neighbours g").integer("limit", in: 1...200) == 20)
        #expect(try run("neighbours g", ["SAMPLE_LIMIT": ""]).integer("limit", in: 1...200) == 20)
        #expect(try run("neighbours g", ["SAMPLE_LIMIT": "7"]).integer("limit", in: 1...200) == 7)
        #expect(try run("neighbours g -l 9", ["SAMPLE_LIMIT": "7"]).integer("limit", in: 1...200) == 9)
        #expect(try run("import a", ["SAMPLE_STORE": "there"]).text("store") == "there")
        #expect(try run("neighbours g").textIfGiven("floor") == nil)
        #expect(try run("import -s x a").texts("label") == [])
    }

    @Test(arguments: [("1", true), ("Yes", true), ("on", true), ("0", false), ("false", false), ("", false)])
    func theEnvironmentTurnsFlagsOn(value: String, isOn: Bool) throws {
        #expect(try run("import -s x a", ["SAMPLE_VERBOSE": value]).flag("verbose") == isOn)
    }

    @Test func helpAndVersionMayBeAnywhere() throws {
        let program = [try parse("--help"), try parse("-h"), try parse("help"), try parse("help --help")]
        for result in program {
            guard case .help(sample.help) = result else {
                Issue.record("\(result)")
                continue
            }
        }
        let page = sample.help(for: sample.commands[0])
        for line in ["import --help", "import -h", "import a --format tsv --help", "import -vh", "help import"] {
            guard case .help(page) = try parse(line) else {
                Issue.record("\(line)")
                continue
            }
        }
        #expect(try run("check --").arguments == [])
        #expect(try run("import -s x -- --help").arguments == ["--help"])
        guard case .version("sample 1.2.3") = try parse("--version") else {
            Issue.record("no version")
            return
        }
    }

    @Test func choicesAndNumbersAreTyped() throws {
        let command = try run("neighbours g --floor .5 --by photos")
        #expect(command.choice("by", of: Relation.self) == .photos)
        #expect(try command.numberIfGiven("floor", in: 0...1) == 0.5)
        #expect(try run("neighbours g").numberIfGiven("floor", in: 0...1) == nil)
        #expect(try run("neighbours g").integerIfGiven("floor", in: 0...1) == nil)
        #expect(try run("neighbours g --floor 1e0").number("floor", in: 0...1) == 1)
        #expect(try run("neighbours g").choiceIfGiven("table", of: Relation.self) == nil)
    }
}

@Suite struct CommandLineErrors {
    private let importAdvice = "sample import --help shows what it understands"
    private let neighboursAdvice = "sample neighbours --help shows what it understands"

    @Test func theExitCodeIsThatOfSysexits() { #expect(UsageError.exitCode == 64) }

    @Test func unknownCommands() {
        #expect(
            failure("") == """
                which command?
                usage: sample COMMAND [OPTIONS] [ARGUMENTS]
                sample --help lists the commands
                """)
        #expect(
            failure("improt a") == """
                sample has no command "improt"
                did you mean import?
                sample --help lists the commands
                """)
        #expect(failure("help xyz") == "sample has no command \"xyz\"\nsample --help lists the commands")
        #expect(failure("-v import")?.hasPrefix("-v is before the command") == true)
    }

    @Test func unknownOptions() {
        #expect(
            failure("import --stor x a") == """
                import has no option --stor
                did you mean --store?
                \(importAdvice)
                """)
        #expect(failure("import -s x -q a") == "import has no option -q\n\(importAdvice)")
        #expect(failure("import -s x -5 a") == "import has no option -5\n\(importAdvice)")
        #expect(failure("import -s x --zzzzzzzz=1 a") == "import has no option --zzzzzzzz\n\(importAdvice)")
    }

    @Test func missingAndExtraValues() {
        #expect(
            failure("import a --store") == "--store needs a value: sample import --store FOLDER\n\(importAdvice)")
        #expect(failure("import --store --verbose a")?.hasPrefix("--store needs a value") == true)
        #expect(failure("import --store -v a")?.hasPrefix("--store needs a value") == true)
        #expect(failure("import --store -- a")?.hasPrefix("--store needs a value") == true)
        #expect(failure("import --store --format=csv a")?.hasPrefix("--store needs a value") == true)
        #expect(
            failure("import --verbose=yes a") == "--verbose takes no value, but was given \"yes\"\n\(importAdvice)")
        #expect(failure("import -s x -s y a") == "--store is given twice\n\(importAdvice)")
        #expect(failure("import -s x -vv a") == "--verbose is given twice\n\(importAdvice)")
        #expect(
            failure("import a") == "--store is missing: give --store FOLDER, or set SAMPLE_STORE\n\(importAdvice)")
    }

    @Test func missingAndExtraArguments() {
        #expect(
            failure("import -s x") == """
                FILE is missing
                usage: sample import --store FOLDER [OPTIONS] FILE...
                \(importAdvice)
                """)
        #expect(
            failure("neighbours a b c") == """
                "c" is one argument too many
                usage: sample neighbours [OPTIONS] GROUP [OTHER]
                \(neighboursAdvice)
                """)
        #expect(failure("check x")?.hasPrefix("\"x\" is one argument too many\nusage: sample check\n") == true)
    }

    @Test func valuesNotAllowed() {
        #expect(
            failure("import -s x --format xml a")
                == "--format must be one of csv, tsv, jsonl, but is \"xml\"\n\(importAdvice)")
        #expect(
            failure("import -s x a", ["SAMPLE_VERBOSE": "maybe"])
                == "the environment variable SAMPLE_VERBOSE must be 1 or 0, but is \"maybe\"\n\(importAdvice)")
    }

    @Test func anArgumentIsOneOfItsWords() throws {
        let argument = Argument("KIND", help: "What to sort", allowed: ["groups", "users"])
        let sort = CommandLineProgram(
            name: "sample", summary: "", version: "1",
            commands: [Command("sort", summary: "Sort", arguments: [argument])])
        guard case .run(let command) = try sort.parse(["sort", "users"], environment: [:]) else { return }
        #expect(command.chosen([5, 6], by: { $0 == 5 ? "groups" : "users" }) == 6)
        #expect(
            throws: UsageError(
                #"KIND must be one of groups, users, but is "user""#,
                advice: ["did you mean users?", "sample sort --help shows what it understands"])
        ) { _ = try sort.parse(["sort", "user"], environment: [:]) }
        #expect(sort.help(for: sort.commands[0]).contains("KIND  What to sort: groups, users\n"))
    }

    @Test(arguments: ["0", "201", "x", "1.5", "", "99999999999999999999", "0x10", " 1"])
    func wholeNumbersOutOfBounds(value: String) throws {
        let command = try sample.parse(["neighbours", "g", "--limit", value], environment: [:])
        guard case .run(let command) = command else { return }
        let expected = "--limit must be a whole number from 1 to 200, but is \"\(value)\""
        #expect(message { () throws(UsageError) in try command.integer("limit", in: 1...200) } == expected)
        #expect(message { () throws(UsageError) in try command.integerIfGiven("limit", in: 1...200) } == expected)
    }

    @Test(arguments: ["-0.1", "1.1", "nan", "inf", "x", ""])
    func numbersOutOfBounds(value: String) throws {
        guard case .run(let command) = try sample.parse(["neighbours", "g", "--floor=\(value)"], environment: [:])
        else {
            return
        }
        let expected = "--floor must be a number from 0.0 to 1.0, but is \"\(value)\""
        #expect(message { () throws(UsageError) in try command.numberIfGiven("floor", in: 0...1) } == expected)
    }

    @Test func badValuesFromTheEnvironmentNameTheVariable() throws {
        let command = try run("neighbours g", ["SAMPLE_LIMIT": "0"])
        #expect(
            message { () throws(UsageError) in try command.integer("limit", in: 1...(.max)) }
                == "the environment variable SAMPLE_LIMIT must be a whole number, at least 1, but is \"0\"")
        #expect(
            failure("neighbours g", ["SAMPLE_BY": "likes"])
                == "the environment variable SAMPLE_BY must be one of members, photos, but is \"likes\"\n"
                + neighboursAdvice)
        #expect(
            command.badValue("x", of: "floor", expected: "the id of a group").description
                == "--floor must be the id of a group, but is \"x\"\n\(neighboursAdvice)")
    }
}
