import Foundation
import Testing

/// What the files of the sample community say, read in the plainest way.
struct SampleCommunity {
    /// In an order in which no file names something of a later one.
    static let kinds = ["groups", "users", "photos", "memberships", "pools"]

    let privateGroups: Set<String>
    let publicGroups: [String]
    let privatePhotos: [String]
    let publicPhotos: [String]
    /// The groups of every user, private ones included.
    let joined: [String: Set<String>]
    /// The groups of every photo, private ones included.
    let pools: [String: Set<String>]

    init() throws {
        let groups = try Self.rows("groups", ["group_id", "visibility"])
        privateGroups = Set(groups.filter { $0[1] == "private" }.map { $0[0] })
        publicGroups = groups.filter { $0[1] != "private" }.map { $0[0] }
        let photos = try Self.rows("photos", ["photo_id", "visibility"])
        privatePhotos = photos.filter { $0[1] == "private" }.map { $0[0] }
        publicPhotos = photos.filter { $0[1] != "private" }.map { $0[0] }
        joined = try Self.groupsByEntry("memberships", "user_id")
        pools = try Self.groupsByEntry("pools", "photo_id")
    }

    /// Users by the number of groups they are in, most first; then by id.
    var usersByActivity: [String] {
        joined.keys.sorted {
            let (left, right) = (joined[$0]?.count ?? 0, joined[$1]?.count ?? 0)
            return left == right ? $0 < $1 : left > right
        }
    }

    private static func groupsByEntry(_ kind: String, _ column: String) throws -> [String: Set<String>] {
        try rows(kind, ["group_id", column]).reduce(into: [:]) { $0[$1[1], default: []].insert($1[0]) }
    }

    /// Some columns of a file; none of those has quoted fields.
    static func rows(_ kind: String, _ columns: [String]) throws -> [[String]] {
        let text = try String(contentsOfFile: Checkout.sample(kind), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        guard let header = lines.first else { return [] }
        let indexes = columns.compactMap { name in header.firstIndex { $0 == name } }
        return lines.dropFirst().map { fields in indexes.map { String(fields[$0]) } }
    }
}

/// The catalog of the sample community, as the program imports it.
actor SampleCatalog {
    static let shared = SampleCatalog()

    private var importing: Task<Data, any Error>?

    /// The bytes of the file.
    func content() async throws -> Data {
        if let importing { return try await importing.value }
        let task = Task {
            let workspace = try Workspace()
            for kind in SampleCommunity.kinds { try await workspace.succeed("import", kind, Checkout.sample(kind)) }
            return try Data(contentsOf: URL(fileURLWithPath: workspace.catalog))
        }
        importing = task
        return try await task.value
    }
}
