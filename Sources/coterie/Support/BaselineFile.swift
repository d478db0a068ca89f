import CatalogStore
import CommandLine
import Evaluation
import Model
import RecordReading

/// The lists of a file that an evaluation is compared with, read and checked as far as it can be without the members
/// that are measured.
struct BaselineFile {
    /// A list of a user's, whose texts are numbered: a file has the same ones in very many lists.
    private struct List {
        var name, user, bucket: Int
        var line: Int
        /// Its groups, as a range of `groups`.
        var groups: Range<Int>
    }

    /// A list that may be there once.
    private struct Key: Hashable {
        var name, user, bucket: Int
    }

    private let path: String
    private var names = Numbered()
    private var users = Numbered()
    private var groupIDs = Numbered()
    private var groups: [UInt32] = []
    private var lists: [List] = []

    /// Reads a file.
    ///
    /// - Throws: also `Failure` if a line is wrong, a list is there twice, or lists are missing.
    init(path: String) throws {
        self.path = path
        var known: [Key: Int] = [:]
        try ListsFile(path: path).forEachList { list, line in
            let key = Key(name: names[list.name], user: users[list.userID], bucket: list.bucket)
            if let first = known.updateValue(line, forKey: key) {
                throw Failure(
                    Failure.badData,
                    """
                    \(path), line \(line): list \(list.name), bucket \(list.bucket), of user "\(list.userID)" is there \
                    twice, first in line \(first): remove one of them
                    """)
            }
            let start = groups.count
            for group in list.groupIDs { groups.append(UInt32(groupIDs[group])) }
            lists.append(
                List(name: key.name, user: key.user, bucket: key.bucket, line: line, groups: start..<groups.count))
        }
        let missing = BaselineLists.missing(among: names.texts)
        guard missing.isEmpty else {
            let names = missing.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                Failure.badData, "\(path) lacks lists: \(names); it must have all of them, or one list alone")
        }
    }

    /// The lists for the members of an evaluation.
    ///
    /// - Parameter length: how many groups of a list count.
    /// - Throws: `Failure` if a list is of somebody who is not measured.
    func lists(for set: EvaluationSet, length: Int) throws(Failure) -> BaselineLists {
        var result = BaselineLists(set, length: length)
        for list in lists {
            do throws(EvaluationError) {
                try result.add(
                    names.texts[list.name], bucket: list.bucket, ofUser: users.texts[list.user],
                    groups[list.groups].map { groupIDs.texts[Int($0)] })
            } catch {
                throw Failure(
                    Failure.badData,
                    """
                    \(path), line \(list.line): \(error): give the same --hold-out, --sample or files as for the run \
                    that wrote it
                    """)
            }
        }
        return result
    }
}

/// Texts, each with a number from 0 on; told apart by their bytes.
private struct Numbered {
    private(set) var texts: [String] = []
    private var numbers: [BytewiseString: Int] = [:]

    /// The number of a text, which gets the next one if it has none.
    subscript(text: String) -> Int {
        mutating get {
            let key = BytewiseString(text)
            if let number = numbers[key] { return number }
            numbers[key] = texts.count
            texts.append(text)
            return texts.count - 1
        }
    }
}

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
