package import Model

/// The regions of a version's map, by what is shown of their groups.
package struct MapRegions: Sendable {
    /// A region of the map.
    package struct Region: Sendable, Equatable {
        /// The commonest topic of its groups, else the title or id of its largest one; no other region has the name.
        ///
        /// Equally common topics are in the order of their bytes. Regions with the same topic add their largest group.
        package fileprivate(set) var name = ""
        package fileprivate(set) var groupCount = 0
        /// The groups with the most members, at most `largestLimit`, largest first; equal ones by their index.
        package fileprivate(set) var largest: [UInt32] = []
    }

    /// The most groups that a region names.
    private static let largestLimit = 3

    /// The regions by number; one without groups that are shown has no name.
    package let regions: [Region]
    /// The number of groups beside the map.
    package let besideCount: Int

    /// Collects the regions; hidden groups are in none.
    ///
    /// - Complexity: O(groups + topics of groups).
    package init(_ model: VisibleModel, _ relations: RelationTable) {
        var (regions, besideCount) = ([Region](), 0)
        let sizes = relations.sizes(in: .membership, model)
        for group in 0..<UInt32(model.groupCount) where model.shows(group) {
            guard let place = model.place(of: Int(group)) else {
                besideCount += 1
                continue
            }
            let number = Int(place.region)
            while regions.count <= number { regions.append(Region()) }
            regions[number].groupCount += 1
            let (size, largest) = (sizes[Int(group)], regions[number].largest)
            let rank = largest.firstIndex { sizes[Int($0)] < size } ?? largest.count
            let ranked = largest.prefix(rank) + [group] + largest[rank...]
            regions[number].largest = Array(ranked.prefix(Self.largestLimit))
        }
        var best = [(count: Int, topic: String)?](repeating: nil, count: regions.count)
        for topic in model.topics {
            var counts: [Int: Int] = [:]
            for group in model.groups(withTopic: topic) {
                if let place = model.place(of: Int(group)) { counts[Int(place.region), default: 0] += 1 }
            }
            // Topics ascend, so an earlier one stays where counts are equal.
            for (number, count) in counts where count > best[number]?.count ?? 0 { best[number] = (count, topic) }
        }
        var longerNames: [Int: [String]] = [:]
        for number in regions.indices {
            guard let first = regions[number].largest.first.map(Int.init) else { continue }
            let (id, title) = (model.id(of: first), model.title(of: first))
            let topic = best[number].map { "\($0.topic): " } ?? ""
            let names = [title.isEmpty ? id : title, "\(title) (\(id))"].map { topic + $0 }
            (longerNames[number], regions[number].name) = (names, best[number]?.topic ?? names[0])
        }
        for length in 0..<2 {
            let counts = Dictionary(regions.map { ($0.name, 1) }, uniquingKeysWith: +)
            for (number, names) in longerNames where counts[regions[number].name] ?? 0 > 1 {
                regions[number].name = names[length]
            }
        }
        (self.regions, self.besideCount) = (regions, besideCount)
    }
}
