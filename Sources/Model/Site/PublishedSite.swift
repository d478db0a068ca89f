package import Basics

/// The decisions of a site about its groups at one moment, for daemons without its catalog.
///
/// A store has one, for all its versions. Whoever changes the catalog replaces it.
package struct PublishedSite: Codable, Sendable, Equatable {
    /// The changes of journals that it has.
    package var taken: AppliedChanges
    /// The hidden groups, in ascending order of the bytes of their ids.
    package var hidden: [HiddenGroup]
    /// The curated groups in their order.
    package var curations: [Curation]
    /// The public groups that the newest version lacks, in ascending order of the bytes of their ids.
    package var newGroupIDs: [String]
    /// The groups of the versions that are not public any more; nil without versions.
    package var withdrawn: WithdrawnGroups?
    /// The number of removals and renewals of members of each version, by its name; nil if there was none.
    package var erasures: [String: Int]?
    /// The parts of another program that this one does not know, by their names; they stay when the rest is replaced.
    package var unknown: [String: JSON] = [:]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case taken, hidden, curations, newGroupIDs, withdrawn, erasures
    }

    package init(
        taken: AppliedChanges = .none, hidden: [HiddenGroup] = [], curations: [Curation] = [],
        newGroupIDs: [String] = [], withdrawn: WithdrawnGroups? = nil
    ) {
        self.taken = taken
        self.hidden = hidden
        self.curations = curations
        self.newGroupIDs = newGroupIDs
        self.withdrawn = withdrawn
    }

    /// The unknown parts in words, for a state at a place; nil if there are none.
    package func gap(at place: String) -> String? {
        guard !unknown.isEmpty else { return nil }
        let names = unknown.keys.sorted().joined(separator: ", ")
        return "the state of the site in \(place) has parts that need a newer program (\(names)): upgrade this one"
    }

    /// Whether the groups are the same as those of another state, which may have other changes.
    package func hasGroups(of other: PublishedSite?) -> Bool {
        var same = self
        same.taken = other?.taken ?? taken
        return same == other
    }

    /// Whether a public group is newer than the newest version.
    ///
    /// - Complexity: O(log groups).
    package func hasNewGroup(_ id: String) -> Bool { newGroupIDs.containsSorted(id) }
}

extension [String] {
    /// Whether the array, in ascending order of bytes, contains a text, compared byte by byte.
    ///
    /// - Complexity: O(log count).
    func containsSorted(_ text: String) -> Bool {
        let place = indices.partitioningIndex { !self[$0].utf8.lexicographicallyPrecedes(text.utf8) }
        return place < endIndex && self[place].hasSameBytes(as: text)
    }
}
