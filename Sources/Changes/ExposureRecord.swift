/// A page of a list that a member of an experiment was shown, once or more on one day.
///
/// Equal pages of a day add up to one record; reloading a page therefore takes no space.
package struct ExposureRecord: Sendable, Equatable {
    /// The experiment's name.
    package var experiment: String
    /// The arm of the experiment that the list was made for, or `armOfOtherID`.
    package var arm: String
    /// The id of the list.
    package var recommendationID: String
    /// The rank of the first group of the page, from 1.
    package var firstPosition: Int
    /// The number of groups on the page; 0 for an empty list.
    package var shownCount: Int
    /// The client's filters, as text; empty if there are none.
    package var filters: String
    /// The list that each group of the page is credited to, or nil unless the list is drafted from two.
    ///
    /// Each group has one character: 1, 2, or - for neither. There are as many pages as in `shown`.
    package var teams: String?
    /// The marks of the groups on the page, or nil if they are unknown.
    ///
    /// A session's list changes when its member joins a group, so equal pages may have had different groups. The marks
    /// of each page are then separated by a space.
    package var shown: String?
    /// The settings of lists that the daemon had at the first showing, as a fingerprint; nil if they are unknown.
    package var settings: String?
    /// The number of showings, 1 or more.
    package var times: Int
    /// The times of the first and the last showing, in Unix milliseconds, on one UTC day.
    package var firstAtMilliseconds, lastAtMilliseconds: Int64
    /// The time that making all the answers took, or nil if it is unknown.
    package var microseconds: Int64?

    /// The arm of exposures that a member brought along to an id that had exposures in the same experiment.
    package static let armOfOtherID = ""

    /// Returns the name of the version in the id of a list, or nil if there is none.
    ///
    /// The id is that name and a fingerprint.
    package static func version(ofList id: String) -> String? { id.lastIndex(of: "-").map { String(id[..<$0]) } }

    package init(
        experiment: String, arm: String, recommendationID: String, firstPosition: Int, shownCount: Int,
        filters: String, atMilliseconds instant: Int64, microseconds: Int64? = nil
    ) {
        self.experiment = experiment
        self.arm = arm
        self.recommendationID = recommendationID
        self.firstPosition = firstPosition
        self.shownCount = shownCount
        self.filters = filters
        times = 1
        firstAtMilliseconds = instant
        lastAtMilliseconds = instant
        self.microseconds = microseconds
    }

    /// Adds another showing of the same page on the same day.
    package mutating func add(_ other: ExposureRecord) {
        times += other.times
        firstAtMilliseconds = min(firstAtMilliseconds, other.firstAtMilliseconds)
        lastAtMilliseconds = max(lastAtMilliseconds, other.lastAtMilliseconds)
        microseconds = if let microseconds, let others = other.microseconds { microseconds + others } else { nil }
        guard let marks = shown, let more = other.shown, !marks.split(separator: " ").contains(more[...]) else {
            return
        }
        shown = "\(marks) \(more)"
        if let known = teams, let others = other.teams { teams = "\(known) \(others)" }
    }

    /// The UTC day, in days since 1970.
    package var day: Int64 { firstAtMilliseconds / 86_400_000 }
}

/// Short marks of groups, by which an exposure knows the groups that it showed.
///
/// A mark has three characters for 18 bits of FNV-1a of the group's id. So one wrong group of 262,144 passes for
/// a shown one.
package enum GroupMarks {
    /// The number of characters of a mark.
    package static let length = 3

    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func mark(of groupID: String) -> String {
        var hash: UInt32 = 0x811c_9dc5
        for byte in groupID.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        hash ^= hash >> 18
        let digits = [hash & 63, hash >> 6 & 63, hash >> 12 & 63]
        return String(decoding: digits.map { characters[Int($0)] }, as: UTF8.self)
    }
}

extension ExposureRecord {
    /// Whether a group was on the page, by its mark; true of every group if the marks are unknown.
    package func showed(_ groupID: String) -> Bool { shown == nil || place(of: groupID) != nil }

    /// The list that a group of the page is credited to, as the character in `teams`; nil if it is not known.
    package func team(of groupID: String) -> Character? {
        guard let place = place(of: groupID), let teams else { return nil }
        let pages = teams.split(separator: " ", omittingEmptySubsequences: false).map(Array.init)
        guard place.page < pages.count, place.row < pages[place.page].count else { return nil }
        return pages[place.page][place.row]
    }

    /// Returns the first place of a group: the page among those in `shown`, and the row on it, both from 0.
    private func place(of groupID: String) -> (page: Int, row: Int)? {
        guard let shown else { return nil }
        let mark = Array(GroupMarks.mark(of: groupID).utf8)
        for (page, marks) in shown.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .enumerated()
        {
            let marks = Array(marks)
            for row in 0..<marks.count / GroupMarks.length
            where marks[row * GroupMarks.length..<(row + 1) * GroupMarks.length].elementsEqual(mark) {
                return (page, row)
            }
        }
        return nil
    }
}
