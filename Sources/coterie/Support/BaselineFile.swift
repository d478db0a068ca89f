import Evaluation
import Model

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
