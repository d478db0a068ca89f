/// Writing the sections of a model file that hold signals.
enum SignalEncoding {
    /// Trending groups, 20 bytes each.
    static func trending(_ groups: [TrendingGroup]) -> [UInt8] {
        var bytes: [UInt8] = []
        for group in groups {
            ModelEncoding.append(group.group, to: &bytes)
            ModelEncoding.append(group.score.bitPattern, to: &bytes)
            ModelEncoding.append(group.joiners, to: &bytes)
            ModelEncoding.append(group.posters, to: &bytes)
            ModelEncoding.append(group.usualWeek.bitPattern, to: &bytes)
        }
        return bytes
    }

    /// Curated groups, 24 bytes each.
    static func curated(_ groups: [CuratedGroup]) -> [UInt8] {
        var bytes: [UInt8] = []
        for group in groups {
            ModelEncoding.append(group.group, to: &bytes)
            ModelEncoding.append(group.position, to: &bytes)
            ModelEncoding.append(group.startsAt ?? .min, to: &bytes)
            ModelEncoding.append(group.expiresAt ?? .min, to: &bytes)
        }
        return bytes
    }

    /// The groups of every topic, each with weight 1.
    static func topics(of groups: [GroupFacts]) -> [String: [Posting]] {
        var index: [String: [Posting]] = [:]
        for (number, group) in groups.enumerated() {
            for topic in Set(group.topics.map { Term.normalized($0) }) where !topic.isEmpty {
                index[topic, default: []].append(Posting(group: UInt32(number), weight: 1))
            }
        }
        return index
    }

    /// An index, in the layout of `PostingIndex`; keys without a posting are left out, lists are put in order.
    static func index(_ lists: [String: [Posting]], section: ModelLayout.SectionName) throws(ModelError) -> [UInt8] {
        let ordered = lists.filter { !$0.value.isEmpty }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        guard !ordered.isEmpty else { return [] }
        let total = ordered.reduce(0) { $0 + $1.value.count }
        guard total <= Int(UInt32.max) else { throw .tooLarge("\(section.rawValue) of \(total) postings") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PostingIndex.headerByteCount + ordered.count * 24 + total * PostingIndex.postingByteCount)
        ModelEncoding.append(UInt32(ordered.count), to: &bytes)
        ModelEncoding.append(UInt32(total), to: &bytes)
        var end: UInt32 = 0
        ModelEncoding.append(end, to: &bytes)
        for list in ordered {
            end += UInt32(list.value.count)
            ModelEncoding.append(end, to: &bytes)
        }
        for list in ordered {
            let best = list.value.sorted { $0.weight != $1.weight ? $0.weight > $1.weight : $0.group < $1.group }
            for posting in best {
                ModelEncoding.append(posting.group, to: &bytes)
                ModelEncoding.append(posting.weight.bitPattern, to: &bytes)
            }
        }
        return bytes + (try ModelEncoding.texts(ordered.map(\.key), section: section))
    }
}
