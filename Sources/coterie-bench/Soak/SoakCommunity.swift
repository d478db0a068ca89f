import Foundation
import Glibc

/// A synthetic community in a folder that is deleted with this value, whose titles tell when they were imported.
final class SoakCommunity: Sendable {
    let folder: String
    /// The ids of public groups.
    let groups: [String]
    let users: [String]
    let photos: [String]
    private let groupLines: [[Substring]]

    init() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/coterie-bench-soak-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.coterie([
            "generate", "--output", folder, "--groups", "300", "--users", "1500", "--photos", "3000",
        ])
        self.folder = folder
        groupLines = try Self.rows(of: "\(folder)/groups.tsv")
        groups = groupLines.dropFirst().filter { $0[3] == "public" }.map { String($0[0]) }
        users = try Self.rows(of: "\(folder)/users.tsv").dropFirst().map { String($0[0]) }
        photos = try Self.rows(of: "\(folder)/photos.tsv").dropFirst().map { String($0[0]) }
        for kind in ["users", "photos"] { try importing(kind) }
        try importGroups(mark: 0)
        for kind in ["memberships", "pools"] { try importing(kind) }
    }

    private static func rows(of file: String) throws -> [[Substring]] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var catalog: String { folder + "/catalog.sqlite" }

    /// The time of import that a title tells; nil if it tells none.
    static func mark(of title: String) -> Int? {
        title.split(separator: " ").first.flatMap { $0.hasPrefix("#") ? Int($0.dropFirst()) : nil }
    }

    /// Imports all groups with titles that begin with a mark.
    func importGroups(mark: Int) throws {
        let lines = groupLines.enumerated().map { number, fields in
            var fields = fields
            if number > 0 { fields[1] = "#\(mark) \(fields[1])" }
            return fields.joined(separator: "\t")
        }
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: "\(folder)/groups.tsv", atomically: false, encoding: .utf8)
        try importing("groups")
    }

    private func importing(_ kind: String) throws {
        try Self.coterie(["import", kind, "\(folder)/\(kind).tsv", "--catalog", catalog])
    }

    /// Runs the program beside this one to its end.
    static func coterie(_ arguments: [String]) throws {
        _ = try Child.output(
            of: [program] + arguments, processor: ServersUnderTest.loadProcessor, isQuiet: true)
    }

    static var program: String { (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/coterie" }
}
