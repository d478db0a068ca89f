import CommandLine
import Basics
import FoundationEssentials
import Glibc
import Model

/// `coterie-bench generate`.
enum GenerateCommand: Benchmark {
    private static let files = CommunityFile.all(of: .standard)

    static let command = Command(
        "generate", summary: "Write the files of a synthetic community, ready to import",
        discussion: """
            Writes \(files.map(\.name).joined(separator: ", ")). The community has groups with \
            themes, members with a few interests, photos in several pools, seasons over three years, and some private \
            groups and photos. The same seed and sizes give the same bytes on any machine.
            """,
        options: [
            Option(
                "output", short: "o", "FOLDER", help: "The folder for the files; created if it does not exist",
                default: "community"),
            Option("groups", "N", help: "The number of groups", default: "300"),
            Option("users", "N", help: "The number of users", default: "3000"),
            Option("photos", "N", help: "The number of photos", default: "10000"),
            Option(
                "memberships", "N", help: "The number of memberships (default: 12 per user, fewer with few groups)"),
            Option(
                "pools", "N", help: "The number of pool entries (default: 2 per photo, 0 without memberships)"),
            Option("favourites", "N", help: "The number of photos that members like; no file if 0", default: "0"),
            Option("follows", "N", help: "The number of follows among members; no file if 0", default: "0"),
            Option("posts", "N", help: "The number of posts of members in groups; no file if 0", default: "0"),
            Option("seed", "N", help: "The seed: another number makes another community", default: "1"),
            Option(
                "end-date", "DATE", help: "All dates are before this day, YYYY-MM-DD", default: "2026-11-01"),
        ],
        examples: [
            "coterie-bench generate",
            "coterie-bench generate -o large --groups 100000 --users 2000000 --memberships 60000000 --photos 0 --pools 0",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let users = try parsed.integer("users", in: 0...CommunityParameters.maximumUsers)
        let groups = try parsed.integer("groups", in: 0...CommunityParameters.maximumGroups)
        let photos = try parsed.integer("photos", in: 0...CommunityParameters.maximumPhotos)
        let pairs = 0...CommunityParameters.maximumPairs
        // A small community has no room for as many memberships as the default of 12 per user.
        let memberships = try parsed.integerIfGiven("memberships", in: pairs) ?? min(users * 12, users * groups / 2)
        let pools = try parsed.integerIfGiven("pools", in: pairs) ?? (memberships == 0 ? 0 : photos * 2)
        let parameters = try CommunityParameters(
            groups: groups, users: users, photos: photos, memberships: memberships, pools: pools,
            favourites: try parsed.integer("favourites", in: pairs), follows: try parsed.integer("follows", in: pairs),
            posts: try parsed.integer("posts", in: pairs), seed: UInt64(try parsed.integer("seed", in: 0...Int.max)),
            endDay: parsed.text("end-date"))
        let folder = parsed.text("output")
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch { throw Failure(.general, "cannot create the folder \(folder): \(SystemWords.sentence(error))") }
        let community = Community(parameters)
        let line = ProgressLine()
        for file in Self.files where file.isPart(of: parameters) {
            try write(file, of: community, to: folder, line)
        }
    }

    private static func write(_ file: CommunityFile, of community: Community, to folder: String, _ line: ProgressLine)
        throws
    {
        let path = folder + "/" + file.name
        let start = ContinuousClock().now
        var output = try Output(path: path)
        var bytes = 0
        line.begin(path)
        try community.write(file) { chunk in
            try output.write(chunk)
            bytes += chunk.count
            line.show(done: bytes, total: nil, unit: "bytes")
        }
        try output.flush()
        line.clear()
        let seconds = start.duration(to: ContinuousClock().now).inSeconds
        printToStandardError("\(path): \(Formats.bytes(bytes)), \(Formats.seconds(seconds))")
    }
}
