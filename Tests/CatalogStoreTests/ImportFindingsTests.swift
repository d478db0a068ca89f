import CatalogStore
import Basics
import Foundation
import RecordReading
import SQLite
import TestSupport
import Testing

extension ImportSummary {
    /// Returns the message of a finding, or an empty text if there is none.
    fileprivate func message(_ kind: String) -> String { findings.first { $0.kind.rawValue == kind }?.message ?? "" }
    /// Returns the count of a finding, or 0 if there is none.
    fileprivate func count(_ kind: String) -> Int { findings.first { $0.kind.rawValue == kind }?.count ?? 0 }
}

@Suite("What an import takes in one way, and says so")
struct ImportFindingsTests {
    @Test("An optional value that cannot be read is unknown and counted; strict refuses it")
    func unreadable() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,title,created_at\ng,Old,2024-05-01\n")
        let text = """
            group_id,title,join_policy,created_at,last_active_at
            g,New,maybe,yesterday,2024-05-02
            h,Other,open,46327,infinity

            """
        let summary = try test.importing(.groups, text)
        #expect(summary.rejected == 0 && summary.rows == 2 && summary.written == 2)
        // Unreadable values do not replace known ones.
        #expect(
            try test.content(.groups) == ["g|New|~|0|~|0|1714521600|1714608000", "h|Other|~|0|~|0|~|~"])
        #expect(summary.findings.map(\.count) == [1, 2, 1])
        #expect(
            summary.findings[1].message.hasPrefix("2 created_at could not be read and are unknown"),
            "\(summary.findings)")
        let reason = "line 2: created_at \"yesterday\" is neither an ISO 8601 time nor a Unix time"
        #expect(summary.findings[1].message.hasSuffix(reason))
        let error = try #require(catalogError { try test.importing(.groups, text) { $0.isStrict = true } })
        #expect(error.message.contains("line 2: ") && error.message.contains("nothing was changed"))
    }

    @Test("A group or photo whose visibility cannot be read is rejected, and never public")
    func visibility() throws {
        let test = try CatalogUnderTest()
        let summary = try test.importing(.groups, "group_id,visibility,created_at\ng,secret,yesterday\n")
        #expect(summary.rejected == 1 && summary.findings.isEmpty)
        let lines = ["{}", "NaN", "[\"private\"]", "\"\\ud83d\""].map { "{\"photo_id\":\"p\",\"visibility\":\($0)}\n" }
        #expect(try test.importing(.photos, lines.joined(), ending: "jsonl").rejected == 4)
        #expect(try test.everything().values.allSatisfy(\.isEmpty))
    }

    @Test("In JSON Lines, bad values of wanted columns are unknown, and the reason names column and cause")
    func json() throws {
        let test = try CatalogUnderTest()
        let text = """
            {"photo_id":"p","user_id":"u","taken_at":NaN,"latitude":Infinity,"tags":["a","b"],"score":NaN}
            {"photo_id":["a","b"],"user_id":"u"}
            {"photo_id":"q","user_id":["u","v"],"tags":"\\ud83d"}

            """
        let summary = try test.importing(.photos, text, ending: "jsonl")
        #expect(summary.rows == 2 && summary.rejected == 1)
        #expect(try test.content(.photos) == ["p|u|0|~|~|a;b|~|~|~|~", "q|~|0|~|~|~|~|~|~|~"])
        #expect(try test.rejects().map { $0[2] } == ["has a \"photo_id\" that is an array"])
        let reason = "has a \"tags\" that has half of a surrogate pair"
        #expect(summary.findings.contains { $0.message.hasSuffix(reason) })
    }

    @Test("In JSON Lines, ids are texts and whole numbers: true, false and fractions are refused with their line")
    func ids() throws {
        let test = try CatalogUnderTest()
        let values = ["true", "false", "1.5", "-2.5e-1", "1.0", "1e3", "9007199254740993", "\"true\"", "\"1.5\""]
        let lines = values.map { "{\"user_id\":\($0),\"listed\":true}\n" }
        let summary = try test.importing(.users, lines.joined(), ending: "jsonl")
        #expect(summary.examples.map(\.line) == [1, 2, 3, 4] && summary.rejected == 4)
        #expect(
            try test.rejects().map { $0[2] }
                == ["true", "false", "a fraction", "a fraction"].map { "has a \"user_id\" that is \($0)" })
        #expect(
            try test.lines("SELECT user_id FROM users ORDER BY user_id")
                == ["1", "1.5", "1000", "9007199254740993", "true"])
        // The owner of a photo may be unknown.
        let photos = try test.importing(.photos, "{\"photo_id\":\"p\",\"user_id\":true}\n", ending: "jsonl")
        #expect(photos.rows == 1 && photos.rejected == 0)
        #expect(try test.content(.photos) == ["p|~|0|~|~|~|~|~|~|~"])
    }

    @Test("Words for no value: none of a time or a place, an id that is counted, nobody with --null")
    func nullWords() throws {
        let test = try CatalogUnderTest()
        let text =
            "group_id,user_id,joined_at\n"
            + ["NULL", "None", "nan", "#N/A", "(null)", "undefined"]
            .map { "g,u,\($0)\n" }.joined() + "g,NULL,\nh,NULL,2024-05-01\n"
        let summary = try test.importing(.memberships, text)
        #expect(summary.rejected == 0 && summary.findings.map(\.kind) == [.nullWordIDs])
        #expect(summary.message("nullWordIds").hasPrefix("2 rows, 1 id, have the word \"NULL\" as an id"))
        #expect(try test.content(.memberships) == ["g|NULL|~", "g|u|~", "h|NULL|1714521600"])
        #expect(try test.importing(.photos, "photo_id,latitude,user_id\np,nan,NULL\n").count("nullWordIds") == 1)
        let other = try CatalogUnderTest()
        #expect(try other.importing(.memberships, text) { $0.dialect.nullWord = "NULL" }.rejected == 2)
        #expect(try other.content(.memberships) == ["g|u|~"])
    }

    @Test("Ids that a spreadsheet made, or that have invisible ends, are taken as they are, and counted")
    func doubtfulIDs() throws {
        let test = try CatalogUnderTest()
        let photos = "photo_id\n5.17885E+10\n5.17885E+10\n5.17885E+10\n42.0\n1.5\n12e4\nv1.0\n"
        let summary = try test.importing(.photos, photos)
        #expect(summary.message("fractionIds").hasPrefix("4 rows, 2 ids, have ids like \"42.0\""))
        let members = "group_id,user_id\ng,u\ng,\u{200B}u\n\u{A0}g,u\ng,u \ng,ü\ng,\u{FEFF}ü\n"
        let invisible = try test.importing(.memberships, members) { $0.batchRows = 2 }
        #expect(invisible.count("invisibleIds") == 4)
        #expect(invisible.message("invisibleIds").hasPrefix("4 rows, 4 ids, have ids like \"u \", with blanks"))
        let things = try CatalogStatistics(of: test.catalog.facts).things
        let name = "with an id that differs from another only in invisible characters"
        #expect(things.map { $0.count(name) } == [1, 3, 0])
    }

    @Test("Headers that come again, backslashes that are kept, and lines that quotes join are said")
    func others() throws {
        let test = try CatalogUnderTest()
        let parts = "group_id,user_id\ng,u\nuser_id,group_id\nv,h\n"
        #expect(try test.importing(.memberships, parts).count("repeatedHeaders") == 1)
        #expect(try test.content(.memberships) == ["g|u|~", "h|v|~"])
        #expect(try test.importing(.groups, "group_id\ttitle\ng\ta\\tb\\nc\n").count("keptEscapes") == 2)
        let joined = "group_id,title\ng,\"open\nh,x\ni,shut\"\n"
        let summary = try test.importing(.groups, joined)
        #expect(summary.count("joinedLines") == 1 && summary.message("joinedLines").contains(", line 2"))
        for change: (inout ImportOptions) -> Void in [{ $0.isStrict = true }, { $0.replaces = true }] {
            let error = try #require(catalogError { try test.importing(.groups, joined, change: change) })
            #expect(error.message.contains("line 2: quotes stretch over lines"), "\(error)")
        }
        #expect(try test.content(.groups).count == 2)
    }

    @Test("A zero date is no date") func zeroDates() throws {
        let test = try CatalogUnderTest()
        let zeros = ["0", "1970-01-01", "0000-00-00 00:00:00", "0001-01-01T00:00:00Z", "2024-05-01"]
        let rows = zeros.enumerated().map { "g\($0),\($1)\n" }.joined()
        let summary = try test.importing(.groups, "group_id,last_active_at\n\(rows)")
        #expect(summary.rejected == 0 && summary.findings.isEmpty)
        #expect(
            try test.lines("SELECT ifnull(last_active_at, '~') FROM groups ORDER BY group_id")
                == ["~", "~", "~", "~", "1714521600"])
    }

    @Test(
        "An import without room for its index changes nothing",
        .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func indexIsInTheTransaction() throws {
        let directory = try TemporaryDirectory()
        let rows = (0..<50_000).map { "g\($0 % 500),u\($0)\n" }.joined()
        let file = directory.path + "/memberships.csv"
        try Data(("group_id,user_id\n" + rows).utf8).write(to: URL(fileURLWithPath: file))
        var kibibytes = 2 << 10
        var (failures, isDone) = (0, false)
        // At some size of the disk, everything but the index has room.
        while !isDone {
            let disk = try SmallDisk(kibibytes: kibibytes)
            let catalog = try Catalog(path: disk.path + "/catalog", mode: .writing)
            do {
                let options = ImportOptions(rejectsPath: directory.path + "/rejects")
                _ = try Importer(into: catalog, kind: .memberships, options: options).run([file])
                isDone = true
            } catch {
                failures += 1
                #expect(error.message.contains("the disk is full"), "\(error)")
            }
            #expect(try CatalogExamination(of: catalog.facts).withoutIndex.isEmpty)
            let count = try Database(path: disk.path + "/catalog", mode: .readWrite)
                .integer("SELECT count(*) FROM memberships")
            #expect(count == (isDone ? 50_000 : 0), "\(kibibytes) KiB")
            kibibytes += 512
        }
        #expect(failures > 0)
    }

    @Test("Archives and gzip in gzip are named, with the command that unpacks them") func archives() throws {
        let test = try CatalogUnderTest()
        let compressor = try #require(GzipCompressor(level: 6))
        let text = Array("user_id\n".utf8) + Array(repeating: UInt8(ascii: "\n"), count: 1000)
        let twice: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 147, 239, 230, 96, 0, 1, 38, 102, 109, 93, 63, 221, 174, 243, 62, 15, 189,
            158, 48, 49, 48, 251, 43, 77, 229, 2, 138, 2, 0, 108, 245, 48, 204, 30, 0, 0, 0,
        ]
        // The header of a tar archive has a name, numbers, and the mark at 257.
        let archive =
            Array("users.csv".utf8) + [UInt8](repeating: 0, count: 248) + Array("ustar  \0".utf8)
            + [UInt8](repeating: 0, count: 247) + text
        let packedArchive = try #require(compressor.member(of: archive))
        let cases = [(twice, "gzip -dc"), (archive, "tar -xOf"), (packedArchive, "tar -xOf")]
        for (bytes, command) in cases {
            let error = try #require(catalogError { try test.importing(.users, bytes: [bytes]) })
            #expect(error.message.contains(command), "\(error)")
        }
        let old = try #require(catalogError { try test.importing(.users, "user_id\ra\rb\r") })
        #expect(old.message.contains("CR alone") && old.message.contains("tr '\\r' '\\n'"), "\(old)")
    }
}

@Suite("Where a catalog lies")
struct CatalogPlaceTests {
    @Test(
        "A file that is mounted alone is no place for a catalog",
        .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func mountedFile() throws {
        let directory = try TemporaryDirectory()
        let (kept, path) = (directory.path + "/kept.sqlite", directory.path + "/catalog.sqlite")
        _ = try Catalog(path: kept, mode: .writing)
        try Data().write(to: URL(fileURLWithPath: path))
        func run(_ arguments: String...) throws -> Int32 {
            let process = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: arguments)
            process.waitUntilExit()
            return process.terminationStatus
        }
        try #require(try run("mount", "--bind", kept, path) == 0)
        defer { _ = try? run("umount", "--lazy", path) }
        #expect(CatalogPlace(of: path) == .mountedFile)
        for mode in [Catalog.Mode.writing, .recording] {
            let error = try #require(catalogError { _ = try Catalog(path: path, mode: mode) })
            #expect(error.code == .fileFailed && error.message.contains("mounted as a single file"), "\(error)")
        }
        // The folder is the right thing to mount.
        #expect(CatalogPlace(of: kept) == nil)
    }

    @Test("A catalog that cannot have a write-ahead log is refused: the answer of SQLite is read")
    func withoutLog() throws {
        // The file is created before SQLite finds that it needs none.
        defer { try? FileManager.default.removeItem(atPath: ":memory:") }
        let error = try #require(catalogError { _ = try Catalog(path: ":memory:", mode: .writing) })
        #expect(error.code == .fileFailed && error.message.contains("its journal mode is memory"), "\(error)")
    }

    @Test(
        "The mount that is nearest, and last, tells the place",
        arguments: [
            ("/data/catalog.sqlite", CatalogPlace.shared(type: "nfs4")), ("/data/local/catalog.sqlite", nil),
            ("/data/one.sqlite", .mountedFile), ("/data2/catalog.sqlite", nil),
            ("/mnt/my disk/catalog.sqlite", .shared(type: "fuse.sshfs")), ("/other/catalog.sqlite", nil),
        ])
    func mounts(path: String, place: CatalogPlace?) {
        let table = """
            21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 21 0:40 / /data rw - ext4 /dev/sdb rw
            31 21 0:41 / /data rw,relatime shared:2 - nfs4 server:/data rw,vers=4.2
            32 31 8:2 / /data/local rw - xfs /dev/sdc rw
            33 31 8:3 /one.sqlite /data/one.sqlite rw - xfs /dev/sdc rw
            34 21 0:42 / /mnt/my\\040disk rw - fuse.sshfs host: rw
            """
        #expect(CatalogPlace(of: path, mounts: table) == place)
    }
}
