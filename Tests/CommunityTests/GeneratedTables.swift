@testable import coterie_bench

/// The files of a community, parsed as a reader of the files would.
struct GeneratedTables {
    let files: [CommunityFile: [UInt8]]
    private let rows: [CommunityFile: [[String]]]

    init(_ community: Community) {
        var files: [CommunityFile: [UInt8]] = [:]
        var rows: [CommunityFile: [[String]]] = [:]
        for file in CommunityFile.allCases {
            let bytes = Self.bytes(of: file, community)
            files[file] = bytes
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            rows[file] = lines.dropFirst().dropLast().map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }
        }
        self.files = files
        self.rows = rows
    }

    /// The rows of a file without its header, split at tabs.
    subscript(_ file: CommunityFile) -> [[String]] { rows[file] ?? [] }

    /// Returns the values of one column.
    func column(_ name: String, of file: CommunityFile) -> [String] {
        guard let index = file.columns.firstIndex(of: name) else { return [] }
        return self[file].map { $0[index] }
    }

    /// Returns the values of one column by those of another.
    func values(_ name: String, by key: String, of file: CommunityFile) -> [String: String] {
        Dictionary(zip(column(key, of: file), column(name, of: file))) { first, _ in first }
    }

    static func bytes(of file: CommunityFile, _ community: Community) -> [UInt8] {
        var bytes: [UInt8] = []
        community.write(file) { chunk in bytes += chunk }
        return bytes
    }

    /// A community large enough to show its shape; made once for all tests.
    static let sample: GeneratedTables? = {
        guard let parameters = try? sampleParameters() else { return nil }
        return GeneratedTables(Community(parameters))
    }()

    static func sampleParameters(seed: UInt64 = 7) throws -> CommunityParameters {
        try CommunityParameters(
            groups: 800, users: 6000, photos: 20_000, memberships: 60_000, pools: 40_000,
            favourites: 90_000, follows: 30_000, posts: 20_000, seed: seed, endDay: "2026-06-01")
    }
}
