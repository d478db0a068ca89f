import CatalogStore
import CommandLineOptions
import Evaluation
import RecordReading

extension ParsedCommand {
    /// The lists of `--baseline`, which are read before anything takes long; nil if the option is not given.
    func baselineFile() throws -> BaselineFile? { try textIfGiven("baseline").map(BaselineFile.init) }

    /// What the lists of an evaluation are compared with: those of `--baseline`, or the one that `--against` names.
    ///
    /// - Parameters:
    ///   - file: that of `--baseline`.
    ///   - length: how many groups of a list count.
    func evaluationReference(_ file: BaselineFile?, _ set: EvaluationSet, length: Int) throws -> EvaluationReference {
        guard let file else { return .list(EvaluatedList(rawValue: text("against")) ?? .raw) }
        return .baseline(try file.lists(for: set, length: length))
    }
}

/// A file of lists, as `coterie evaluate --lists` writes it: list, bucket, user_id, rank and group_id.
struct ListsFile {
    /// A list of a user's.
    struct List {
        var name: String
        var bucket: Int
        var userID: String
        var groupIDs: [String]
    }

    let path: String

    /// Calls `body` with each list, and the line where it begins.
    ///
    /// - Throws: also `Failure` if a line is wrong, or the lines of a list do not stand together in the order of their
    ///   ranks.
    func forEachList(_ body: (_ list: List, _ line: Int) throws -> Void) throws {
        let names = ["list", "bucket", "user_id", "rank", "group_id"]
        var reader = try InputFile(path: path).records(names.map { RecordColumn($0) })
        var current: List?
        var start = 0
        while true {
            switch try reader.next() {
            case .end:
                if let current { try body(current, start) }
                return
            case .rejected(let rejected):
                throw Failure(Failure.badData, "\(path), line \(rejected.line): \(rejected.reason)")
            case .record:
                guard let bucket = Int(reader.text(1)), BaselineLists.buckets.contains(bucket),
                    let rank = Int(reader.text(3)), rank >= 1
                else {
                    throw Failure(
                        Failure.badData,
                        "\(path), line \(reader.line): bucket must be a number from 0 to 63, rank one from 1 on")
                }
                let (name, user, group) = (reader.text(0), reader.text(2), reader.text(4))
                if let list = current, list.name == name, list.bucket == bucket,
                    list.userID.utf8.elementsEqual(user.utf8), rank == list.groupIDs.count + 1
                {
                    current?.groupIDs.append(group)
                    continue
                }
                guard rank == 1 else {
                    throw Failure(
                        Failure.badData,
                        """
                        \(path), line \(reader.line): rank \(rank) does not follow the line before; the lines of a \
                        list must stand together, from rank 1 on
                        """)
                }
                if let current { try body(current, start) }
                (current, start) = (List(name: name, bucket: bucket, userID: user, groupIDs: [group]), reader.line)
            }
        }
    }
}
