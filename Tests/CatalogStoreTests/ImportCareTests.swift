import CatalogStore
import Basics
import RecordReading
import TestSupport
import Testing

extension ImportSummary {
    /// Returns the messages of the findings of a kind.
    fileprivate func messages(_ kind: String) -> [String] {
        findings.filter { $0.kind.rawValue == kind }.map(\.message)
    }
}

@Suite("What an import must not show, or take for whole")
struct ImportCareTests {
    private func visibilities(_ test: CatalogUnderTest, _ table: String = "groups") throws -> [String] {
        try test.lines("SELECT \(table.dropLast())_id || ' ' || visibility FROM \(table) ORDER BY 1")
    }

    @Test("Of private and public rows for one id in one import, private counts; the next import may change it")
    func overruled() throws {
        let test = try CatalogUnderTest()
        let first = "group_id,visibility\na,private\na,public\nb,public\nb,private\nc,\nd,private\nd,\n"
        let summary = try test.importing(.groups, first, "group_id,visibility\na,public\n\"c\",public\n")
        #expect(try visibilities(test) == ["a 1", "b 1", "c 0", "d 1"])
        #expect(
            summary.messages("overruledVisibilities")
                == [
                    "2 public rows came after a private row of the same group, such as a: it is private until another "
                        + "import says otherwise"
                ])
        // A rejected private row counts no less than one that has an id: it has none here.
        #expect(try test.importing(.groups, "group_id,visibility\na,public\nb,public\n").findings.isEmpty)
        #expect(try visibilities(test) == ["a 0", "b 0", "c 0", "d 1"])
        try test.importing(.photos, "photo_id,visibility,taken_at\np,private,never\np,public,2020\n")
        #expect(try visibilities(test, "photos") == ["p 1"])
    }

    @Test(
        "A column that seems to say what is private or deleted is refused, named or ignored",
        arguments: [
            "sichtbarkeit", "isPrivate", "privacy", "unlisted", "visibilité", "deleted_at", "_sdc_deleted_at",
            "archived", "IsDeleted", "Geheim", "is_closed", "members_only", "listed", "acl",
        ])
    func meaning(name: String) throws {
        let test = try CatalogUnderTest()
        let text = "group_id,\(name)\na,x\nb,\n"
        let error = try #require(catalogError { try test.importing(.groups, text) })
        #expect(error.message.contains("the column \(name) ") && error.message.contains("--ignore"), "\(error)")
        #expect(try visibilities(test).isEmpty)
        let json = "{\"group_id\":\"a\"}\n{\"group_id\":\"b\",\"\(name)\":1}\n"
        #expect(catalogError { try test.importing(.groups, json, ending: "jsonl") } != nil)
        let ignored = try test.importing(.groups, text) { $0.ignoredColumns = [name] }
        #expect(ignored.rows == 2 && ignored.findings.isEmpty && ignored.unknownColumns.isEmpty)
        #expect(try visibilities(test) == ["a 0", "b 0"])
        // The catalog's words are no longer asked for if others are named; no value is one of them.
        try test.importing(.groups, text) {
            $0.sourceNames = ["visibility": name]
            $0.publicWords = [""]
        }
        #expect(try visibilities(test) == ["a 1", "b 0"])
    }

    @Test(
        "A public row whose new line is rejected is not shown until a good line comes",
        arguments: [
            // The line may have said so.
            ("a,private,\u{FF}", "a 1"), ("a,privat,x", "a 2"), ("a,public,\u{FF}", "a 0"), ("a,private", "a 2"),
            ("a,public,x,y,z", "a 2"), ("a,\u{0}private,x", "a 2"), ("a,,x\u{0}", "a 2"),
            ("\"a\",public,\"x", "a 2"), ("a,PRIVATE   ,x", "a 1"), ("a, public ,x", "a 0"),
            // Nothing is known of another row.
            ("b,private", "a 0"),
        ])
    func rejectedLine(line: String, expected: String) throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility,title\na,public,A\n")
        // U+00FF stands for a byte that is not UTF-8.
        let bytes = line.unicodeScalars.map { UInt8($0.value) }
        let head = Array("group_id,visibility,title\nc,public,C\n".utf8)
        let summary = try test.importing(.groups, bytes: [head + bytes + [10]])
        #expect(try visibilities(test).first == expected)
        let isHidden = summary.rejected > 0 && expected != "a 0"
        #expect(summary.messages("hiddenByRejects").count == (isHidden ? 1 : 0), "\(summary.findings)")
        try test.importing(.groups, "group_id,visibility,title\na,public,A\n")
        #expect(try visibilities(test).first == "a 0")
    }

    @Test("Rejected lines of a file without visibilities, and of JSON Lines, are treated by the same rule")
    func rejectedLineElsewhere() throws {
        let test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,visibility\np,public\nq,public\n")
        try test.importing(.photos, "photo_id,title\np,x,y\n")
        #expect(try visibilities(test, "photos") == ["p 0", "q 0"])
        let lines = [#"{"photo_id":"r","visibility":"public"}"#, #"{"photo_id": "p","visibility":"private""#]
        try test.importing(.photos, lines.joined(separator: "\n"), ending: "jsonl")
        #expect(try visibilities(test, "photos") == ["p 2", "q 0", "r 0"])
    }

    @Test("A misspelt key of one JSON line is asked about, even if the right one came before")
    func misspeltKey() throws {
        let test = try CatalogUnderTest()
        let lines = [#"{"group_id":"a","visibility":"public"}"#, #"{"group_id":"b","visibilty":"private"}"#]
        let error = try #require(
            catalogError { try test.importing(.groups, lines.joined(separator: "\n"), ending: "jsonl") })
        #expect(error.message.contains("visibilty"), "\(error)")
        #expect(try visibilities(test).isEmpty)
    }

    @Test(
        "Ids with separators between thousands are kept, and counted",
        arguments: ["1,234,567", "12.345.678", "1 234 567"])
    func thousands(id: String) throws {
        let test = try CatalogUnderTest()
        let text = "group_id\tuser_id\ng\t\(id)\ng\t1.2.3\ng\t12,34,567\ng\t1.234\n"
        let summary = try test.importing(.memberships, text, ending: "tsv")
        #expect(summary.messages("separatedIds").map { $0.hasPrefix("1 row, 1 id") } == [true], "\(summary.findings)")
    }

    @Test("Words for public may be named, in any letter case; all others, and no value, are private")
    func publicWords() throws {
        let test = try CatalogUnderTest()
        let text = "photo_id,privacy\na,0\nb,1\nc,OPEN\nd,\ne,\\N\n"
        let summary = try test.importing(.photos, text) {
            $0.sourceNames = ["visibility": "privacy"]
            $0.publicWords = ["0", "open"]
        }
        #expect(summary.rejected == 0)
        #expect(try visibilities(test, "photos") == ["a 0", "b 1", "c 0", "d 1", "e 1"])
    }

    @Test("Beside visibility, and in relations, a column of such a meaning is only told; strict ignores it if told to")
    func told() throws {
        let test = try CatalogUnderTest()
        let groups = try test.importing(.groups, "group_id,visibility,hidden,status\na,public,0,draft\n")
        #expect(groups.messages("suspectColumns").count == 2)
        #expect(groups.messages("suspectColumns").first?.contains("the column hidden was passed over") == true)
        #expect(catalogError { try test.importing(.groups, "group_id,visibility,deleted_at\na,public,\n") } != nil)
        let entries = "group_id,user_id,left_at,stats,published_at\na,u,2020-01-01,1,2\n"
        #expect(try test.importing(.memberships, entries).messages("suspectColumns").count == 2)
        #expect(try test.importing(.users, "user_id,score,postal_code\nu,1,2\n").findings.isEmpty)
        let strict = try test.importing(.memberships, entries) {
            $0.isStrict = true
            $0.ignoredColumns = ["left_at", "stats", "published_at"]
        }
        #expect(strict.rows == 1)
    }

    @Test(
        "Arrays of databases and programs are lists, and are counted",
        arguments: [
            (#"{a,"b c",NULL,"d\"e"}"#, #"a;b c;d"e"#), (#"["a", "b\u00e9\ud83e\udd85"]"#, "a;bé🦅"),
            ("['a', \"it's\"]", "a;it's"), ("[a, b c]", "a;b c"), ("{}", "~"), ("[]", "~"), ("[1, 2, null]", "1;2"),
            // These are no arrays of texts, and stay as they are.
            (#"{"a": 1}"#, #"{"a": 1}"#), ("{{a},{b}}", "{{a},{b}}"), ("[wip] owls", "[wip] owls"),
            (#"["a" "b"]"#, #"["a" "b"]"#), (#"["a"#, #"["a"#),
        ])
    func arrays(text: String, list: String) throws {
        let test = try CatalogUnderTest()
        let field = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        let summary = try test.importing(.users, "user_id,interests\nu,\"\(field)\"\nv,plain\n")
        #expect(try test.content(.users) == ["u|~|\(list)|~", "v|~|plain|~"])
        #expect(summary.messages("arrayLists").count == (text == list ? 0 : 1), "\(summary.findings)")
        // The cleaner for other programs reads the same.
        let path = try test.file(Array("user_id,interests\nu,\"\(field)\"\n".utf8))
        var cleaned = ""
        _ = try RecordCleaner(.users, zone: .utc).clean(path) { cleaned += String(decoding: $0, as: UTF8.self) }
        let row = try #require(cleaned.split(separator: "\n").last)
        let doubled = list.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        let expected = list == "~" ? "" : list.contains("\"") ? "\"\(doubled)\"" : list
        #expect(row.split(separator: "\t", omittingEmptySubsequences: false)[2] == expected)
    }

    @Test("Texts as HTML writes them are kept, and counted")
    func characterReferences() throws {
        let test = try CatalogUnderTest()
        let rows = ["a,Black &amp; White,b&#38;w", "b,A & B; C,x&y;z", "c,R&D &lt,&;", "d,&quot;Q&quot;,"]
        let text = "group_id,title,topics\n" + rows.map { $0 + "\n" }.joined()
        let summary = try test.importing(.groups, text)
        #expect(summary.findings.map(\.kind) == [.escapedTexts] && summary.findings.first?.count == 3)
        #expect(try test.lines("SELECT title FROM groups ORDER BY 1").contains("Black &amp; White"))
        #expect(try test.importing(.groups, text).findings.first?.count == 3)
    }

    @Test("Numbers that a spreadsheet was told to keep as text are kept as they are, and counted")
    func formulas() throws {
        let test = try CatalogUnderTest()
        let ids = ["\"=\"\"00123\"\"\"", "'007", "'tis", "=x"]
        let summary = try test.importing(.memberships, "group_id,user_id\n" + ids.map { "g,\($0)\n" }.joined())
        #expect(summary.messages("fractionIds").map { $0.hasPrefix("2 rows, 2 ids") } == [true], "\(summary.findings)")
    }

    @Test("The mark at the end of COPY's data is no record")
    func endMarker() throws {
        let test = try CatalogUnderTest()
        let text = "group_id\tuser_id\ng\tu\n\\.\n"
        let summary = try test.importing(.memberships, text) { $0.dialect = .init(format: .copy) }
        #expect(summary.rows == 1 && summary.rejected == 0 && summary.findings.isEmpty)
        let guessed = try test.importing(.memberships, text)
        #expect(guessed.rows == 1 && guessed.rejected == 0 && guessed.findings.isEmpty)
    }

    @Test("A last line without its end is told; with the marks of a cut, replacing and strict imports refuse it")
    func cut() throws {
        let test = try CatalogUnderTest()
        func run(_ text: String, _ change: (inout ImportOptions) -> Void = { _ in }) throws -> [String] {
            try test.importing(.memberships, text, change: change).messages("unendedFiles")
        }
        let whole = "group_id,user_id,joined_at\ng,u,2020-01-01\ng,v,2020-01-02"
        let replacing: (inout ImportOptions) -> Void = { $0.replaces = true }
        #expect(try run(whole + "\n").isEmpty)
        #expect(try run(whole, replacing).map { $0.contains("line 3: the last line has no line end;") } == [true])
        let header = "user_id,group_id\n"
        let blocks = header + "u,\(String(repeating: "g", count: 252))\n" + String(repeating: "u,g1\n", count: 764)
        let cuts = [
            whole + "\ng,w,2020-01-0", whole + "\ng", "group_id,user_id\r\ng,u\r\ng,v\r",
            String((blocks + "u,g2").prefix(4096)),
        ]
        for cut in cuts {
            #expect(try run(cut).map { $0.contains("seems to be cut off") } == [true], "\(cut.suffix(30))")
            let before = try test.everything()
            for change in [replacing, { $0.isStrict = true }, { ($0.replaces, $0.allowsRejects) = (true, true) }] {
                #expect(catalogError { _ = try run(cut, change) } != nil, "\(cut.suffix(30))")
                #expect(try test.everything() == before)
            }
            // An end of the line says that the file is whole.
            #expect(try run(cut + "\n").isEmpty)
        }
        let copy = "group_id\tuser_id\ng\tu"
        let error = catalogError {
            _ = try run(copy) { ($0.dialect, $0.replaces) = (.init(format: .copy), true) }
        }
        #expect(error?.message.contains("ends every line") == true)
    }
}
