import Foundation
import TestSupport
import Testing

/// A community whose photos show one of four things; each thing has a group of its own.
private struct PicturedCommunity {
    static let things = ["birds", "boats", "bridges", "bees"]
    static let dimension = 16

    /// The vector of a photo: its thing's direction, and some noise.
    static func vector(_ thing: Int, using random: inout SeededGenerator) -> [Float] {
        (0..<dimension).map { ($0 / 4 == thing ? 3 : 0) + Float.random(in: -1...1, using: &random) }
    }

    /// Imports the community.
    ///
    /// Of each thing there are 40 public photos in the pool, 3 private ones in the pool, one in a private group, and a
    /// new photo in no pool. `bees-twin` has the vector of `bees-new`.
    static func publish(_ workspace: Workspace, recomputes: Bool = true) async throws {
        var random = SeededGenerator(seed: 8)
        var groups = "group_id\tvisibility\nsecret\tprivate\n"
        var (photos, pools, vectors) = ("photo_id\tvisibility\n", "group_id\tphoto_id\n", "photo_id\tvector\n")
        func add(_ id: String, _ group: String?, _ visibility: String, _ vector: [Float]) {
            photos += "\(id)\t\(visibility)\n"
            if let group { pools += "\(group)\t\(id)\n" }
            vectors += "\(id)\t\(vector.map { "\($0)" }.joined(separator: " "))\n"
        }
        for (thing, name) in things.enumerated() {
            groups += "\(name)\tpublic\n"
            for number in 0..<40 { add("\(name)-\(number)", name, "public", vector(thing, using: &random)) }
            let new = vector(thing, using: &random)
            add("\(name)-new", nil, "public", new)
            for number in 0..<3 { add("\(name)-private-\(number)", name, "private", new) }
            add("\(name)-secret", "secret", "public", new)
            if name == "bees" { add("bees-twin", "bees", "public", new) }
        }
        // Photos in two groups make the groups neighbours.
        for number in 0..<5 { pools += "boats\tbirds-\(number)\nbees\tbridges-\(number)\n" }
        for (kind, text) in [("groups", groups), ("photos", photos), ("pools", pools)] {
            try await workspace.succeed("import", kind, try workspace.write(text, to: "\(kind).tsv"))
        }
        try await workspace.succeed(
            "import", "vectors", try workspace.write(vectors, to: "vectors.tsv"), "--model-name", "test")
        if recomputes { try await workspace.succeed("recompute") }
    }
}

/// The fields of answers about photos that these tests look at.
private struct GroupsAnswer: Decodable {
    struct Group: Decodable {
        struct Reason: Decodable {
            var kind: String
            var photoIds: [String]?
        }
        var groupId: String
        var reasons: [Reason]
    }
    var groups: [Group]
}

private struct PhotosAnswer: Decodable, Equatable {
    struct Photo: Decodable, Equatable {
        var photoId: String
        var duplicate: Bool
        var groupIds: [String]
    }
    var photos: [Photo]
}

@Suite("Groups and photos by what photos show", .aFewAtATime)
struct LookTests {
    @Test("A new photo finds its group by look alone, with public photos as reasons", arguments: StoreKind.available)
    func groups(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await PicturedCommunity.publish(workspace)
        for name in PicturedCommunity.things {
            let run = try await workspace.succeed("photo", "\(name)-new", "--by", "look", "--json")
            let answer: GroupsAnswer = try run.json()
            #expect(answer.groups.first?.groupId == name)
            #expect(answer.groups.first?.reasons.first?.kind == "looksLike")
            #expect(!run.text.contains("private") && !run.text.contains("secret"))
            let both: GroupsAnswer = try await workspace.succeed("photo", "\(name)-new", "--by", "both", "--json")
                .json()
            #expect(both.groups.first?.groupId == name)
        }
        let similar = try await workspace.succeed("similar-photos", "bees-new", "--json")
        let photos: PhotosAnswer = try similar.json()
        #expect(photos.photos.first == .init(photoId: "bees-twin", duplicate: true, groupIds: ["bees"]))
        #expect(photos.photos.dropFirst().allSatisfy { !$0.duplicate && $0.photoId.hasPrefix("bees") })
        #expect(!similar.text.contains("private") && !similar.text.contains("secret"))
        let others: PhotosAnswer = try await workspace.succeed(
            "similar-photos", "bees-new", "--without-duplicates", "--json"
        ).json()
        #expect(others.photos.first == photos.photos.dropFirst().first)
        let hidden = try await workspace.run("photo", "bees-private-0", "--by", "look")
        #expect(hidden.exitCode == CommandRun.ExitCode.badData && hidden.errors.contains("is private"))
    }

    @Test("A daemon answers the same; what is private, removed or hidden since is not named")
    func daemon() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace)
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        let answer: GroupsAnswer = try daemon.answer("/v1/photos/boats-new/groups?by=look")
        #expect(answer.groups.first?.groupId == "boats")
        let photos: PhotosAnswer = try daemon.answer("/v1/photos/bees-new/similar?limit=3")
        let cli: PhotosAnswer = try await workspace.succeed("similar-photos", "bees-new", "--limit", "3", "--json")
            .json()
        #expect(photos == cli && photos.photos.count == 3)
        let omitted: PhotosAnswer = try daemon.answer("/v1/photos/bees-new/similar?duplicates=omit&limit=3")
        #expect(omitted.photos.first == photos.photos[1])
        // One photo becomes private, and another is removed.
        let list = "photo_id\tvisibility\nbees-twin\tprivate\n"
        try await workspace.succeed("import", "photos", try workspace.write(list, to: "private.tsv"))
        try await workspace.succeed("delete", "photo", photos.photos[1].photoId)
        let later: PhotosAnswer = try daemon.answer("/v1/photos/bees-new/similar?limit=200")
        let named = Set(later.photos.map(\.photoId))
        #expect(!named.contains("bees-twin") && !named.contains(photos.photos[1].photoId) && named.count > 30)
        #expect(try daemon.get("/v1/photos/bees-private-0/similar").status == 404)
        // A photo that comes back has no vector, and one that was taken out of a pool no longer speaks for it.
        let back = photos.photos[1].photoId
        try await workspace.succeed(
            "import", "photos", try workspace.write("photo_id\tvisibility\n\(back)\tpublic\n", to: "back.tsv"))
        try await workspace.succeed("delete", "pool", "bees", photos.photos[2].photoId)
        let last: PhotosAnswer = try daemon.answer("/v1/photos/bees-new/similar?limit=200")
        #expect(!last.photos.contains { [back, photos.photos[2].photoId].contains($0.photoId) })
        let text = try daemon.get("/v1/photos/bees-new/groups?by=look").text
        #expect(!text.contains("\"\(back)\"") && !text.contains("\"\(photos.photos[2].photoId)\""), "\(text)")
        // Both kinds of evidence are what there is of them.
        #expect(try daemon.get("/v1/photos/\(back)/groups?by=both").status == 200)
        #expect(try daemon.get("/v1/photos/\(back)/groups?by=look").status == 404)
        #expect(try await workspace.succeed("photo", back, "--by", "both").text.contains("could be added"))
        try await workspace.succeed("hide", "bees")
        #expect(
            await RunningDaemon.poll {
                let shown = try? daemon.answer("/v1/photos/bees-new/similar?limit=200", PhotosAnswer.self)
                return shown?.photos.contains { $0.groupIds.contains("bees") } == false
            })
    }

    @Test(
        "What one daemon removes, others do not name before the catalog has it",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func shared() async throws {
        let workspace = try Workspace(.redis)
        try await PicturedCommunity.publish(workspace)
        let one = try await RunningDaemon.withoutCatalog(workspace, "a")
        let other = try await RunningDaemon(
            workspace, "--journal", workspace.path("journal-b"), settings: ["COTERIE_CACHE": workspace.path("cache-b")])
        for daemon in [one, other] { try await daemon.wait(forVersion: workspace.currentVersion()) }
        let photos: PhotosAnswer = try other.answer("/v1/photos/bees-new/similar?limit=3")
        let (gone, moved) = (photos.photos[1].photoId, photos.photos[2].photoId)
        for target in ["/v1/photos/\(gone)", "/v1/groups/bees/pools/\(moved)"] {
            let answer = try #require(SocketClient(port: one.port)?.request("DELETE", target))
            #expect(answer.status == 200, "\(target): \(answer.text)")
        }
        #expect(
            await RunningDaemon.poll {
                let found = try? other.answer("/v1/photos/bees-new/similar?limit=200", PhotosAnswer.self)
                return found.map { !$0.photos.contains { [gone, moved].contains($0.photoId) } } == true
            })
        #expect(try other.get("/v1/photos/bees-new/groups?by=look").text.contains("\"\(moved)\"") == false)
        #expect(try other.get("/v1/photos/\(gone)/groups?by=look").status == 404)
    }

    @Test("Examples and vectors of a request find groups; what is wrong with them is said by its place")
    func examples() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace)
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: workspace.currentVersion())
        func post(_ body: String) throws -> (status: Int, text: String) {
            let client = try #require(SocketClient(port: daemon.port))
            let response = try #require(client.request("POST", "/v1/photos/groups", json: body))
            return (response.status, response.text)
        }
        func groups(_ body: String) throws -> [String] {
            let (status, text) = try post(body)
            try #require(status == 200, "\(text)")
            #expect(!text.contains("private") && !text.contains("secret"))
            return try JSONDecoder().decode(GroupsAnswer.self, from: Data(text.utf8)).groups.map(\.groupId)
        }
        func vector(_ things: Int...) -> String {
            let numbers = (0..<PicturedCommunity.dimension).map { things.contains($0 / 4) ? "1e3" : "0" }
            return "[\(numbers.joined(separator: ","))]"
        }
        // A photo that is not known yet.
        #expect(try groups("{\"vector\":\(vector(2))}").first == "bridges")
        #expect(try groups("{\"like\":[{\"vector\":\(vector(0))}],\"limit\":1}") == ["birds"])
        // Ids, and both; what is not wanted takes the group of one example away from the top.
        #expect(try groups(#"{"like":[{"photoId":"boats-new"},{"photoId":"boats-1"}]}"#).first == "boats")
        let mixed = "{\"like\":[{\"vector\":\(vector(1, 3))}]"
        #expect(try Set(groups("\(mixed)}").prefix(2)) == ["boats", "bees"])
        #expect(try groups("\(mixed),\"unlike\":[{\"photoId\":\"boats-new\"}]}").first == "bees")
        let cli: GroupsAnswer = try await workspace.succeed(
            "photo", "--like", vector(1, 3), "--unlike", "boats-new", "--json"
        ).json()
        #expect(try cli.groups.map(\.groupId) == groups("\(mixed),\"unlike\":[{\"photoId\":\"boats-new\"}]}"))
        let many = Array(repeating: #"{"photoId":"boats-1"}"#, count: 17).joined(separator: ",")
        for (body, status, word) in [
            ("{}", 400, "like"), (#"{"vector":[1,2,3]}"#, 400, "has 3 numbers"), (#"{"vector":[]}"#, 400, "vector"),
            (#"{"vector":["NaN"]}"#, 400, "vector"), (#"{"vector":[NaN]}"#, 400, "JSON"),
            ("{\"vector\":\(vector())}", 400, "no direction"),
            ("{\"vector\":\(vector(1).replacing("1e3", with: "1e300"))}", 400, "no direction"),
            ("{\"like\":[{\"vector\":\(vector(1)),\"photoId\":\"boats-1\"}]}", 400, "like[0]"),
            ("{\"like\":[{}]}", 400, "like[0]"), (#"{"like":[{"photoId":"boats-private-0"}]}"#, 404, "unknown"),
            (#"{"like":[{"photoId":"nobody"}]}"#, 404, "unknown"),
            ("{\"like\":[\(many)]}", 400, "17"),
            ("\(mixed),\"unlike\":[{\"vector\":[1,2]}]}", 400, "unlike[0].vector"),
            ("{\"vector\":[\(Array(repeating: "0.123456789", count: 9000).joined(separator: ","))]}", 413, "65536"),
        ] {
            let answer = try post(body)
            #expect(answer.status == status && answer.text.contains(word), "\(body.prefix(80)): \(answer)")
        }
        let private0 = try await workspace.run("photo", "--like", "boats-private-0")
        #expect(private0.exitCode == CommandRun.ExitCode.badData && private0.errors.contains("is private"))
        #expect(try await workspace.run("photo", "--unlike", "boats-1").exitCode == CommandRun.ExitCode.usage)
        #expect(try await workspace.run("photo", "boats-1", "--like", "boats-2").exitCode == CommandRun.ExitCode.usage)
        // Vectors of another model, as long as the version has those of the earlier one.
        let other = "photo_id\tvector\nboats-1\t\(vector(3).dropFirst().dropLast())\n"
        try await workspace.succeed(
            "import", "vectors", try workspace.write(other, to: "other.tsv"), "--model-name", "other", "--replace",
            "--allow-shrinking")
        #expect(try daemon.get("/v1/photos/boats-1/similar").status == 404)
        #expect(try post(#"{"like":[{"photoId":"boats-1"}]}"#).text.contains("no-vectors"))
        #expect(try groups("{\"vector\":\(vector(2))}").first == "bridges")
    }

    @Test("Both kinds of evidence together are as good as looks where pools say nothing")
    func both() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace)
        // A large group with other photos makes popularity count.
        let photos = "photo_id\tvisibility\n" + (0..<900).map { "crowd-\($0)\tpublic\n" }.joined()
        let pools = "group_id\tphoto_id\n" + (0..<900).map { "crowd\tcrowd-\($0)\n" }.joined()
        try await workspace.succeed("import", "photos", try workspace.write(photos, to: "crowd.tsv"))
        try await workspace.succeed("import", "groups", try workspace.write("group_id\ncrowd\n", to: "group.tsv"))
        try await workspace.succeed("import", "pools", try workspace.write(pools, to: "crowd-pools.tsv"))
        try await workspace.succeed("recompute")
        for name in PicturedCommunity.things {
            for basis in ["look", "both"] {
                let run = try await workspace.succeed("photo", "\(name)-new", "--by", basis, "--json")
                let answer: GroupsAnswer = try run.json()
                #expect(answer.groups.first?.groupId == name, "\(basis)")
            }
        }
        let weights = try await workspace.succeed("models", "--json").text
        #expect(weights.contains("lookInNoPool"))
    }

    @Test("Groups that share no photo and no member are published if photos look alike")
    func onlyLooks() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace, recomputes: false)
        let pools = "group_id\tphoto_id\n" + PicturedCommunity.things.map { "\($0)\t\($0)-1\n" }.joined()
        try await workspace.succeed(
            "import", "pools", try workspace.write(pools, to: "few.tsv"), "--replace", "--allow-shrinking")
        try await workspace.succeed("recompute")
        let answer: GroupsAnswer = try await workspace.succeed("photo", "bees-new", "--by", "look", "--json").json()
        #expect(answer.groups.first?.groupId == "bees")
    }

    @Test("One, two and three threads publish the same version")
    func threads() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace, recomputes: false)
        var digests: Set<Substring> = []
        for threads in 1...3 {
            try await workspace.succeed("recompute", "--threads", "\(threads)")
            // The second part of a version's name is a digest of its sections.
            let version = try await workspace.currentVersion()
            digests.insert(version.suffix(8))
            #expect(try await workspace.succeed("models", "--json").text.contains("lookIndex"))
        }
        #expect(digests.count == 1)
    }

    @Test("A flipped bit of a published index, and its missing end, are refused by commands and found by check")
    func damagedIndex() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace)
        let name = "models/versions/\(try await workspace.currentVersion())/model.coterie"
        let whole = try #require(FileManager.default.contents(atPath: workspace.path(name)))
        // The numbers of the last photo are the last of the file.
        for damage in [1, 40, 400] {
            var bytes = whole
            bytes[bytes.count - damage] ^= 16
            for content in [bytes, whole.dropLast(damage)] {
                try FileManager.default.removeItem(atPath: workspace.path(name))
                _ = try workspace.write(content, to: name)
                let run = try await workspace.run("similar-photos", "boats-new")
                #expect(run.exitCode != CommandRun.ExitCode.success && !run.text.contains("boats-1"))
                #expect(try await workspace.run("check").exitCode != CommandRun.ExitCode.success)
            }
        }
    }

    @Test("A backup has the vectors, and a restore brings them back; damage is found and said")
    func backup() async throws {
        let workspace = try Workspace()
        try await PicturedCommunity.publish(workspace)
        try await workspace.succeed("backup", "site.tar")
        let other = try Workspace()
        try await other.succeed("restore", workspace.path("site.tar"))
        try await other.succeed("recompute")
        let here: PhotosAnswer = try await workspace.succeed("similar-photos", "boats-new", "--json").json()
        let there: PhotosAnswer = try await other.succeed("similar-photos", "boats-new", "--json").json()
        #expect(here == there)
        // Once more over the restored site.
        try await other.succeed("restore", workspace.path("site.tar"), "--replace")
        try await other.succeed("check")
        func vectorFiles(_ workspace: Workspace) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: workspace.folder).filter { $0.contains("-vectors-") }
        }
        let name = try #require(try vectorFiles(other).first)
        #expect(try vectorFiles(other).count == 1)
        var bytes = try #require(FileManager.default.contents(atPath: other.path(name)))
        bytes[1000] ^= 1
        _ = try other.write(bytes, to: name)
        let check = try await other.run("check")
        #expect(check.exitCode != CommandRun.ExitCode.success && check.text.contains("vectors"))
        let recompute = try await other.run("recompute")
        #expect(recompute.exitCode == CommandRun.ExitCode.badData && recompute.errors.contains("damaged"))
    }

    @Test("Without vectors the commands say what to do, and a version has none of it")
    func withoutVectors() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let run = try await workspace.run("photo", "p1", "--by", "look")
        #expect(run.exitCode == CommandRun.ExitCode.badData)
        let models = try await workspace.succeed("models", "--json").text
        #expect(!models.contains("lookIndex"))
    }
}
