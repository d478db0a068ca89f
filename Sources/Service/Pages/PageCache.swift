import Foundation
import Model
import ModelStore
import Synchronization

/// The costly parts of pages that hold for whole versions: the latest of each kind.
final class PageCache: Sendable {
    /// The time for which a comparison or a count is kept, in milliseconds; settings of lists may change meanwhile.
    private static let comparisonLifetime: Int64 = 600_000

    /// The comparison of two versions.
    struct Comparison: Sendable {
        /// The version that is compared with the one that serves.
        let other: ModelSnapshot
        let differences: HTML
    }

    private let comparison = Mutex<(from: VersionName, at: Int64, made: Comparison)?>(nil)
    private let count = Mutex<CatalogCount?>(nil)
    /// A lock held while a catalog is counted, which may take minutes.
    private let counting = Mutex(())
    private let names = Mutex<(version: VersionName, names: SearchedNames)?>(nil)

    /// Returns the comparison of two versions, which is made unless it was the latest one.
    func comparison(
        from older: VersionName, to newer: VersionName, at instant: Int64, make: () throws(Problem) -> Comparison
    ) throws(Problem) -> Comparison {
        let found = comparison.withLock { kept -> Comparison? in
            guard let kept, kept.from == older, kept.made.other.version == newer,
                (0..<Self.comparisonLifetime).contains(instant - kept.at)
            else { return nil }
            return kept.made
        }
        if let found { return found }
        let made = try make()
        comparison.withLock { $0 = (older, instant, made) }
        return made
    }

    /// Returns what a catalog has, which is counted unless it was in the last ten minutes.
    ///
    /// While another request counts, it is the count before. It is nil if there is none, and without a catalog.
    func count(at instant: Int64, make: () throws(Problem) -> CatalogCount?) throws(Problem) -> CatalogCount? {
        let kept = count.withLock { $0 }
        if let kept, (0..<Self.comparisonLifetime).contains(instant - kept.atMilliseconds) { return kept }
        let made = try counting.withLockIfAvailable { _ throws(Problem) in try make() }
        guard let made else { return kept }
        count.withLock { $0 = made }
        return made
    }

    /// Returns the names of a version's groups, which are made unless it was the latest version.
    func names(of version: VersionName, in model: VisibleModel) -> SearchedNames {
        if let found = names.withLock({ $0?.version == version ? $0?.names : nil }) { return found }
        let made = SearchedNames(
            (0..<model.groupCount).lazy.map { group in
                "\(model.id(of: group)) \(model.title(of: group)) \(model.topics(of: group).joined(separator: " "))"
            })
        names.withLock { $0 = (version, made) }
        return made
    }
}

/// The names of groups, such as their ids, titles and topics, one after the other, for searches.
///
/// They are in lower case, with letters and accents apart: so composed and decomposed letters find each other, and
/// "cafe" finds "café".
/// They take about 60 bytes a group. A search for a word reads them all.
struct SearchedNames: Sendable {
    private let bytes: [UInt8]
    /// The end of the names of each group.
    private let ends: [Int]

    init(_ names: some Sequence<String>) {
        var (bytes, ends) = ([UInt8](), [Int]())
        for name in names {
            bytes += "\(name)\n".searched.utf8
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    /// Returns the first groups whose names contain all words, ignoring case; all match if there are no words.
    ///
    /// The groups come in the order of their indexes.
    func matching(_ text: String, limit: Int) -> [Int] {
        let words = text.searched.split(separator: " ").map { Array($0.utf8) }
        guard let first = words.first else { return Array(ends.indices.prefix(limit)) }
        var (found, group, start) = ([Int](), 0, 0)
        while found.count < limit, let place = place(of: first, in: start..<bytes.count) {
            while ends[group] <= place { group += 1 }
            let names = (group > 0 ? ends[group - 1] : 0)..<ends[group]
            if words.allSatisfy({ self.place(of: $0, in: names) != nil }) { found.append(group) }
            start = names.upperBound
        }
        return found
    }

    /// Returns the place of a word in some bytes, or `nil` if they do not contain it.
    private func place(of word: [UInt8], in range: Range<Int>) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var place = range.lowerBound
            while place + word.count <= range.upperBound {
                let count = range.upperBound - word.count + 1 - place
                guard let found = unsafe memchr(base + place, Int32(word[0]), count) else { return nil }
                place = unsafe UnsafeRawPointer(found) - base
                if unsafe memcmp(found, word, word.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }
}

extension String {
    /// The text as it is searched: in lower case, with letters and accents apart.
    fileprivate var searched: String {
        let text = lowercased()
        // Nearly all names are ASCII, which has one form.
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : text.decomposedStringWithCanonicalMapping
    }
}
