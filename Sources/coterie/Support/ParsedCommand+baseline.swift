import CatalogStore
import CommandLineOptions
import Evaluation
import RecordReading

extension ParsedCommand {
    /// What the lists of an evaluation are compared with: those of `--baseline`, or the one that `--against` names.
    ///
    /// - Parameter length: how many groups of a list count.
    func evaluationReference(_ set: EvaluationSet, length: Int) throws -> EvaluationReference {
        guard let path = textIfGiven("baseline") else {
            return .list(EvaluatedList(rawValue: text("against")) ?? .raw)
        }
        var lists = BaselineLists(set, length: length)
        try ListsFile(path: path).forEachList { list, line in
            do throws(EvaluationError) {
                try lists.add(list.name, bucket: list.bucket, ofUser: list.userID, list.groupIDs)
            } catch {
                throw Failure(
                    Failure.badData,
                    "\(path), line \(line): \(error): give the same --hold-out, --sample or files as for the run that "
                        + "wrote it")
            }
        }
        guard lists.missing.isEmpty else {
            let names = lists.missing.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                Failure.badData, "\(path) lacks lists: \(names); it must have all of them, or one list alone")
        }
        return .baseline(lists)
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
                        "\(path), line \(reader.line): rank \(rank) does not follow the line before; the lines of a list "
                            + "must stand together, from rank 1 on")
                }
                if let current { try body(current, start) }
                (current, start) = (List(name: name, bucket: bucket, userID: user, groupIDs: [group]), reader.line)
            }
        }
    }
}
