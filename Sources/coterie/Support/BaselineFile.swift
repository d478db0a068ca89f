import Basics
import CatalogStore
import CommandLine
import Evaluation
import Model
import RecordReading

/// The lists of a file to compare an evaluation with.
///
/// They are checked when the file is read, except for the members, who are not known yet.
struct BaselineFile {
    /// A list of a user; its texts are numbers, because many lists share them.
    private struct List {
        var name, user, bucket: Int
        var line: Int
        var groups: Range<Int>
    }

    /// The key of a list, which must be unique.
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
    /// - Throws: among others `Failure` if a line is invalid, a list occurs twice, or lists are missing.
    init(path: String) throws {
        self.path = path
        var known: [Key: Int] = [:]
        try ListsFile(path: path).forEachList { list, line in
            let key = Key(name: names[list.name], user: users[list.userID], bucket: list.bucket)
            if let first = known.updateValue(line, forKey: key) {
                throw Failure(
                    .badData,
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
                .badData, "\(path) lacks lists: \(names); it must have all of them, or one list alone")
        }
    }

    /// Returns the lists for the members of an evaluation.
    ///
    /// - Throws: `Failure` if the user of a list is not evaluated, or if over a tenth of the members have no list.
    func lists(for set: EvaluationSet, length: Int) throws(Failure) -> BaselineLists {
        var result = BaselineLists(set, length: length)
        for list in lists {
            do throws(Failure) {
                try result.add(
                    names.texts[list.name], bucket: list.bucket, ofUser: users.texts[list.user],
                    groups[list.groups].map { groupIDs.texts[Int($0)] })
            } catch {
                throw Failure(
                    .badData,
                    """
                    \(path), line \(list.line): \(error): give the same --hold-out, --sample or files as for the run \
                    that wrote it
                    """)
            }
        }
        let counts = result.memberCounts
        guard counts.without > 0 else { return result }
        // A member without a list finds nothing, so many of them would make any other list look better.
        let finding =
            "\(path) has no list of \(counts.without.grouped) of \(counts.tested.grouped) members"
        guard counts.without * 10 <= counts.tested else {
            throw Failure(
                .badData,
                "\(finding): give the same --hold-out, --sample or files as for the run that wrote it")
        }
        printToStandardError("warning: \(finding), for whom it counts as having found nothing")
        return result
    }
}

/// Texts with numbers from 0, distinguished by their bytes.
private struct Numbered {
    private(set) var texts: [String] = []
    private var numbers: [BytewiseString: Int] = [:]

    /// The number of a text; a new text gets the next number.
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
    /// Reads the lists of `--baseline`, before anything that takes long, or returns `nil` without the option.
    func baselineFile() throws -> BaselineFile? { try textIfGiven("baseline").map(BaselineFile.init) }

    /// Returns the reference of an evaluation: the lists of `--baseline`, or the list that `--against` names.
    ///
    /// - Parameter file: the file of `--baseline`, or `nil`.
    func evaluationReference(_ file: BaselineFile?, _ set: EvaluationSet, length: Int) throws -> EvaluationReference {
        guard let file else { return .list(EvaluatedList(rawValue: text("against")) ?? .raw) }
        return .baseline(try file.lists(for: set, length: length))
    }
}

/// A file of lists as `coterie evaluate --lists` writes it: list, bucket, user_id, rank and group_id.
struct ListsFile {
    /// A list of a user.
    struct List {
        var name: String
        var bucket: Int
        var userID: String
        var groupIDs: [String]
    }

    let path: String

    /// Calls `body` with each list, and with its first line.
    ///
    /// - Throws: among others `Failure` if a line is invalid, or the lines of a list are not together in the order of
    ///   ranks.
    func forEachList(_ body: (_ list: List, _ line: Int) throws -> Void) throws {
        let names = ["list", "bucket", "user_id", "rank", "group_id"]
        var reader = try InputFile(path: path).records(names.map { RecordColumn($0, isID: $0.hasSuffix("_id")) })
        var current: List?
        var start = 0
        while true {
            switch try reader.next() {
            case .end:
                if let current { try body(current, start) }
                return
            case .rejected(let rejected):
                throw Failure(.badData, "\(path), line \(rejected.line): \(rejected.reason)")
            case .record:
                guard let bucket = Int(reader.text(1)), BaselineLists.buckets.contains(bucket),
                    let rank = Int(reader.text(3)), rank >= 1
                else {
                    throw Failure(
                        .badData,
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
                        .badData,
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
